"""Everything works by forms alone, in a browser that runs no script."""

import pytest
from playwright.sync_api import expect

from engine.contract import AnyGame
from engine.registry import GAMES
from tests.browser.conftest import Visit

IN_THE_BROWSER = 3  # decisions; the rest of a game is no different


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.meta.key)
def test_from_signing_up_to_the_end_of_a_game(visit: Visit, game: AnyGame) -> None:
    anna = visit("Anna", java_script_enabled=False)
    page = anna.opens("/")
    anna.signs_up()
    game_id = anna.plays_against_bots(game.meta.key)
    for _ in range(IN_THE_BROWSER):
        anna.town.let_bots_play()
        page.goto(f"/games/{game_id}")
        before = anna.caller.sees(game_id)["decision"]["id"]
        page.locator("#decision button[name=move]").first.click()
        expect(page.locator(f"input[name=decision][value='{before}']")).to_have_count(0)
    anna.town.play_to_the_end(game_id, anna.caller)
    page.goto(f"/games/{game_id}")
    expect(page.get_by_role("heading", name="won")).to_be_visible()
