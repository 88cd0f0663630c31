"""Games are played in the browser, by pointer, by finger, by keys and by ear."""

from typing import Any

import pytest
from playwright.sync_api import expect

from engine.contract import GameType
from engine.registry import GAME_TYPES
from tests.browser.conftest import PHONE, Visit
from tests.browser.deciding import by_board, by_keys, by_panel, choose, decide, is_asked
from tests.browser.person import Person

A_FEW = 3

# The figures at the places of the board that are not written in the ink of their frame.
PALE = """() => [...document.querySelectorAll("#board .badge")].filter((badge) => {
  const [frame, figure] = [...badge.children].map((part) => getComputedStyle(part));
  return frame.stroke !== figure.fill;
}).length"""

every_game = pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)


def seated(visit: Visit, game: GameType, **options: Any) -> tuple[Person, str]:
    """Anna at the page of a game in which she is asked."""
    anna = visit("Anna", **options).is_known()
    game_id = anna.running_site.inside.game_of(anna.caller, bots=1, game=game.meta.key)
    anna.opens(f"/games/{game_id}")
    return anna, game_id


@every_game
def test_a_newcomer_plays_against_bots_at_once(visit: Visit, game: GameType) -> None:
    anna = visit("Anna")
    anna.opens("/")
    anna.signs_up()
    game_id = anna.plays_against_bots(game.meta.key)
    for way in (by_board, by_panel):
        decide(anna.page, way)
        assert anna.is_asked_again(game_id)


@every_game
def test_on_a_phone_in_the_dark(visit: Visit, game: GameType) -> None:
    moving = {"color_scheme": "dark", "reduced_motion": "no-preference"}
    anna, _ = seated(visit, game, **moving, **PHONE)
    for way in (by_board, by_panel, by_board):
        decide(anna.page, way)
        assert not anna.page.evaluate(PALE), "what a place brings cannot be read"
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not anna.page.evaluate(wide), "the page is wider than the phone"
    ground = anna.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(int(part) for part in ground[4:-1].split(",")) < 100, f"{ground} is not dark"


@every_game
def test_by_keyboard_alone(visit: Visit, game: GameType) -> None:
    anna, _ = seated(visit, game)
    for _ in range(A_FEW):
        decide(anna.page, by_keys)


@every_game
def test_what_is_chosen_can_be_taken_back_until_it_is_sent(visit: Visit, game: GameType) -> None:
    anna, game_id = seated(visit, game)
    before = anna.caller.sees(game_id)["decision"]["id"]
    is_asked(anna.page)
    choices = anna.page.locator("#decision .option").all_text_contents()
    choose(anna.page, by_panel)
    while anna.page.locator("#decision .back").is_visible():
        anna.page.keyboard.press("Escape")
    assert anna.page.locator("#decision .option").all_text_contents() == choices
    assert anna.caller.sees(game_id)["decision"]["id"] == before


@every_game
def test_playing_by_roles_and_names_only(visit: Visit, game: GameType) -> None:
    """Nothing but roles and names: the question is a heading, each choice a button that is told
    from the others by its name, and what the others do is announced."""
    anna, game_id = seated(visit, game)
    page = anna.page
    bot = str(anna.caller.sees(game_id)["seats"][1]["name"])
    for _ in range(A_FEW):
        is_asked(page)
        question = anna.caller.sees(game_id)["decision"]["question"]
        panel = page.get_by_role("region", name=question)
        expect(panel.get_by_role("heading", name=question)).to_be_visible()
        play = panel.get_by_role("group", name="Your move").get_by_role("button", name="Play it")
        while not play.is_visible():
            choices = panel.get_by_role("listitem").get_by_role("button")
            names = choices.all_text_contents()
            assert len(set(names)) == len(names), "two choices sound the same"
            choices.first.click()
        play.click()
        expect(play).to_have_count(0)  # the next question may be the same
    expect(page.get_by_role("status").filter(has_text=bot).first).to_be_attached()
