"""Ending, pausing and playing again, as the other player sees it without reloading."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.deciding import by_panel, decide, is_asked
from tests.browser.person import Person


def both_at_a_table(visit: Visit) -> tuple[Person, Person, str]:
    anna, ben = visit("Anna").is_known(), visit("Ben").is_known()
    game_id = anna.running_site.inside.game_of(anna.caller, ben.caller)
    for person in (anna, ben):
        person.opens(f"/games/{game_id}")
    return anna, ben, game_id


def test_a_game_against_bots_is_ended_after_a_question(visit: Visit) -> None:
    anna = visit("Anna").is_known()
    game_id = anna.running_site.inside.game_of(anna.caller, bots=1)
    page = anna.opens(f"/games/{game_id}")
    link = page.get_by_role("link", name="End game")
    link.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("nobody wins")).to_be_visible()
    assert anna.is_running(game_id)
    page.get_by_role("button", name="End game").click()
    expect(page.get_by_role("heading", name="The game was abandoned")).to_be_visible()
    expect(page.locator("#board")).not_to_contain_text("Your turn")
    expect(page.locator("#players")).not_to_contain_text("offers to end")


def test_the_winner_by_resignation_sees_it_at_once_and_may_play_on(visit: Visit) -> None:
    anna, ben, _ = both_at_a_table(visit)
    ben.page.get_by_role("link", name="Resign").click()
    expect(ben.page.get_by_text("The game ends, and Anna has won.")).to_be_visible()
    ben.page.get_by_role("button", name="Resign").click()
    expect(ben.page.get_by_text("You resigned.")).to_be_visible()
    page = anna.page
    expect(page.get_by_role("heading", name="You won")).to_be_visible()
    expect(page.get_by_text("Ben resigned.")).to_be_visible()
    page.get_by_role("button", name="Play on against a bot").click()
    is_asked(page)


def test_a_pause_request_can_be_accepted_on_the_page(visit: Visit) -> None:
    anna, ben, game_id = both_at_a_table(visit)
    assert ben.caller.post(f"/v1/games/{game_id}/pause").status_code == 200
    wanted = anna.page.locator("#pause-wanted")
    expect(wanted).to_contain_text("Ben would like a pause.")
    wanted.get_by_role("button", name="Agree").click()
    for person in (anna, ben):
        expect(person.page.get_by_text("The game is paused.")).to_be_visible()


def test_a_rematch_is_seen_at_once_and_joined_only_by_taking_the_seat(visit: Visit) -> None:
    anna, ben, game_id = both_at_a_table(visit)
    for person in (anna, ben):
        assert person.caller.put(f"/v1/games/{game_id}/end-offer").status_code == 200
    expect(ben.page.get_by_role("button", name="Play again")).to_be_visible()
    home = ben.context.new_page()
    home.goto("/")
    anna.page.get_by_role("button", name="Play again").click()
    expect(anna.page.get_by_text("were asked to join")).to_be_visible()
    expect(home.get_by_text("Anna invites you.")).to_be_visible()
    ben.page.get_by_role("link", name="Go to the rematch").click()
    expect(ben.page.get_by_text("You join only when you take a seat.")).to_be_visible()
    again = ben.page.url.rpartition("/")[2]
    assert anna.caller.sees(again)["status"] == "open"
    ben.page.get_by_role("button", name="Take a seat").click()
    for person in (anna, ben):
        is_asked(person.page)


def test_a_choice_that_may_be_changed_is_named(visit: Visit) -> None:
    anna, _, game_id = both_at_a_table(visit)
    decide(anna.page, by_panel)
    expect(anna.page.get_by_role("heading", name="Your choice is made")).to_be_visible()
    chosen = anna.caller.sees(game_id)["decision"]["chosen"]
    expect(anna.page.locator("#decision .chosen")).to_have_text(chosen)
    expect(anna.page.locator("#standing")).to_have_text("waiting for 1 player")
