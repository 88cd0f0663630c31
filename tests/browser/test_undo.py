"""A step of a turn is taken back in the browser, and others see that."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.deciding import by_panel, decide, is_asked
from tests.support import steps


def test_a_step_is_taken_back_and_the_other_player_sees_it(visit: Visit) -> None:
    people = [visit(name).is_known() for name in ("Anna", "Ben")]
    site = people[0].running_site.inside
    game_id = site.game_of(*(person.caller for person in people), game=steps.KEY)
    mover = people[steps.beginning(site, game_id).mover]
    [other] = [person for person in people if person is not mover]
    for person in people:
        person.opens(f"/games/{game_id}")
    page, shown = mover.page, other.page.locator("#log-lines li")
    is_asked(page)
    choices = page.locator("#decision .option").all_text_contents()
    before = mover.caller.sees(game_id)

    decide(page, by_panel)
    text = mover.caller.sees(game_id)["undoable"]["texts"][0]
    expect(shown).to_have_count(1)
    expect(other.page.locator("#log-lines li.undone")).to_have_count(0)

    page.get_by_role("button", name=f"Take back: {text}").click()
    expect(page.get_by_role("button", name="Take back")).to_have_count(0)
    is_asked(page)
    expect(page.locator("#decision .option")).to_have_text(choices)
    after = mover.caller.sees(game_id)
    assert (after["position"], after["decision"]) == (before["position"], before["decision"])
    for person in people:
        lines = person.page.locator("#log-lines li")
        expect(lines).to_have_count(1)
        expect(lines).to_contain_text(f"Taken back: {mover.name} ")
