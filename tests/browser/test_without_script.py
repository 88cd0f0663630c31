"""Everything works by forms alone, in a browser that runs no script."""

import pytest
from playwright.sync_api import expect

from engine.contract import GameType
from engine.registry import GAME_TYPES
from tests.browser.conftest import Visit


@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)
@pytest.mark.long
def test_from_signing_up_to_the_end_of_a_game(visit: Visit, game: GameType) -> None:
    anna = visit("Anna", java_script_enabled=False)
    page = anna.opens("/")
    anna.signs_up()
    game_id = anna.plays_against_bots(game.meta.key)
    while anna.is_asked_again(game_id):
        page.reload()
        asked = anna.caller.sees(game_id)["decision"]["id"]
        page.locator("#decision button[name=move]").first.click()
        expect(
            page.locator(f"form:not([action$='/undo']) input[name=decision][value='{asked}']")
        ).to_have_count(0)
    page.reload()
    anna.sees_who_won()
