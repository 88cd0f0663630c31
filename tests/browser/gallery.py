"""Every page there is, with something on it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from engine.registry import GAME_TYPES
from service.core.signing import sign_id
from service.db.models import LetterState
from service.mail.outgoing.mime import refusal_link
from service.mail.outgoing.reply_address import GOOD_FOR
from service.web.answer_links import ANSWER
from service.web.unsubscribe import STOP
from tests.browser.running_site import RunningSite
from tests.support.post import work
from tests.support.site import Caller

LINK = re.compile(r"https?://[^/\s]+(/\S+)")


@dataclass(frozen=True)
class Exhibit:
    """A page, and who looks at it: Anna, or somebody who is not signed in."""

    name: str
    path: str
    by_anna: bool = True


class Gallery:
    """Anna, who plays with Ben, and everything that she can open."""

    def __init__(self, running_site: RunningSite) -> None:
        self.running_site = running_site
        self.address = running_site.address("Anna")
        self.guest = running_site.address("Guest")
        self.anna = running_site.inside.person("Anna", self.address)
        self.ben = running_site.person("Ben")
        self.exhibits = [*self._everybodys(), *self._annas(), *self._tables(), *self._mailed()]

    def _everybodys(self) -> Iterable[Exhibit]:
        for name, path in {
            "welcome": "/",
            "sign in": "/sign-in",
            "reference": "/reference",
            "problems": "/problems",
            "a problem explained": "/problems/not_found",
            "nothing there": "/games/aaaaaaaaaaaaaaaa",
            "a broken link": "/answer/broken",
            "offline": "/offline",
        }.items():
            yield Exhibit(name, path, by_anna=False)

    def _annas(self) -> Iterable[Exhibit]:
        for name, path in {
            "home": "/",
            "account": "/account",
            "a new account": "/account?next=/",
            "mailbox": "/mailbox",
            "tokens": "/account/tokens",
            "webhooks": "/account/webhooks",
        }.items():
            yield Exhibit(name, path)
        made = self.anna.post("/v1/webhooks", {"url": "https://8.8.8.8/laguna"})
        assert made.json is not None
        assert self.anna.post(f"/v1/webhooks/{made.json['id']}/test").status_code == 201
        yield Exhibit("a webhook", f"/account/webhooks/{made.json['id']}")

    def _tables(self) -> Iterable[Exhibit]:
        inside = self.running_site.inside
        for game in GAME_TYPES:
            running = inside.game_of(self.anna, self.ben, game=game.meta.key)
            while not _is_asked(self.anna, running):
                self.ben.plays(running)
            yield Exhibit(f"{game.meta.key}, rules", f"/rules/{game.meta.key}", by_anna=False)
            yield Exhibit(f"{game.meta.key}, to choose", f"/games/{running}")
        yield Exhibit("watched", f"/games/{running}", by_anna=False)
        waiting = inside.game_of(self.anna, self.ben)
        while _is_asked(self.anna, waiting):
            self.anna.plays(waiting)
        self.ben.post(f"/v1/games/{waiting}/messages", {"text": "Ciao"})
        yield Exhibit("to wait", f"/games/{waiting}")
        opened = str(self.anna.opens(seats=3)["id"])
        yield Exhibit("open table, hosted", f"/games/{opened}")
        yield Exhibit("open table", f"/games/{opened}", by_anna=False)
        made = self.anna.post(f"/v1/games/{opened}/invitations", {})
        assert made.json is not None
        link = LINK.match(str(made.json["link"]))
        assert link is not None
        yield Exhibit("invitation", link[1], by_anna=False)
        self.anna.post(f"/v1/games/{opened}/invitations", {"email": self.guest})
        over = inside.game_of(self.anna, self.ben)
        for player in (self.anna, self.ben):
            player.plays(over)
            player.put(f"/v1/games/{over}/end-offer")
        yield Exhibit("finished", f"/games/{over}")
        yield Exhibit("replay", f"/games/{over}/replay")
        yield Exhibit("end game", f"/games/{running}/end-offer")
        shared = inside.game_of(self.anna, self.ben)
        yield Exhibit("resign", f"/games/{shared}/resign")
        self.ben.post(f"/v1/games/{shared}/pause")
        self.ben.put(f"/v1/games/{shared}/end-offer")
        yield Exhibit("asked to pause and to end", f"/games/{shared}")
        won = inside.game_of(self.anna, self.ben)
        self.ben.post(f"/v1/games/{won}/resign")
        yield Exhibit("won by resignation", f"/games/{won}")

    def _mailed(self) -> Iterable[Exhibit]:
        self.running_site.inside.stranger.post("/v1/sign-ins", {"email": self.address})
        work(self.running_site.inside)
        written = self.running_site.inside.letters(self.address)
        letters = {letter.kind: letter for letter in written if letter.state == LetterState.sent}
        turn = letters["turn"]
        assert turn.sent_at is not None
        for name, purpose, path in (
            ("choices of a mail", ANSWER, "/answer/{}"),
            ("choice of a mail", ANSWER, "/answer/{}/1"),
            ("no more mails", STOP, "/mail/off/{}"),
        ):
            signed = sign_id(
                self.running_site.inside.settings, purpose, turn.id, turn.sent_at + GOOD_FOR
            )
            yield Exhibit(name, path.format(signed), by_anna=False)
        [invitation] = self.running_site.inside.letters(self.guest)
        settings = self.running_site.inside.settings
        refusal = LINK.match(refusal_link(invitation.id, settings, invitation.created_at))
        assert refusal is not None
        yield Exhibit("no more invitations", refusal[1], by_anna=False)
        link = LINK.search(str(letters["sign_in"].text))
        assert link is not None
        yield Exhibit("link to sign in", link[1], by_anna=False)


def _is_asked(who: Caller, game_id: str) -> bool:
    decision = who.sees(game_id)["decision"]
    return decision is not None and not decision["revising"]
