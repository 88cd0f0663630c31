"""One letter of each kind in a language, and parsers of their contents."""

import email
import email.policy
import re
from collections.abc import Iterable
from email.message import EmailMessage
from html.parser import HTMLParser
from typing import Any

from sqlalchemy import update

from service.db.models import Letter, LetterState, Person, Picture, Seat, Webhook
from service.db.session import db, transact
from service.mail.outgoing.board_png import Picture as Drawn
from service.mail.outgoing.mime import Enclosed, mail_of
from service.mail.outgoing.sender import send_letters
from tests.support.site import Caller, Site

READER = "anna@example.org"
FLAT = {"kind": "flat", "hours": 100}
KINDS = (
    *("turn", "digest", "reminder", "answer", "away", "started", "finished", "mention"),
    *("cancelled", "rematch", "webhook_off", "invitation", "sign_in"),
)
_ADDRESS = re.compile(r"https?://\S+")
_WORD = re.compile(r"[^\W_]+")


def one_of_each(site: Site, language: str) -> dict[str, Letter]:
    """Letters of all kinds to a reader of this language, sent and kept."""
    anna, ben = site.person("Anna"), site.person("Ben & <Berta>", "ben@example.org")
    with site.app.app_context():
        reads = {"language": language, "time_zone": "Europe/Rome"}
        transact(lambda: db.session.execute(update(Person).values(**reads)))
    for scene in (_games, _others):
        for kind, facts in scene(site, anna, ben).items():
            _sent(site, anna.id(), kind, **facts)
    site.stranger.post("/v1/sign-ins", {"email": READER})
    table = ben.opens(title="Another round")["id"]
    assert ben.post(f"/v1/games/{table}/invitations", {"email": READER}).status_code == 201
    with site.app.app_context():
        send_letters()
    found = {letter.kind: letter for letter in site.letters(READER)}
    came = {kind: (one.state, one.reason or one.error) for kind, one in found.items()}
    assert came == dict.fromkeys(KINDS, (LetterState.sent, None))
    return found


def _games(site: Site, anna: Caller, ben: Caller) -> dict[str, dict[str, Any]]:
    game_id = site.game_of(anna, ben, clock=FLAT, title="Soirée d'été")
    for _ in range(4):
        for player in (ben, anna):
            decision = player.sees(game_id)["decision"]
            if decision is not None and not decision["revising"]:
                player.plays(game_id)
    while (decision := anna.sees(game_id)["decision"]) is None or decision["revising"]:
        ben.plays(game_id)
    asked = {"game_id": game_id, "decision": decision["id"]}
    assert ben.post(f"/v1/games/{game_id}/messages", {"text": "Well\n\nplayed <b>"}).json
    answer = {
        "said": ["Played: 3.", "You see <that>."],
        "refused": "The rest was not & cannot be.",
        "show": ["help", "games", "rules", "log", "board", "choices"],
    }
    return {
        "reminder": asked,
        "turn": asked | {"facts": {"began": True}},
        "started": {"game_id": game_id},
        "mention": {"game_id": game_id, "facts": {"n": 1}},
        "answer": {"game_id": game_id, "facts": answer},
    }


def _others(site: Site, anna: Caller, ben: Caller) -> dict[str, dict[str, Any]]:
    site.game_of(anna, ben, clock=FLAT)  # a second one that waits
    over, kept = site.game_of(anna, ben), site.game_of(anna, ben)
    for player in (anna, ben):
        assert player.put(f"/v1/games/{over}/end-offer").status_code == 200
    table = ben.opens(title="Once more")["id"]
    anna.post("/v1/webhooks", {"url": "https://8.8.8.8/hook?a=1&b=2"})

    def away_and_off() -> None:
        seat = (Seat.game_id == kept) & (Seat.number == 0)
        gone = {"away_since": site.clock(), "bot": True}
        db.session.execute(update(Seat).where(seat).values(**gone))
        db.session.execute(update(Webhook).values(disabled_at=site.clock()))

    with site.app.app_context():
        transact(away_and_off)
    webhook = anna.get("/v1/webhooks").json["items"][0]["id"]  # type: ignore[index]
    return {
        "digest": {},
        "finished": {"game_id": over},
        "away": {"game_id": kept},
        "cancelled": {"game_id": table},
        "rematch": {"game_id": table, "facts": {"by": "Ben", "of": over}},
        "webhook_off": {"facts": {"webhook": webhook, "reason": "failures"}},
    }


def _sent(site: Site, person: str, kind: str, **values: Any) -> None:
    at = site.clock()
    known = {"kind": kind, "to": READER, "person_id": person, "facts": {}} | values
    with site.app.app_context():
        transact(lambda: db.session.add(Letter(**known, created_at=at, next_try_at=at)))
        send_letters()


def raw_mail(site: Site, letter: Letter) -> bytes:
    """A letter that was kept, as the mail that it would have been."""
    assert letter.sent_at is not None
    picture = None
    with site.app.app_context():
        if letter.picture is not None:
            kept = db.session.get_one(Picture, letter.picture)
            picture = Drawn(kept.png, kept.digest, 0, 0)
        return mail_of(letter, site.settings, letter.sent_at, Enclosed(picture))


def parsed(raw: bytes) -> EmailMessage:
    message = email.message_from_bytes(raw, policy=email.policy.SMTP)
    assert isinstance(message, EmailMessage)
    return message


def words_of_text(text: str) -> list[str]:
    """All words of a letter but addresses, in their order."""
    return [word.casefold() for word in _WORD.findall(_ADDRESS.sub(" ", text))]


class Looked(HTMLParser):
    """The HTML of a mail: what is read aloud, and what it is made of."""

    SILENT = ("style", "title", "script")
    EMPTY = ("meta", "br", "hr", "img", "base", "link")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.read: list[str] = []
        self.open: list[str] = []
        self.lists: list[int] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Iterable[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in self.EMPTY:
            self.open.append(tag)
        if tag == "ol":
            self.lists.append(0)
        if tag == "li" and "ol" in self.open:
            self.lists[-1] += 1
            self.read.append(f" {self.lists[-1]} ")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        beside_a_choice = self.open[-1:] == ["a"] and "ol" in self.open
        if not beside_a_choice and not set(self.open) & set(self.SILENT):
            self.read.append(data)

    def words(self) -> list[str]:
        return words_of_text(" ".join(self.read))

    def all(self, tag: str) -> list[dict[str, str]]:
        return [found for name, found in self.elements if name == tag]
