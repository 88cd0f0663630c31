"""Playing by forms alone: from the open table to the rematch."""

from datetime import timedelta

import pytest

from engine.contract import GameType
from engine.decisions import seat_view
from engine.registry import GAME_TYPES
from service.core import formatting
from service.core.time_control import zone_named
from service.db.models import Game
from service.db.session import db
from tests.support import steps
from tests.support.browser import Browser, Page
from tests.support.post import work
from tests.support.site import NOON, Site


@pytest.fixture
def anna(site: Site) -> Browser:
    browser = Browser(site)
    browser.signs_in("Anna")
    return browser


@pytest.fixture
def ben(site: Site) -> Browser:
    browser = Browser(site)
    browser.signs_in("Ben")
    return browser


def begun(browser: Browser, **said: str) -> str:
    """The address of a game against bots."""
    page = browser.send(browser.open("/"), "/games", seats="2", alone="1", **said)
    return str(page.response.request.path)


def offered(page: Page, address: str) -> list[str]:
    form = page.form(f"{address}/moves")
    return [value for name, value, _ in form.buttons if name == "move"]


def asked(page: Page) -> bool:
    return any(form.action.endswith("/moves") for form in page.forms) and "your turn" in page.text


def together(anna: Browser, ben: Browser, **said: str) -> str:
    """The address of a game of two people."""
    page = anna.send(anna.open("/"), "/games", seats="2", **said)
    address = str(page.response.request.path)
    ben.send(ben.open("/"), f"{address}/join")
    return address


@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)
def test_a_finished_game_can_be_checked_and_played_again(
    site: Site, anna: Browser, game: GameType
) -> None:
    address = begun(anna, game=game.meta.key)
    moves = site.play_to_the_end(address.removeprefix("/games/"), anna.caller)["moves"]
    page = anna.open(address)
    assert " won " in page.text
    assert "laguna verify" in page.text
    assert "/replay#shuffle" in page.html
    record = anna.client.get(f"{address}/record.jsonl").text.splitlines()
    assert len(record) > moves
    page = anna.send(page, f"{address}/rematch")
    again = page.response.request.path
    assert again != address
    site.let_bots_play()  # one of them may have begun
    assert asked(anna.open(again))
    assert "Finished games" in anna.open("/").text


def test_an_open_decision_is_on_the_home_page_with_its_deadline(site: Site, anna: Browser) -> None:
    begun(anna, title="Slow and steady", clock="day")
    site.clock.advance(hours=3)
    page = anna.open("/")
    assert "Slow and steady 21 h left" in page.text
    assert "until Tue 3 Mar, 12:00 UTC" in page.text
    anna.send(anna.open("/account"), "/account", name="Anna", time_zone="Asia/Tokyo")
    assert "until Tue 3 Mar, 21:00 JST" in anna.open("/").text


@pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)
def test_choices_are_ranked_and_show_their_points(
    site: Site, anna: Browser, game: GameType
) -> None:
    address = begun(anna, game=game.meta.key)
    site.let_bots_play()
    page = anna.open(address)
    buttons = [button for button in page.form(f"{address}/moves").buttons if button[0] == "move"]
    with site.app.app_context():
        row = db.session.get_one(Game, address.removeprefix("/games/"))
        view = seat_view(game, game.load(str(row.state)), 0)
    moves = [view["decision"]["moves"][number] for number in game.ranked(view)]
    assert [value for _, value, _ in buttons] == [move["text"] for move in moves]
    for (_, _, words), move in zip(buttons, moves, strict=True):
        gain = sum(item["points"] for item in move["points"] if item["seat"] == 0)
        assert words.endswith(f"+{gain}" if gain > 0 else str(gain or "·"))


def test_a_form_of_a_closed_decision_shows_the_current_game(site: Site, anna: Browser) -> None:
    address = begun(anna)
    old = anna.open(address)
    move = offered(old, address)[0]
    anna.send(old, f"{address}/moves", move=move)
    site.let_bots_play()
    stale = anna.send(old, f"{address}/moves", move=move)
    assert stale.status == 409
    assert "Decision closed" in stale.text
    assert asked(stale)
    now = stale.form(f"{address}/moves").values["decision"]
    assert now != old.form(f"{address}/moves").values["decision"]
    assert anna.send(stale, f"{address}/moves", move=offered(stale, address)[0]).status == 200


@pytest.mark.parametrize("move", ["nonsense", "", "x" * 500])
def test_an_unreadable_move_is_refused_beside_the_choices(
    site: Site, anna: Browser, move: str
) -> None:
    address = begun(anna)
    page = anna.send(anna.open(address), f"{address}/moves", move=move)
    assert page.status == 422
    assert asked(page)


def test_a_pick_can_be_changed_until_the_last_one_is_in(
    site: Site, anna: Browser, ben: Browser
) -> None:
    address = together(anna, ben)
    bens = offered(ben.open(address), address)  # who may hold cards of the same name
    page = anna.open(address)
    first = next(move for move in offered(page, address) if move not in bens)
    second = next(move for move in offered(page, address) if move != first)
    page = anna.send(page, f"{address}/moves", move=first)
    assert "Your choice is made" in page.text
    assert "Change your pick" in page.text
    page = anna.send(page, f"{address}/moves", move=second)
    assert page.status == 200
    theirs = ben.open(address)
    assert first not in theirs.html
    assert "Change your pick" not in theirs.text


def test_the_page_refreshes_only_while_bots_choose(site: Site, anna: Browser, ben: Browser) -> None:
    def refreshes(page: Page) -> bool:
        return any(found.get("http-equiv") == "refresh" for _, found in page.elements)

    address = begun(anna)
    page = anna.open(address)
    assert not refreshes(page)
    page = anna.send(page, f"{address}/moves", move=offered(page, address)[0])
    assert refreshes(page)
    shared = together(anna, ben)
    page = anna.open(shared)
    page = anna.send(page, f"{shared}/moves", move=offered(page, shared)[0])
    assert not refreshes(page)


def test_spectators_see_neither_secrets_nor_chat(site: Site, anna: Browser) -> None:
    address = begun(anna)
    page = anna.open(address)
    anna.send(page, f"{address}/messages", text="psst, hello")
    stranger = Browser(site)
    watched = stranger.open(address)
    assert watched.status == 200
    assert "you are watching" in watched.text
    assert "psst" not in watched.text
    assert not any(form.action.startswith(address) for form in watched.forms)
    own = anna.client.get(f"{address}/board.svg")
    theirs = stranger.client.get(f"{address}/board.svg")
    assert own.mimetype == theirs.mimetype == "image/svg+xml"
    assert own.data != theirs.data
    assert own.headers["ETag"] != theirs.headers["ETag"]
    again = anna.client.get(f"{address}/board.svg", headers={"If-None-Match": own.headers["ETag"]})
    assert again.status_code == 304


def test_a_game_by_invitation_does_not_exist_for_others(
    site: Site, anna: Browser, ben: Browser
) -> None:
    address = begun(anna, visibility="invitation")
    for other in (ben, Browser(site)):
        for path in (address, f"{address}/board.svg", f"{address}/record.jsonl"):
            assert other.client.get(path).status_code == 404
    values = ben.open("/").form("/games").values
    for action in ("moves", "join", "messages", "note", "resign", "rematch", "start", "cancel"):
        assert ben.client.post(f"{address}/{action}", data=values).status_code == 404, action


def test_resigning_needs_a_confirmation(site: Site, anna: Browser, ben: Browser) -> None:
    address = together(anna, ben)
    assert f"{address}/resign" in anna.open(address).links()
    page = anna.open(f"{address}/resign")
    assert "The game ends, and Ben has won." in page.text
    assert asked(anna.open(address))
    page = anna.send(page, f"{address}/resign")
    assert "Ben won" in page.text
    assert "You resigned." in page.text
    assert not asked(page)
    assert anna.open(f"{address}/resign").response.request.path == address


def test_chat_and_notes(site: Site, anna: Browser, ben: Browser) -> None:
    address = together(anna, ben)
    anna.send(anna.open(address), f"{address}/messages", text="Buona fortuna!\r\nA domani.")
    anna.send(anna.open(address), f"{address}/note", text="Ben likes ships")
    assert "Buona fortuna! A domani." in ben.open(address).text
    assert "Ben likes ships" not in ben.open(address).html
    assert anna.open(address).form(f"{address}/note").values["text"] == "Ben likes ships"
    empty = ben.send(ben.open(address), f"{address}/messages", text="  ")
    assert empty.status == 422


def test_all_can_agree_to_end(site: Site, anna: Browser, ben: Browser) -> None:
    address = together(anna, ben)
    question = anna.open(f"{address}/end-offer")
    assert "The others are asked." in question.text
    page = anna.send(question, f"{address}/end-offer", offer="end")
    assert "offers to end" in ben.open(address).text
    page = anna.send(page, f"{address}/end-offer", offer="withdraw")
    assert "offers to end" not in page.text
    anna.send(anna.open(f"{address}/end-offer"), f"{address}/end-offer", offer="end")
    page = ben.open(address)
    assert "Anna offers to end the game as it stands." in page.text
    assert f"{address}/end-offer" in page.links()
    question = ben.open(f"{address}/end-offer")
    assert "the game ends at once as it stands" in question.text
    page = ben.send(question, f"{address}/end-offer", offer="end")
    assert "All agreed to end it here." in page.text
    assert "offers to end" not in page.text


def test_a_table_is_joined_left_started_and_cancelled(
    site: Site, anna: Browser, ben: Browser
) -> None:
    page = anna.send(anna.open("/"), "/games", seats="3", title="Ours")
    address = str(page.response.request.path)
    assert "waits for 2 more" in page.text
    ben.send(ben.open(address), f"{address}/join")
    assert "Ben" in anna.open(address).text
    ben.send(ben.open(address), f"{address}/leave")
    assert "waits for 2 more" in anna.open(address).text
    page = anna.send(anna.open(address), f"{address}/start")
    assert "your turn" in page.text
    page = anna.send(anna.open("/"), "/games", seats="3")
    address = str(page.response.request.path)
    page = anna.send(page, f"{address}/cancel")
    assert "cancelled" in page.text


def test_joining_anonymously_leads_through_the_sign_in(site: Site, anna: Browser) -> None:
    page = anna.send(anna.open("/"), "/games", seats="3")
    address = str(page.response.request.path)
    stranger = Browser(site)
    page = stranger.send(stranger.open(address), f"{address}/join")
    assert page.form("/sign-in").values["next"] == address


def test_an_invitation_link_leads_a_new_person_to_a_seat(any_site: Site) -> None:
    site, anna = any_site, Browser(any_site)
    anna.signs_in("Anna")
    page = anna.send(anna.open("/"), "/games", seats="2", visibility="invitation", title="Ours")
    address = str(page.response.request.path)
    values = {"csrf": page.form(f"{address}/cancel").values["csrf"]}
    page = Page(anna.client.post(f"{address}/invitations", data=values, follow_redirects=True))
    link = next(word for word in page.text.split() if "/invitations/inv_" in word)
    path = link.removeprefix(site.settings.public_url)
    guest = Browser(site)
    page = guest.open(path)
    assert "Anna invites you to Ours" in page.text
    (sign_in,) = [found for found in page.links() if found.startswith("/sign-in?")]
    page = guest.send(guest.open(sign_in), "/sign-in", email="gast@example.org")
    page = guest.send(page, "/sign-in/code", code=guest.code_for("gast@example.org"))
    page = guest.send(page, "/account", name="Gast")
    assert page.response.request.path == path
    page = guest.send(page, path)
    assert page.response.request.path == address
    assert "your turn" in page.text
    assert Browser(site).open(path).status == 422
    assert guest.open(path).response.request.path == address


def test_an_invitation_by_mail_is_on_the_home_page_of_the_invitee(
    site: Site, anna: Browser, ben: Browser
) -> None:
    page = anna.send(
        anna.open("/"),
        "/games",
        seats="2",
        visibility="invitation",
        title="Ours",
        invite="ben@example.org, carla@example.org",
    )
    address = str(page.response.request.path)
    assert "carla@example.org no answer yet" in page.text
    assert len(site.letters("carla@example.org")) == 1
    page = ben.open("/")
    assert "Anna invites you" in page.text
    page = ben.send(page, f"{address}/join")
    assert page.status == 200
    assert "your" in page.text


def test_an_invitation_can_be_withdrawn(site: Site, anna: Browser) -> None:
    page = anna.send(anna.open("/"), "/games", seats="3", visibility="invitation")
    address = str(page.response.request.path)
    page = anna.send(page, f"{address}/invitations", email="ben@example.org")
    work(site)
    (action,) = [form.action for form in page.forms if form.action.endswith("/withdraw")]
    page = anna.send(page, action)
    assert "ben@example.org" not in page.text
    text = str(site.letters("ben@example.org")[0].text)
    link = text.split(site.settings.public_url)[1].split()[0]
    assert Browser(site).open(link).status == 422


def test_durations_have_two_units() -> None:
    assert formatting.length_words(timedelta(days=2, hours=4, minutes=9)) == "2 days 4 h"
    assert formatting.length_words(timedelta(days=1)) == "1 day"
    assert formatting.length_words(timedelta(hours=3, minutes=20)) == "3 h 20 min"
    assert formatting.length_words(timedelta(seconds=20)) == "less than a minute"
    assert formatting.left_words(None, NOON) == "the clock stands still"
    assert formatting.left_words(NOON, NOON) == "time is up"
    assert formatting.ago_words(NOON, NOON) == "just now"
    assert formatting.local_words(NOON, zone_named("Europe/Rome")) == "Mon 2 Mar, 13:00 CET"
    assert formatting.local_words(NOON, zone_named("Nowhere/Land")) == "Mon 2 Mar, 12:00 UTC"


def test_a_step_is_taken_back_by_a_form_and_stays_in_the_log(
    site: Site, anna: Browser, ben: Browser
) -> None:
    address = together(anna, ben, game=steps.KEY)
    game_id = address.removeprefix("/games/")
    mover = (anna, ben)[steps.beginning(site, game_id).mover]
    page = mover.open(address)
    assert not any(form.action.endswith("/undo") for form in page.forms)
    before = offered(page, address)
    sail = next(move for move in before if move.startswith("sail"))
    page = mover.send(page, f"{address}/moves", move=sail)
    assert f"Take back: {sail}" in page.text
    page = mover.send(page, f"{address}/undo")
    assert offered(page, address) == before
    name = "Anna" if mover is anna else "Ben"
    assert f"Taken back: {name} " in page.text
    spoken = mover.caller.patch("/v1/me", {"language": "de"}, headers={"If-Match": "*"})
    assert spoken.status_code == 200, spoken.json
    assert f"Zurückgenommen: {name} " in mover.open(address).text
    assert not any(form.action.endswith("/undo") for form in page.forms)
