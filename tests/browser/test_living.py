"""What others do appears by itself: in another browser, in another tab, after a restart."""

import json
import re
from collections.abc import Sequence
from functools import partial

import pytest
from playwright.sync_api import APIResponse, Page, Request, Route, expect

from engine.contract import GameType
from engine.registry import GAME_TYPES
from tests.browser.conftest import Visit
from tests.browser.deciding import by_board, by_panel, choose, decide, is_asked
from tests.browser.person import Person
from tests.servers.tree import until

A_FEW = 3

every_game = pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)


def both_at_a_table(visit: Visit) -> tuple[Person, Person, str]:
    anna, ben = visit("Anna").is_known(), visit("Ben").is_known()
    game_id = anna.running_site.inside.game_of(anna.caller, ben.caller)
    for person in (anna, ben):
        person.opens(f"/games/{game_id}")
    return anna, ben, game_id


def plays_by_program(person: Person, game_id: str) -> None:
    assert person.caller.plays(game_id).status_code == 200


def shows_move(page: Page, number: int) -> None:
    expect(page.locator("#log-lines").get_by_text(str(number), exact=True)).to_be_visible()


@every_game
@pytest.mark.long
def test_two_people_sign_up_play_and_talk_in_two_browsers(visit: Visit, game: GameType) -> None:
    """From an invitation that is passed on to the end of the game, against two bots. One chooses on
    the board, the other beside it."""
    anna, ben = visit("Anna"), visit("Ben")
    anna.opens("/")
    anna.signs_up()
    game_id = anna.opens_a_table(game.meta.key, seats=4, bots=2)
    ben.accepts(anna.makes_a_link())
    for _ in range(A_FEW):
        one_of_them_decides(anna, ben, game_id)
        for person in (anna, ben):
            shows_move(person.page, anna.caller.sees(game_id)["moves"])
    anna.page.get_by_label("Say something").fill("Well played!")
    anna.page.get_by_role("button", name="Say it").click()
    expect(ben.page.locator("#talk").get_by_text("Well played!")).to_be_visible()
    while one_of_them_decides(anna, ben, game_id):
        pass
    for person in (anna, ben):
        person.sees_who_won()
    shows_the_whole_log(anna.page, int(anna.caller.sees(game_id)["moves"]))
    anna.page.get_by_role("link", name="See how it went").click()
    expect(anna.page.get_by_role("slider", name="Move", exact=True)).to_be_visible()


def one_of_them_decides(anna: Person, ben: Person, game_id: str) -> bool:
    """Once the bots have; False when the game is over."""

    def asked() -> list[Person]:
        return [person for person in (anna, ben) if person.is_asked(game_id)]

    until(lambda: bool(asked()) or not anna.is_running(game_id), "the next decision, or the end")
    for person in asked()[:1]:
        decide(person.page, by_board if person is anna else by_panel)
        return True
    return False


def shows_the_whole_log(page: Page, moves: int) -> None:
    """It comes in several parts, here in smaller ones than usual."""
    few = re.compile(r"limit=\d+")
    page.route(
        "**/log?*", lambda route: route.continue_(url=few.sub("limit=30", route.request.url))
    )
    page.get_by_role("link", name="The whole log").click()
    expect(page.locator("#log-lines .n")).to_have_text([str(n) for n in range(moves, 0, -1)])


def test_the_title_says_whose_turn_it_is_and_home_follows(visit: Visit) -> None:
    anna, ben = visit("Anna").is_known(), visit("Ben").is_known()
    page = anna.opens("/")
    title = "An evening in Murano"
    game_id = anna.running_site.inside.game_of(ben.caller, anna.caller, title=title)
    expect(page.get_by_role("link", name=f"Decide in {title}")).to_be_visible()
    expect(page).to_have_title("(1) Your games · Laguna")
    ben.context.close()
    assert game_id in str(page.get_by_role("link", name=f"Decide in {title}").get_attribute("href"))


def test_two_tabs_show_the_same(visit: Visit) -> None:
    anna, ben, game_id = both_at_a_table(visit)
    other = anna.context.new_page()
    other.goto(f"/games/{game_id}")
    is_asked(other)
    question = other.locator("#decision-title").text_content()
    decide(anna.page, by_panel)
    expect(other.locator("#decision-title")).not_to_have_text(str(question))
    plays_by_program(ben, game_id)
    for page in (anna.page, other):
        shows_move(page, anna.caller.sees(game_id)["moves"])


def test_a_pick_can_be_changed_until_the_other_has_chosen(visit: Visit) -> None:
    anna, ben, game_id = both_at_a_table(visit)
    page = anna.page
    decide(page, by_panel)
    expect(page.get_by_role("heading", name="Your choice is made")).to_be_visible()
    page.get_by_role("button", name="Change your pick").click()
    page.locator("#decision .option").last.click()
    with page.expect_request("**/moves") as sent:
        page.get_by_role("button", name="Change it").click()
    expect(page.get_by_role("button", name="Change your pick")).to_be_visible()
    plays_by_program(ben, game_id)
    log = anna.caller.get(f"/v1/games/{game_id}/log").get_json()["items"]
    changed = json.loads(str(sent.value.post_data))["move"]
    assert changed in [line["move"] for line in log if line["seat"] == 0]
    is_asked(ben.page)


def test_a_preferences_list_is_stored_for_a_time_out(visit: Visit) -> None:
    anna, _, game_id = both_at_a_table(visit)
    page = anna.page
    offered = anna.caller.sees(game_id)["decision"]["moves"]
    wishes = [move["text"].split()[-1] for move in offered[:2]]
    page.get_by_label("Your wishes").fill(" else ".join(wishes))
    page.get_by_role("button", name="Leave this list").click()
    expect(page.get_by_text("Kept.")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Your wishes")).to_have_value("\n".join(wishes))
    anna.watch.forgive("status of 422")
    page.get_by_label("Your wishes").fill("the moon")
    page.get_by_role("button", name="Leave this list").click()
    expect(page.get_by_text("Not kept:")).to_be_visible()


def test_a_pick_carries_what_comes_after_it(visit: Visit) -> None:
    anna, _, _ = both_at_a_table(visit)
    plans = anna.page.get_by_label("Choose now, with what comes after it")
    words = str(plans.locator("option").last.text_content())
    assert words.startswith("Keep ")
    plans.select_option(label=words)
    anna.page.get_by_role("button", name="Look at it").click()
    expect(anna.page.get_by_role("group", name="Your move").get_by_text(words)).to_be_visible()
    anna.page.get_by_role("button", name="Play it").click()
    expect(anna.page.get_by_role("heading", name="Your choice is made")).to_be_visible()


def test_an_answer_from_a_stale_tab_is_refused_gently(visit: Visit) -> None:
    """The tab is so slow that it knows nothing of what its owner did elsewhere."""
    anna, ben, game_id = both_at_a_table(visit)
    choose(anna.page, by_panel)
    late: list[Route] = []
    anna.page.route(f"**/v1/games/{game_id}?*", lambda route: late.append(route))
    for person in (anna, ben):
        plays_by_program(person, game_id)
    before = anna.caller.sees(game_id)["moves"]
    anna.watch.forgive("status of 409")
    with anna.page.expect_response("**/moves") as refused:
        anna.page.locator("#decision .play").click()
    assert refused.value.status == 409
    for route in late:
        route.continue_()
    anna.page.unroute(f"**/v1/games/{game_id}?*")
    expect(anna.page.get_by_role("alert").get_by_text("This decision is over.")).to_be_visible()
    assert anna.caller.sees(game_id)["moves"] == before


def test_a_response_from_before_a_move_is_discarded(visit: Visit) -> None:
    """The page requests the game because of a chat message; its own move is quicker."""
    anna, ben, game_id = both_at_a_table(visit)
    choose(anna.page, by_panel)
    slow: list[tuple[Route, APIResponse]] = []
    anna.page.route(f"**/v1/games/{game_id}?*", lambda route: slow.append((route, route.fetch())))
    ben.caller.post(f"/v1/games/{game_id}/messages", {"text": "Take your time"})
    until(lambda: arrived(anna.page, slow, 1), "the page to ask")
    with anna.page.expect_response("**/moves"):
        anna.page.locator("#decision .play").click()
    for number in (1, 2):
        until(partial(arrived, anna.page, slow, number), "the page to ask once more")
        route, response = slow[number - 1]
        expect(anna.page.locator("#decision .option")).to_have_count(0)
        route.fulfill(response=response)
    expect(anna.page.get_by_role("heading", name="Your choice is made")).to_be_visible()
    anna.page.unroute_all(behavior="ignoreErrors")  # a request that came later is left unanswered


def test_a_question_is_answered_once_until_the_next_is_shown(visit: Visit) -> None:
    """The page is slow to show the result of a move, and somebody clicks again."""
    anna, _, game_id = both_at_a_table(visit)
    choose(anna.page, by_panel)
    slow: list[Route] = []
    anna.page.route(f"**/v1/games/{game_id}?*", lambda route: slow.append(route))
    requests: list[Request] = []
    anna.page.on("request", lambda request: requests.append(request))
    with anna.page.expect_response("**/moves"):
        anna.page.locator("#decision .play").click()
    until(lambda: arrived(anna.page, slow, 1), "the page to ask for the result")
    anna.page.locator("#decision .play").dispatch_event("click")
    expect(anna.page.locator("#decision .play.busy")).to_be_visible()
    for route in slow:
        route.continue_()
    anna.page.unroute_all(behavior="ignoreErrors")
    expect(anna.page.get_by_role("heading", name="Your choice is made")).to_be_visible()
    assert [request.method for request in requests].count("POST") == 1


def arrived(page: Page, held: Sequence[object], count: int) -> bool:
    page.wait_for_timeout(20)  # in which routes are handled
    return len(held) >= count


def test_after_a_restart_of_the_server_the_page_goes_on_by_itself(visit: Visit) -> None:
    anna, ben, game_id = both_at_a_table(visit)
    is_asked(anna.page)
    for person in (anna, ben):
        person.watch.forgive(r"net::ERR_|error occurred when fetching the script")
    anna.running_site.restart()
    for person in (anna, ben):
        if person.is_asked(game_id):
            plays_by_program(person, game_id)
    for person in (anna, ben):
        shows_move(person.page, anna.caller.sees(game_id)["moves"])
    decide((anna if anna.is_asked(game_id) else ben).page, by_panel)


def test_a_failed_request_is_reported_and_can_be_retried(visit: Visit) -> None:
    anna, _, game_id = both_at_a_table(visit)
    choose(anna.page, by_panel)
    anna.watch.forgive("net::ERR_INTERNET_DISCONNECTED")
    anna.context.set_offline(True)
    anna.page.locator("#decision .play").click()
    expect(anna.page.get_by_role("alert").get_by_text("No connection")).to_be_visible()
    anna.context.set_offline(False)
    decide(anna.page, by_panel)
    expect(anna.page.get_by_text("No connection")).to_have_count(0)
    assert not anna.is_asked(game_id)


def test_a_rate_limited_page_retries_later(visit: Visit) -> None:
    anna, ben, game_id = both_at_a_table(visit)
    is_asked(anna.page)
    anna.watch.forgive("status of 429")
    busy = {"status": 429, "headers": {"Retry-After": "1"}, "json": {"code": "too_many_requests"}}
    anna.page.route(f"**/v1/games/{game_id}?*", lambda route: route.fulfill(**busy), times=1)
    with anna.page.expect_response(lambda response: response.status == 429):
        for person in (ben, anna):
            plays_by_program(person, game_id)
    shows_move(anna.page, anna.caller.sees(game_id)["moves"])


def test_an_ended_session_is_explained(visit: Visit) -> None:
    anna, _, _ = both_at_a_table(visit)
    choose(anna.page, by_panel)
    anna.watch.forgive("status of 401")
    anna.context.clear_cookies()
    anna.page.locator("#decision .play").click()
    alert = anna.page.locator("#decision").get_by_role("alert")
    expect(alert).to_have_text("You are no longer signed in on this page.")
    expect(anna.page.locator(".live").get_by_role("link", name="Sign in")).to_be_visible()
