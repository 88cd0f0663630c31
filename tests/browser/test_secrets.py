"""Nothing that another seat may not know is in the page, in what it loads, or in its DOM.

Somebody looks at a game twice. The second time it stands as it could stand as well for all they
know: other hands, another deck. They must not see any difference.
"""

import re
from difflib import unified_diff

import pytest
from playwright.sync_api import Request, Response
from sqlalchemy import update

from engine.chance import Chance, seed_from_text
from engine.contract import GameType
from engine.registry import GAME_TYPES
from service.access.games import lock_game
from service.db.models import Game
from service.db.session import db, transact
from service.games.loaded_game import load_game
from tests.browser.conftest import Visit
from tests.browser.running_site import RunningSite
from tests.servers.tree import until
from tests.support.site import Caller

MOVES = 4  # of each, before anybody looks
STREAM = "**/v1/events?after=*"
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => done(true)))"
FORM_TOKEN = re.compile(r"\b[0-9a-f]{128}\b")  # another one every time
Seen = dict[str, str]


def other_world(running_site: RunningSite, game: GameType, game_id: str, seat: int) -> None:
    """Change what the seat does not know, and let the server forget what it has in memory."""
    with running_site.inside.app.app_context():
        state = load_game(lock_game(game_id)).state
        chance = Chance(seed_from_text("another simulation"), "imagined")
        other = game.imagine(state, [seat], chance, game.pending(state)[0], None)
        assert game.dump(other) != game.dump(state)
        change = update(Game).where(Game.id == game_id).values(state=game.dump(other))
        transact(lambda: db.session.execute(change))
    running_site.restart()


def looks(visit: Visit, caller: Caller, path: str) -> Seen:
    """Everything that comes into a fresh browser, and what its page becomes."""
    person = visit(caller.name).is_known_as(caller)
    came: list[Response] = []
    under_way: set[Request] = set()
    person.context.on("request", lambda request: under_way.add(request))
    person.context.on("requestfinished", lambda request: under_way.remove(request))
    person.context.on("response", lambda response: came.append(response))
    page = person.page
    with page.expect_response(STREAM):
        person.opens(path)
    until(lambda: bool(page.evaluate(NEXT_FRAME)) and len(under_way) <= 1, "all but the stream")
    seen = {one.url: one.text() for one in came if one.ok and _is_text(one)}
    seen["the DOM"] = page.content()
    person.context.close()
    return {address: FORM_TOKEN.sub("", text) for address, text in seen.items()}


def _is_text(response: Response) -> bool:
    """Pictures are drawn from what is compared, the stream is compared in tests/api, and files
    are the same for everybody; when a browser asks for an icon is its own affair."""
    kind = response.headers.get("content-type", "")
    is_file = "/static/" in response.url
    return "image/png" not in kind and "event-stream" not in kind and not is_file


@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)
def test_hidden_information_changes_nothing_in_the_browser(
    visit: Visit, running_site: RunningSite, game: GameType
) -> None:
    players = [running_site.person("Anna"), running_site.person("Ben")]
    game_id = running_site.inside.game_of(*players, game=game.meta.key, clock={"kind": "none"})
    for _ in range(MOVES):
        for player in players:
            if not player.plays_nothing(game_id):
                player.plays(game_id)
    pages = (f"/games/{game_id}", f"/games/{game_id}/replay")
    before = [looks(visit, players[1], path) for path in pages]
    other_world(running_site, game, game_id, seat=1)
    after = [looks(visit, players[1], path) for path in pages]
    for real, imagined in zip(before, after):
        assert real.keys() == imagined.keys()
        difference = [*unified_diff(_lines(real), _lines(imagined), lineterm="", n=0)]
        assert not difference, "\n".join(difference)


def _lines(seen: Seen) -> list[str]:
    return [f"{address}: {line}" for address in sorted(seen) for line in seen[address].split("\n")]
