"""A third game type needs its package and an entry in the registry, and nothing else.

Nim is fuzzed, and played to its end through the API, by mail and on the pages.
"""

import random
from collections.abc import Iterator

import pytest

from engine.contract import GameType
from engine.fuzz import check_game
from engine.options import all_options
from engine.registry import GAME_TYPES, game_type_by_key
from engine.verify import split_lines, verify
from tests.engine import third_game
from tests.mail.correspondent import replies
from tests.support.browser import Browser
from tests.support.post import arrived, is_asked, mail_arrives, miss, pair
from tests.support.site import Caller, Site

NIM: GameType = third_game
KEY = NIM.meta.key
FUZZED = 20


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    GAME_TYPES.append(NIM)
    yield
    GAME_TYPES.remove(NIM)


@pytest.mark.parametrize("seats", NIM.meta.seats)
@pytest.mark.parametrize("options", all_options(NIM), ids=str)
def test_random_games_keep_the_contract(seats: int, options: dict[str, str]) -> None:
    for _ in range(FUZZED):
        check_game(NIM, seats, options, random.randbytes(32))


def test_the_registry_finds_it() -> None:
    assert game_type_by_key(KEY) is NIM


# API


def test_the_catalogue_and_the_list_of_tables_have_it(site: Site, anna: Caller) -> None:
    catalogue = site.stranger.get("/v1/catalogue").get_json()
    [entry] = [entry for entry in catalogue["games"] if entry["game"] == KEY]
    assert (entry["title"], entry["seats"]) == ("Nim", [2, 3])
    assert [topic["topic"] for topic in entry["guide"]] == ["heaps", "end"]
    table = anna.opens(game=KEY, seats=3, options={"heaps": "small"})
    listed = anna.get(f"/v1/tables?game={KEY}").get_json()["items"]
    assert [found["id"] for found in listed] == [table["id"]]


def test_a_game_is_played_by_requests_and_its_record_verifies(
    site: Site, anna: Caller, ben: Caller
) -> None:
    game_id = site.game_of(anna, ben, game=KEY)
    ended = site.play_by_requests(game_id, anna, ben)
    assert ended["status"] == "finished"
    assert sorted(ended["position"]["outcome"]["scores"]) == [0, 1]
    followed = verify(split_lines(anna.get(f"/v1/games/{game_id}/record").data))
    assert followed.outcome is not None
    assert list(followed.outcome.winners) == ended["position"]["outcome"]["winners"]
    assert "NIM" in anna.get(f"/v1/games/{game_id}/board.txt").text
    assert anna.get(f"/v1/games/{game_id}/board.png").data.startswith(b"\x89PNG")
    assert anna.get(f"/v1/games/{game_id}/statistics").status_code == 200


def test_a_refused_move_changes_nothing(site: Site, anna: Caller, ben: Caller) -> None:
    game_id = site.game_of(anna, ben, game=KEY)
    player = anna if is_asked(anna, game_id) else ben
    decision = player.sees(game_id)["decision"]["id"]
    for move, code in [("take 5 from A", "illegal_move"), ("jump", "unreadable_move")]:
        refused = player.post(f"/v1/games/{game_id}/moves", {"decision": decision, "text": move})
        assert (refused.status_code, refused.get_json()["code"]) == (422, code)
    assert is_asked(player, game_id)


def test_a_bot_and_a_preferences_list_play_it(site: Site, anna: Caller) -> None:
    game_id = site.game_of(anna, bots=1, game=KEY, clock={"kind": "flat", "hours": 24})
    left = anna.put(f"/v1/games/{game_id}/plan", {"wishes": ["most"]})
    assert left.get_json()["wishes"] == ["most"]
    site.let_bots_play()
    before = anna.sees(game_id)["position"]["heaps"]
    miss(site, game_id, anna)
    log = anna.get(f"/v1/games/{game_id}/log").get_json()["items"]
    [own] = [line for line in log if line["via"] == "plan"]
    assert own["move"]["count"] == max(before.values())


# Mail


def test_a_turn_letter_offers_moves_and_a_reply_plays_one(site: Site) -> None:
    anna, ben, game_id = pair(site, game=KEY)
    mail_arrives(site)
    player = anna if is_asked(anna, game_id) else ben
    [letter] = arrived(site, player, "turn")
    assert letter.text is not None
    assert "Take tokens from a heap." in letter.text
    assert "  1  Take 2 from A\n" in letter.text, "the winning move comes first"
    assert "C ooooo" in letter.text
    answer = replies(site, player, letter, "take 2 from B")
    assert "You play choice 5: Take 2 from B." in str(answer.text)
    assert player.sees(game_id)["position"]["heaps"] == {"A": 3, "B": 2, "C": 5}


def test_everybody_gets_the_result_by_mail(site: Site) -> None:
    anna, ben, game_id = pair(site, game=KEY)
    [winner] = site.play_to_the_end(game_id, anna, ben)["position"]["outcome"]["winners"]
    mail_arrives(site)
    for player in (anna, ben):
        [letter] = arrived(site, player, "finished")
        assert f"RESULT\n1. {(anna, ben)[winner].name}" in str(letter.text)


def test_a_reply_with_the_number_of_a_choice_plays_it(site: Site) -> None:
    anna, ben, game_id = pair(site, game=KEY)
    mail_arrives(site)
    player = anna if is_asked(anna, game_id) else ben
    [letter] = arrived(site, player, "turn")
    move = NIM.parse(letter.facts["choices"][1])
    replies(site, player, letter, "2")
    heaps = player.sees(game_id)["position"]["heaps"]
    assert heaps["ABC"[move.heap]] == {0: 3, 1: 4, 2: 5}[move.heap] - move.count


# Pages


def test_a_game_is_opened_and_played_on_the_pages(site: Site) -> None:
    browser = Browser(site)
    browser.signs_in("Anna")
    page = browser.send(browser.open("/"), "/games", seats="2", alone="1", game=KEY)
    address = str(page.response.request.path)
    site.let_bots_play()
    page = browser.open(address)
    assert "Nim" in page.text
    assert 'data-spot="heap:A"' in page.html
    form = page.form(f"{address}/moves")
    moves = [value for name, value, _ in form.buttons if name == "move"]
    assert moves
    turn = browser.caller.sees(address.removeprefix("/games/"))["position"]["turn"]
    page = browser.send(page, f"{address}/moves", move=moves[0])
    assert page.status == 200
    assert browser.caller.sees(address.removeprefix("/games/"))["position"]["turn"] > turn


def test_its_rules_and_its_picture_have_pages(site: Site) -> None:
    browser = Browser(site)
    rules = browser.open(f"/rules/{KEY}")
    assert (rules.status, "Take the last token" in rules.text) == (200, True)
    assert browser.client.get(f"/rules/{KEY}/inks.css").status_code == 200
