"""The replay of a game without script: every move, as the viewer may know it, and the end."""

import json
import re
from hashlib import sha256

import pytest
from sqlalchemy import update

from engine.contract import GameType, Json
from engine.registry import GAME_TYPES
from service.db.models import Game
from service.db.session import db, transact
from tests.support.browser import Browser, Page
from tests.support.site import Caller, Site

EVERY_GAME = pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)


def browser_of(site: Site, person: Caller | None = None) -> Browser:
    """A browser in which this person, or nobody, has signed in."""
    browser = Browser(site)
    if person is not None:
        assert person.token is not None
        browser.client.set_cookie(site.settings.session_cookie, person.token)
    return browser


def replay(browser: Browser, game_id: str, query: str = "") -> Page:
    return browser.open(f"/games/{game_id}/replay{query}")


def log_of(person: Caller, game_id: str, language: str = "en") -> list[Json]:
    lines: list[Json] = []
    after: int | None = 0
    while after is not None:
        answer = person.get(f"/v1/games/{game_id}/log?after={after}&limit=200&language={language}")
        assert answer.json is not None
        lines += answer.json["items"]
        after = answer.json["next_after"]
    return lines


def facts(page: Page) -> Json:
    """What the page tells its scripts."""
    found = re.search(r'<script type="application/json" id="facts">(.*?)</script>', page.html)
    assert found is not None
    data: Json = json.loads(found.group(1))
    return data


def inline_board(page: Page) -> str:
    found = re.search(r'<div class="view" id="board"[^>]*>(.*?)</div>', page.html, flags=re.DOTALL)
    assert found is not None
    return found.group(1)


def begun(site: Site, anna: Caller, ben: Caller, game: GameType, answers: int = 3) -> str:
    """A game of both after some moves of each."""
    game_id = site.game_of(anna, ben, game=game.meta.key)
    for _ in range(answers):
        for player in (anna, ben):
            asked = player.sees(game_id)["decision"]
            if asked is not None and not asked["revising"]:
                player.plays(game_id)
    return game_id


@EVERY_GAME
def test_each_address_shows_the_board_the_sentences_and_the_points_after_its_move(
    site: Site, anna: Caller, ben: Caller, game: GameType
) -> None:
    game_id = begun(site, anna, ben, game)
    browser, lines = browser_of(site, anna), log_of(anna, game_id)
    assert len(lines) > 2
    for line in lines:
        page = replay(browser, game_id, f"?at={line['n']}")
        assert page.status == 200
        assert f"Move {line['n']} of {len(lines)}" in page.text
        assert inline_board(page) == anna.get(f"/v1/games/{game_id}/board.svg?at={line['n']}").text
        shown = page.text.partition("All moves")[0]
        assert all(" ".join(sentence.split()) in shown for sentence in line["sentences"])
        assert f"Anna {line['scores'][0]} Ben {line['scores'][1]}" in shown


@EVERY_GAME
def test_links_lead_to_the_first_the_last_and_both_neighbours(
    site: Site, anna: Caller, ben: Caller, game: GameType
) -> None:
    game_id = begun(site, anna, ben, game)
    last = len(log_of(anna, game_id))
    browser = browser_of(site, anna)

    def steps(page: Page) -> list[str]:
        ids = ("first", "previous", "next", "last")
        return [a["href"] for tag, a in page.elements if tag == "a" and a.get("id") in ids]

    assert steps(replay(browser, game_id, "?at=2")) == ["?at=0", "?at=1", "?at=3", f"?at={last}"]
    beginning = replay(browser, game_id, "?at=0")
    assert "Before the first move" in beginning.text
    assert steps(beginning) == ["?at=0", "?at=0", "?at=1", f"?at={last}"]
    now = replay(browser, game_id)
    assert f"Move {last} of {last}" in now.text
    assert steps(now) == ["?at=0", f"?at={last - 1}", f"?at={last}", f"?at={last}"]
    assert now.form(f"/games/{game_id}/replay").values == {"at": str(last)}


@EVERY_GAME
def test_a_replay_shows_no_secrets_of_others(
    site: Site, anna: Caller, ben: Caller, game: GameType
) -> None:
    game_id = begun(site, anna, ben, game, answers=6)
    with site.app.app_context():
        row = db.session.get_one(Game, game_id)
        assert row.seed is not None
        seed = row.seed.hex()
    viewers = ((anna, anna), (ben, ben), (None, site.stranger))
    for person, caller in viewers:
        browser = browser_of(site, person)
        own = log_of(caller, game_id)
        hidden = {
            sentence
            for _, other in viewers
            for line in log_of(other, game_id)
            for sentence in line["sentences"]
        } - {sentence for line in own for sentence in line["sentences"]}
        for n in range(len(own) + 1):
            page = replay(browser, game_id, f"?at={n}")
            board = caller.get(f"/v1/games/{game_id}/board.svg?at={n}").text
            assert inline_board(page) == board
            assert [sentence for sentence in hidden if sentence in page.text] == []
            assert seed not in page.html
            assert facts(page)["seed"] is None


def test_a_pick_that_is_still_secret_is_not_in_the_replay_of_others(
    site: Site, anna: Caller, ben: Caller
) -> None:
    game_id = site.game_of(anna, ben)
    anna.plays(game_id)
    (line,) = log_of(anna, game_id)
    secret = line["sentences"][0]
    assert secret in replay(browser_of(site, anna), game_id).text
    for other in (ben, None):
        theirs = replay(browser_of(site, other), game_id)
        assert "Anna has chosen a card." in theirs.text
        assert secret not in theirs.text


@pytest.mark.parametrize("asked", ["4711", "-1", "x", "1.5", "", "9" * 40, "²"])
def test_a_missing_move_shows_the_last_one_with_a_notice(
    site: Site, anna: Caller, ben: Caller, asked: str
) -> None:
    game_id = begun(site, anna, ben, GAME_TYPES[0])
    last = len(log_of(anna, game_id))
    page = replay(browser_of(site, anna), game_id, f"?at={asked}")
    assert page.status == 404
    assert f"There is no move “{asked[:20]}”. The game has {last} moves" in page.text
    assert f"Move {last} of {last}" in page.text


def test_an_open_table_has_no_replay(site: Site, anna: Caller) -> None:
    game_id = anna.opens()["id"]
    page = replay(browser_of(site, anna), game_id, "?at=3")
    assert page.status == 200
    assert "Nothing was played yet" in page.text
    assert f"/games/{game_id}" in page.links()
    assert anna.post(f"/v1/games/{game_id}/cancel").status_code == 200
    assert "closed before the game began" in replay(browser_of(site, anna), game_id).text


@EVERY_GAME
def test_a_game_without_a_move_shows_how_it_begins(
    site: Site, anna: Caller, ben: Caller, game: GameType
) -> None:
    game_id = site.game_of(anna, ben, game=game.meta.key)
    page = replay(browser_of(site, anna), game_id)
    assert page.status == 200
    assert "Before the first move" in page.text
    assert inline_board(page) == anna.get(f"/v1/games/{game_id}/board.svg?at=0").text


@EVERY_GAME
def test_a_frozen_game_has_no_replay(site: Site, anna: Caller, ben: Caller, game: GameType) -> None:
    game_id = begun(site, anna, ben, game)
    with site.app.app_context():
        transact(
            lambda: db.session.execute(
                update(Game).where(Game.id == game_id).values(frozen_at=site.clock())
            )
        )
    page = replay(browser_of(site, anna), game_id, "?at=1")
    assert page.status == 200
    assert "The game is frozen" in page.text
    assert "<svg" not in page.html
    assert "Anna scores" not in page.text


def test_a_game_by_invitation_is_replayed_only_at_its_table(
    site: Site, anna: Caller, ben: Caller
) -> None:
    game_id = anna.opens(visibility="invitation", bots=1)["id"]
    assert replay(browser_of(site, anna), game_id).status == 200
    for other in (ben, None):
        page = replay(browser_of(site, other), game_id)
        assert page.status == 404
        assert "Anna" not in page.html.partition("<main")[2]


@EVERY_GAME
def test_the_result_has_places_causes_and_the_seed(
    site: Site, anna: Caller, ben: Caller, game: GameType
) -> None:
    game_id = site.game_of(anna, ben, game=game.meta.key)
    ended = site.play_to_the_end(game_id, anna, ben)
    figures: Json = anna.get(f"/v1/games/{game_id}/statistics").json  # type: ignore[assignment]
    lines = log_of(anna, game_id)
    for viewer in (anna, None):
        page = replay(browser_of(site, viewer), game_id)
        assert lines[-1]["sentences"][-1] in page.text  # who won, and why it ended
        assert f"{len(lines)} moves in" in page.text
        for name, score in zip(("Anna", "Ben"), ended["outcome"]["scores"], strict=True):
            own = " (you)" if viewer and name == viewer.name else ""
            won = " won" if ("Anna", "Ben").index(name) in ended["outcome"]["winners"] else ""
            assert f"{name}{own}{won} {score}" in page.text
        for cause, scores in figures["causes"].items():
            shown = " ".join(str(points or "·") for points in scores)
            assert f"{figures['cause_words'][cause]} {shown}" in page.text
        data = facts(page)
        assert sha256(bytes.fromhex(data["seed"])).hexdigest() == data["commitment"]
        assert data["finished"]


@EVERY_GAME
def test_start_scores_and_causes_add_up_to_the_final_scores(
    site: Site, anna: Caller, ben: Caller, game: GameType
) -> None:
    game_id = site.game_of(anna, ben, game=game.meta.key)
    ended = site.play_to_the_end(game_id, anna, ben)
    table = replay(browser_of(site, anna), game_id).html.partition('id="causes"')[2]
    rows = re.findall(r"<tr>(.*?)</tr>", table.partition("</table>")[0], flags=re.DOTALL)
    figures = [re.findall(r"<td>(-?\d+|·)</td>", row) for row in rows]
    *parts, together = [[int(x.replace("·", "0")) for x in row] for row in figures if row]
    assert together == ended["outcome"]["scores"]
    assert [sum(column) for column in zip(*parts, strict=True)] == together


@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: str(game.meta.key))
def test_plots_have_the_colours_of_the_game(
    site: Site, anna: Caller, ben: Caller, game: GameType
) -> None:
    page = replay(browser_of(site), begun(site, anna, ben, game))
    address = f"/rules/{game.meta.key}/inks.css"
    assert f'<link rel="stylesheet" href="{address}">' in page.html
    style = site.client.get(address)
    assert style.mimetype == "text/css"
    by_day, by_night = style.text.split("@media (prefers-color-scheme:dark)")
    for seat, ink in enumerate(game.meta.inks):
        assert f"--seat-{seat}:{ink.by_day};" in by_day
        assert f"--seat-{seat}:{ink.by_night};" in by_night


def test_the_page_shows_an_agreed_end(site: Site, anna: Caller, ben: Caller) -> None:
    game_id = begun(site, anna, ben, GAME_TYPES[0])
    for player in (anna, ben):
        assert player.put(f"/v1/games/{game_id}/end-offer").status_code == 200
    page = replay(browser_of(site, anna), game_id)
    assert "All agreed to end the game here." in page.text
    assert facts(page)["seed"] is not None


def test_the_page_is_in_the_language_of_its_viewer(site: Site, anna: Caller, ben: Caller) -> None:
    game_id = begun(site, anna, ben, GAME_TYPES[0])
    last = len(log_of(anna, game_id))
    etag = {"If-Match": anna.get("/v1/me").headers["ETag"]}
    assert anna.patch("/v1/me", {"language": "de"}, headers=etag).status_code == 200
    page = replay(browser_of(site, anna), game_id, "?at=1")
    assert f"Zug 1 von {last}" in page.text
    assert log_of(anna, game_id, "de")[0]["sentences"][0] in page.text
    assert (
        f"Jugada 1 de {last}"
        in Page(
            site.app.test_client().get(
                f"/games/{game_id}/replay?at=1", headers={"Accept-Language": "es"}
            )
        ).text
    )


def test_names_are_escaped_in_drawings_and_script_data(site: Site, ben: Caller) -> None:
    eve = site.person("<i>Eve</i></script>")
    game_id = begun(site, eve, ben, GAME_TYPES[0])
    page = replay(browser_of(site, eve), game_id)
    assert "<i>" not in page.html
    assert facts(page)["names"] == ["<i>Eve</i></script>", "Ben"]
