"""People who do not come: missed times, a bot on their seat, absences, pauses, frozen games."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import event as of_database
from sqlalchemy import select, update
from structlog.testing import capture_logs

from engine.contract import Json
from service.core.time_control import GRACE, LONGEST_NIGHT, MOST_MISSES, PATIENCE, PAUSE_FOR
from service.db.models import Decision, Game, Person, Seat
from service.db.session import db, transact
from service.games import audit, deadlines, repair
from service.games import pauses as pausing
from tests.games.test_races import codes, elsewhere, numbers_are_whole
from tests.support import steps
from tests.support.autoplay import answer_automatically
from tests.support.browser import Browser
from tests.support.site import Caller, Site
from tests.support.together import at_once

pytestmark = pytest.mark.usefixtures("without_pictures")

DAY_EACH = {"kind": "flat", "hours": 24}
BANK = {"kind": "bank", "start_hours": 48, "increment_hours": 12, "cap_hours": 96}
TACTICAL = {"variant": "tactical"}  # one after the other, and often something to choose
ROUNDS = 20


def sweep(site: Site) -> int:
    """What the worker does when time is up; how many decisions it answered."""
    answered = 0
    with site.app.app_context():
        while late := deadlines.overdue(site.clock(), 50):
            for one in late:
                result = transact(partial(answer_automatically, *one, site.clock()))
                answered += result is not None
    return answered


def let_time_run_out(site: Site) -> None:
    """Let bots play, then go to where the first time is up, and sweep."""
    site.let_bots_play()
    with site.app.app_context():
        first = db.session.scalars(
            select(Decision.due_at)
            .where(Decision.closed_at.is_(None), Decision.due_at.is_not(None))
            .order_by(Decision.due_at)
        ).first()
    assert first is not None, "nobody has to hurry"
    site.clock.at = first + GRACE
    assert sweep(site)


def stay_away(site: Site, game_id: str, absent: Caller, *others: Caller) -> None:
    """Somebody answers nothing until a bot keeps their seat; the others play."""
    seat = absent.sees(game_id)["your_seat"]
    while absent.sees(game_id)["seats"][seat]["away_since"] is None:
        for other in others:
            while (decision := other.sees(game_id)["decision"]) and not decision["revising"]:
                assert other.plays(game_id).status_code == 200
        let_time_run_out(site)


def open_decision(site: Site, game_id: str, seat: int) -> Decision | None:
    with site.app.app_context():
        return db.session.scalars(
            select(Decision).where(
                Decision.game_id == game_id, Decision.seat == seat, Decision.closed_at.is_(None)
            )
        ).one_or_none()


def the_open(site: Site, game_id: str, seat: int) -> Decision:
    found = open_decision(site, game_id, seat)
    assert found is not None
    return found


def seat_row(site: Site, game_id: str, number: int) -> Seat:
    with site.app.app_context():
        return db.session.get_one(Seat, (game_id, number))


def told(caller: Caller, *kinds: str) -> list[Json]:
    """The events of these kinds that somebody was told, in order."""
    found: list[Json] = []
    after = 0
    while items := (caller.get(f"/v1/events?after={after}").json or {})["items"]:
        found += items
        after = items[-1]["number"]
    return [event for event in found if event["type"] in kinds]


def in_turn(site: Site, *players: Caller, clock: Json = DAY_EACH, **kwargs: Any) -> str:
    """A game in which one after the other chooses, and the first player does so now."""
    while True:
        game_id = site.game_of(*players, options=TACTICAL, clock=clock, **kwargs)
        if open_decision(site, game_id, 0) is not None:
            return game_id
        for player in players:  # chance let somebody else begin
            player.put(f"/v1/games/{game_id}/end-offer")


def until(caller: Caller, game_id: str) -> datetime | None:
    due: str | None = caller.sees(game_id)["decision"]["due_at"]
    return None if due is None else datetime.fromisoformat(due)


def refused(answer: Any, code: str) -> None:
    assert answer.json["code"] == code, answer.json


# Time is up


def test_a_time_out_is_played_after_a_grace_period(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = in_turn(site, alice, bob)
    due = until(alice, game_id)
    assert due == site.clock() + timedelta(hours=24)
    site.clock.at = due + GRACE - timedelta(microseconds=1)
    decision = the_open(site, game_id, 0).id
    assert sweep(site) == 0
    with site.app.app_context():
        assert transact(lambda: answer_automatically(game_id, decision, site.clock())) is None
    site.clock.at = due + GRACE
    assert sweep(site) == 1
    refused(
        alice.post(f"/v1/games/{game_id}/moves", {"decision": decision, "text": "x"}),
        "decision_closed",
    )


def test_a_move_in_the_grace_period_counts(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = in_turn(site, alice, bob)
    site.clock.advance(hours=24, seconds=59)
    assert alice.plays(game_id).status_code == 200
    assert alice.sees(game_id)["your_misses"] == 0


def test_even_without_a_clock_nobody_waits_for_ever(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = in_turn(site, alice, bob, clock={"kind": "none"})
    assert until(alice, game_id) == site.clock() + PATIENCE
    site.clock.at += PATIENCE + GRACE
    assert sweep(site) == 1


@pytest.mark.parametrize("clock", [DAY_EACH, BANK, {"kind": "none"}], ids=lambda c: str(c["kind"]))
def test_a_game_ends_although_nobody_ever_comes(any_site: Site, clock: Json) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob, clock=clock)
    swept = 0
    while any_site.stranger.sees(game_id)["status"] == "running":
        any_site.clock.at += PATIENCE + GRACE
        swept += sweep(any_site)
        any_site.let_bots_play()
    assert swept == 2 * MOST_MISSES
    numbers_are_whole(any_site)


def test_the_wishes_of_a_seat_are_played_and_still_it_was_missed(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob, clock=DAY_EACH)
    assert alice.put(f"/v1/games/{game_id}/plan", {"wishes": ["highest", "any"]}).status_code == 200
    bob.plays(game_id)
    let_time_run_out(site)
    log = alice.get(f"/v1/games/{game_id}/log").json
    assert log is not None
    assert "plan" in [line["via"] for line in log["items"] if line["seat"] == 0]
    assert alice.sees(game_id)["your_misses"] == 1


def test_a_turn_of_several_steps_is_missed_once_and_played_to_its_end(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob, clock=DAY_EACH, game=steps.KEY)
    seat = alice.sees(game_id)["position"]["pending"][0]
    absent, other = (alice, bob) if seat == 0 else (bob, alice)
    assert absent.put(f"/v1/games/{game_id}/plan", {"wishes": ["build"]}).status_code == 200
    let_time_run_out(site)
    log = other.get(f"/v1/games/{game_id}/log").json
    assert log is not None
    assert {line["seat"] for line in log["items"]} == {seat}
    assert [line["via"] for line in log["items"]][:2] == ["plan", "plan"], "the sail and the build"
    assert [line["text"].split()[0] for line in log["items"]][:3] == ["sail", "street", "lay"]
    assert absent.sees(game_id)["your_misses"] == 1
    assert other.sees(game_id)["decision"] is not None


def test_the_rest_of_a_turn_is_one_miss(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob, clock=DAY_EACH, game=steps.KEY)
    seat = alice.sees(game_id)["position"]["pending"][0]
    absent, other = (alice, bob) if seat == 0 else (bob, alice)
    sailed = absent.post(
        f"/v1/games/{game_id}/moves",
        {"decision": absent.sees(game_id)["decision"]["id"], "text": "sail A6 A7"},
    )
    assert sailed.status_code == 200
    let_time_run_out(site)
    assert absent.sees(game_id)["your_misses"] == 1
    assert other.sees(game_id)["decision"] is not None


def test_only_its_owner_sees_what_a_seat_has_missed(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = in_turn(site, alice, bob)
    let_time_run_out(site)
    assert alice.sees(game_id)["your_misses"] == 1
    assert bob.sees(game_id)["your_misses"] == 0
    assert site.stranger.sees(game_id)["your_misses"] is None
    assert "misses" not in str(bob.sees(game_id)["seats"])


def test_an_answer_of_ones_own_makes_up_for_what_was_missed(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = in_turn(site, alice, bob)
    for _ in range(4):
        for _ in range(MOST_MISSES - 1):
            while alice.sees(game_id)["decision"] is None:
                bob.plays(game_id)
            let_time_run_out(site)
        assert alice.sees(game_id)["your_misses"] == MOST_MISSES - 1
        while alice.sees(game_id)["decision"] is None:
            bob.plays(game_id)
        assert alice.plays(game_id).status_code == 200
        assert alice.sees(game_id)["your_misses"] == 0
    assert told(bob, "seat.away") == []


def test_changing_an_automatic_pick_resets_the_misses(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    announces(bob, *days(site, 0, 14))
    game_id = site.game_of(alice, bob, clock=DAY_EACH)
    let_time_run_out(site)
    shown = alice.sees(game_id)
    assert (shown["your_misses"], shown["decision"]["revising"]) == (1, True)
    assert alice.plays(game_id, 1).status_code == 200
    assert alice.sees(game_id)["your_misses"] == 0


# Away, and back


def test_after_three_misses_in_a_row_a_bot_keeps_the_seat(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = in_turn(any_site, alice, bob)
    stay_away(any_site, game_id, alice, bob)
    seat = bob.sees(game_id)["seats"][0]
    assert seat["away_since"] == any_site.clock().isoformat()
    assert seat["played_by_bot"]
    assert not seat["resigned"]
    for player in (alice, bob):
        (event,) = told(player, "seat.away")
        assert event["data"] == {"seat": 0, "name": "Alice"}
    with any_site.app.app_context():
        missed = db.session.scalars(
            select(Decision.via).where(Decision.game_id == game_id, Decision.seat == 0)
        ).all()
        assert list(missed).count("timeout") == MOST_MISSES
    while not bob.plays_nothing(game_id):
        bob.plays(game_id)
    assert the_open(any_site, game_id, 0).person_id is None
    assert the_open(any_site, game_id, 0).due_at is None
    listed = alice.get("/v1/decisions").json
    assert listed is not None
    assert listed["items"] == [], "what the bot has to answer does not wait for its owner"
    assert any_site.let_bots_play()
    numbers_are_whole(any_site)


def away_and_asked(site: Site, clock: Json = DAY_EACH) -> tuple[str, Caller, Caller]:
    """A bot keeps Alice's seat, and has just been asked something."""
    alice, bob = site.people("Alice", "Bob")
    game_id = in_turn(site, alice, bob, clock=clock)
    stay_away(site, game_id, alice, bob)
    while open_decision(site, game_id, 0) is None:
        assert bob.plays(game_id).status_code == 200
    return game_id, alice, bob


def test_the_owner_takes_the_seat_back_with_fresh_time(any_site: Site) -> None:
    game_id, alice, bob = away_and_asked(any_site)
    any_site.clock.advance(hours=7)
    assert alice.post(f"/v1/games/{game_id}/return").status_code == 204
    decision = the_open(any_site, game_id, 0)
    assert decision.person_id == alice.id()
    assert decision.opened_at == any_site.clock()
    assert until(alice, game_id) == any_site.clock() + timedelta(hours=24)
    seat = bob.sees(game_id)["seats"][0]
    assert (seat["away_since"], seat["played_by_bot"]) == (None, False)
    assert alice.sees(game_id)["your_misses"] == 0
    for player in (alice, bob):
        (event,) = told(player, "seat.back")
        assert event["data"] == {"seat": 0, "name": "Alice"}
    assert told(alice, "decision.opened")[-1]["data"]["decision"] == decision.id
    listed = alice.get("/v1/decisions").json
    assert listed is not None
    assert [item["decision"] for item in listed["items"]] == [decision.id]
    assert any_site.let_bots_play() == 0
    assert alice.plays(game_id).status_code == 200


def test_returning_twice_is_idempotent(site: Site) -> None:
    game_id, alice, bob = away_and_asked(site)
    for _ in range(2):
        assert alice.post(f"/v1/games/{game_id}/return").status_code == 204
        site.clock.advance(hours=1)
    assert len(told(bob, "seat.back")) == 1
    assert bob.post(f"/v1/games/{game_id}/return").status_code == 204, "who was not away"
    assert len(told(bob, "seat.back")) == 1


def test_to_answer_takes_the_seat_back_too(any_site: Site) -> None:
    game_id, alice, bob = away_and_asked(any_site)
    assert alice.plays(game_id).status_code == 200
    assert alice.sees(game_id)["seats"][0]["away_since"] is None
    assert [event["type"] for event in told(bob, "seat.back")] == ["seat.back"]
    while alice.plays_nothing(game_id):
        bob.plays(game_id)
    assert the_open(any_site, game_id, 0).person_id == alice.id()
    numbers_are_whole(any_site)


def test_an_answer_that_cannot_be_played_leaves_the_seat_to_the_bot(site: Site) -> None:
    game_id, alice, bob = away_and_asked(site)
    decision = the_open(site, game_id, 0).id
    answer = alice.post(f"/v1/games/{game_id}/moves", {"decision": decision, "text": "nonsense"})
    assert answer.status_code == 422
    assert bob.sees(game_id)["seats"][0]["away_since"] is not None
    assert told(bob, "seat.back") == []


def test_the_pick_of_the_bot_may_be_changed_by_a_player_who_comes_back(site: Site) -> None:
    alice, bob, carla = site.people("Alice", "Bob", "Carla")
    game_id = site.game_of(alice, bob, carla, clock=DAY_EACH)
    stay_away(site, game_id, alice, bob, carla)
    while True:
        site.let_bots_play()
        decision = alice.sees(game_id)["decision"]
        if decision is not None and decision["revising"]:
            break
        for player in (bob, carla):
            own = player.sees(game_id)["decision"]
            if own is not None and not own["revising"]:
                player.plays(game_id)
                break
    changed = alice.plays(game_id, -1)
    assert changed.json is not None
    shown = alice.sees(game_id)
    assert changed.json["version"] == shown["version"], "all see that she is back"
    assert shown["seats"][0]["away_since"] is None


def test_a_returning_player_with_an_empty_bank_can_play_on(site: Site) -> None:
    game_id, alice, _ = away_and_asked(site, BANK | {"increment_hours": 0})
    assert seat_row(site, game_id, 0).bank == 0
    assert alice.post(f"/v1/games/{game_id}/return").status_code == 204
    assert until(alice, game_id) == site.clock() + timedelta(hours=24)


def test_a_resigned_player_cannot_come_back(site: Site) -> None:
    game_id, alice, bob = away_and_asked(site)
    assert alice.post(f"/v1/games/{game_id}/resign").status_code == 204
    refused(alice.post(f"/v1/games/{game_id}/return"), "game_over")
    seat = bob.sees(game_id)["seats"][0]
    assert (seat["resigned"], seat["away_since"]) == (True, None)


def test_an_absent_player_cannot_vote(site: Site) -> None:
    game_id, alice, bob = away_and_asked(site)
    refused(alice.put(f"/v1/games/{game_id}/end-offer"), "seat_away")
    refused(alice.post(f"/v1/games/{game_id}/pause"), "seat_away")
    paused = bob.post(f"/v1/games/{game_id}/pause").json
    assert paused is not None
    assert paused["paused_until"] is not None, "Bob is the only one who still plays"


def table_of_three(site: Site) -> tuple[str, Caller, Caller, Caller]:
    alice, bob, carla = site.people("Alice", "Bob", "Carla")
    return site.game_of(alice, bob, carla, clock=DAY_EACH), alice, bob, carla


def test_the_last_player_who_did_not_offer_to_end_stays_away(any_site: Site) -> None:
    game_id, alice, bob, carla = table_of_three(any_site)
    for player in (alice, bob):
        assert player.put(f"/v1/games/{game_id}/end-offer").json == {"finished": False}
        player.post(f"/v1/games/{game_id}/pause")
    stay_away(any_site, game_id, carla, alice, bob)
    shown = alice.sees(game_id)
    assert (shown["status"], shown["outcome"]["reason"]) == ("finished", "agreed")
    assert shown["paused_until"] is None
    kinds = ["game.moved", "seat.away", "game.finished", "game.paused"]
    assert [event["type"] for event in told(bob, *kinds)][-3:] == kinds[:3]
    with any_site.app.app_context():
        still_open = select(Decision.id).where(Decision.closed_at.is_(None))
        assert db.session.scalars(still_open).all() == []
        assert audit.audit_game(game_id, any_site.clock()).clean
    numbers_are_whole(any_site)


def test_the_last_player_who_did_not_want_a_pause_stays_away(any_site: Site) -> None:
    game_id, alice, bob, carla = table_of_three(any_site)
    for player in (alice, bob):
        assert player.post(f"/v1/games/{game_id}/pause").json == {"paused_until": None}
    announces(alice, *days(any_site, 4, 9))
    stay_away(any_site, game_id, carla, alice, bob)
    until_then = (any_site.clock() + PAUSE_FOR).isoformat()
    assert alice.sees(game_id)["paused_until"] == until_then
    assert [event["data"] for event in told(alice, "game.paused")] == [{"until": until_then}]
    any_site.let_bots_play()  # perhaps it is the bot's turn just now
    with any_site.app.app_context():
        waiting = db.session.scalars(
            select(Decision).where(Decision.closed_at.is_(None), Decision.person_id.is_not(None))
        ).all()
        assert waiting
        assert all(one.due_at is None and one.left is not None for one in waiting)


def test_a_game_that_ends_by_a_last_miss_ends_once(site: Site) -> None:
    """The time-out ends the game, together with the takeover of its last player."""
    alice = site.person("Alice")
    game_id = site.game_of(alice, bots=1, clock=DAY_EACH)
    while alice.sees(game_id)["status"] == "running":
        with site.app.app_context():  # whatever is next is the third
            transact(lambda: db.session.execute(update(Seat).values(misses=MOST_MISSES - 1)))
        let_time_run_out(site)
        if alice.sees(game_id)["status"] == "running":
            assert alice.post(f"/v1/games/{game_id}/return").status_code == 204
            site.let_bots_play()
    assert len(told(alice, "game.finished")) == 1
    assert alice.sees(game_id)["outcome"]["reason"] != "agreed"


def test_answers_of_a_takeover_count_neither_as_kept_nor_as_missed(site: Site) -> None:
    game_id, alice, bob = away_and_asked(site)
    for _ in range(5):
        site.let_bots_play()
        while (decision := bob.sees(game_id)["decision"]) and not decision["revising"]:
            bob.plays(game_id)
    assert alice.post(f"/v1/games/{game_id}/return").status_code == 204
    assert alice.plays(game_id).status_code == 200
    for player in (alice, bob):
        player.put(f"/v1/games/{game_id}/end-offer")
    shown = site.stranger.get(f"/v1/people/{alice.id()}").json
    assert shown is not None
    assert shown["on_time"] == round(1 / (1 + MOST_MISSES), 4)


def test_a_bot_and_its_owner_race_and_one_of_them_answers(any_site: Site) -> None:
    """Whoever is first: the decision is answered once, and the seat is its owner's again."""
    alice, bob = any_site.people("Alice", "Bob")
    phone = elsewhere(any_site, alice)
    for _ in range(ROUNDS):
        game_id = in_turn(any_site, alice, bob)
        stay_away(any_site, game_id, alice, bob)
        while open_decision(any_site, game_id, 0) is None:
            bob.plays(game_id)
        decision = the_open(any_site, game_id, 0).id

        def house_answers(game_id: str = game_id, decision: str = decision) -> Any:
            with any_site.app.app_context():
                return transact(lambda: answer_automatically(game_id, decision, any_site.clock()))

        returns: Callable[[], Any] = partial(phone.post, f"/v1/games/{game_id}/return")
        back, by_bot = at_once([returns, house_answers])
        assert back.status_code == 204
        still_open = the_open_of(any_site, game_id, decision)
        assert (by_bot is None) == still_open
        assert alice.sees(game_id)["seats"][0]["away_since"] is None
        bob.post(f"/v1/games/{game_id}/resign")
        alice.put(f"/v1/games/{game_id}/end-offer")
    numbers_are_whole(any_site)


def the_open_of(site: Site, game_id: str, decision: str) -> bool:
    with site.app.app_context():
        found = db.session.get_one(Decision, (game_id, decision))
        return found.closed_at is None and found.person_id is not None


def waited_until(caller: Caller, game_id: str) -> datetime:
    """What everybody is told: until when the game goes on."""
    return datetime.fromisoformat(caller.sees(game_id)["waiting"]["until"])


def test_the_game_is_promised_to_go_on_after_somebody_came_back(site: Site) -> None:
    game_id, alice, bob = away_and_asked(site)
    site.clock.advance(days=3)
    assert waited_until(bob, game_id) < site.clock(), "the bots are late"
    alice.post(f"/v1/games/{game_id}/return")
    due = until(alice, game_id)
    assert due is not None
    assert waited_until(bob, game_id) == due + LONGEST_NIGHT


def test_an_absent_player_reads_that_the_bot_may_answer(site: Site, anna: Browser) -> None:
    ben = site.person("Ben")
    page = anna.send(
        anna.open("/"), "/games", seats="2", clock="day", **{"option.variant": "tactical"}
    )
    address = str(page.response.request.path)
    game_id = address.rpartition("/")[2]
    ben.joins(game_id)
    while ben.sees(game_id)["seats"][0]["away_since"] is None:
        while not ben.plays_nothing(game_id):
            ben.plays(game_id)
        let_time_run_out(site)
    while open_decision(site, game_id, 0) is None:
        ben.plays(game_id)
    page = anna.open(address)
    assert "The bot will answer this, unless you are faster." in page.text
    assert "stands still" not in page.text


def test_a_table_without_a_clock_shows_the_limit_of_60_days(site: Site, anna: Browser) -> None:
    words = "No clock; a bot decides after 60 days"
    assert words in anna.open("/").text
    page = anna.send(anna.open("/"), "/games", seats="2", clock="none")
    assert words in page.text


# Pauses


def test_all_clocks_stand_when_all_want_it(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob, clock=DAY_EACH, bots=1)
    path = f"/v1/games/{game_id}/pause"
    any_site.clock.advance(hours=4)
    assert alice.post(path).json == {"paused_until": None}
    assert alice.post(path).json == {"paused_until": None}, "a second vote is none"
    shown = bob.sees(game_id)
    assert [seat["wants_pause"] for seat in shown["seats"]] == [True, False, False]
    assert shown["paused_until"] is None
    any_site.clock.advance(hours=2)
    until_then = (any_site.clock() + PAUSE_FOR).isoformat()
    assert bob.post(path).json == {"paused_until": until_then}
    assert bob.post(path).json == {"paused_until": until_then}
    shown = bob.sees(game_id)
    assert shown["paused_until"] == until_then
    assert shown["waiting"]["until"] is None
    for player in (alice, bob):
        assert until(player, game_id) is None
        assert [event["type"] for event in told(player, "pause.offered", "game.paused")] == [
            "pause.offered",
            "pause.offered",
            "game.paused",
        ]
    assert the_open(any_site, game_id, 0).left == 18 * 3600
    any_site.clock.advance(days=20)
    assert sweep(any_site) == 0

    assert alice.delete(path).status_code == 204
    shown = bob.sees(game_id)
    assert shown["paused_until"] is None
    assert waited_until(bob, game_id) == any_site.clock() + timedelta(hours=24) + LONGEST_NIGHT
    assert not any(seat["wants_pause"] for seat in shown["seats"])
    for player in (alice, bob):
        assert until(player, game_id) == any_site.clock() + timedelta(hours=18)
        assert len(told(player, "game.resumed")) == 1
        again = told(player, "decision.opened")[-1]["data"]
        assert again["due_at"] == (any_site.clock() + timedelta(hours=18)).isoformat()
    assert the_open(any_site, game_id, 0).left is None
    numbers_are_whole(any_site)


def test_a_vote_can_be_taken_back(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob)
    path = f"/v1/games/{game_id}/pause"
    for _ in range(2):
        alice.post(path)
        for _ in range(2):
            assert alice.delete(path).status_code == 204
    assert len(told(bob, "pause.withdrawn")) == 2
    assert bob.post(path).json == {"paused_until": None}


def test_a_pause_ends_by_itself(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob, clock=DAY_EACH)
    for player in (alice, bob):
        player.post(f"/v1/games/{game_id}/pause")
    any_site.clock.at += PAUSE_FOR - timedelta(seconds=1)
    with any_site.app.app_context():
        assert deadlines.resume_paused(any_site.clock()) == 0
        any_site.clock.advance(seconds=1)
        assert deadlines.resume_paused(any_site.clock()) == 1
        assert deadlines.resume_paused(any_site.clock()) == 0
    assert until(alice, game_id) == any_site.clock() + timedelta(hours=24)
    assert len(told(bob, "game.resumed")) == 1


def test_one_pause_that_cannot_be_ended_keeps_no_other_waiting(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = site.people("Alice", "Bob")
    games = [site.game_of(alice, bob, clock=DAY_EACH) for _ in range(2)]
    for game_id in games:
        for player in (alice, bob):
            player.post(f"/v1/games/{game_id}/pause")
        site.clock.advance(seconds=1)
    ended: Callable[[str, datetime], bool] = pausing.resume_if_over

    def sometimes(game_id: str, at: datetime) -> bool:
        if game_id == games[0]:
            raise ValueError("something is wrong with this one")
        return ended(game_id, at)

    monkeypatch.setattr(deadlines, "resume_if_over", sometimes)
    site.clock.at += PAUSE_FOR
    with site.app.app_context(), capture_logs() as error_fields:
        assert deadlines.resume_paused(site.clock()) == 1
    assert [entry["game"] for entry in error_fields if entry["event"] == "not_resumed"] == games[:1]
    assert alice.sees(games[1])["paused_until"] is None


def test_moves_made_in_a_pause_cost_nothing_and_what_they_ask_has_all_its_time(
    site: Site,
) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = in_turn(site, alice, bob, clock=BANK)
    site.clock.advance(hours=10)
    for player in (alice, bob):
        player.post(f"/v1/games/{game_id}/pause")
    site.clock.advance(days=3)
    assert alice.plays(game_id).status_code == 200
    assert seat_row(site, game_id, 0).bank == 50 * 3600, "60 hours, of which 10 had passed"
    while bob.plays_nothing(game_id):
        alice.plays(game_id)
    decision = the_open(site, game_id, 1)
    assert (decision.due_at, decision.left) == (None, 60 * 3600)
    site.clock.advance(days=1)
    bob.delete(f"/v1/games/{game_id}/pause")
    assert until(bob, game_id) == site.clock() + timedelta(hours=60)
    site.clock.advance(hours=1)
    assert bob.plays(game_id).status_code == 200
    assert seat_row(site, game_id, 1).bank == 59 * 3600


def test_time_in_a_pause_is_not_charged_after_it(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = in_turn(site, alice, bob, clock=BANK)
    site.clock.advance(hours=10)
    for player in (alice, bob):
        player.post(f"/v1/games/{game_id}/pause")
    site.clock.advance(days=3)
    bob.delete(f"/v1/games/{game_id}/pause")
    assert until(alice, game_id) == site.clock() + timedelta(hours=50)
    site.clock.advance(hours=5)
    assert alice.plays(game_id).status_code == 200
    assert seat_row(site, game_id, 0).bank == 45 * 3600


def test_the_last_player_who_did_not_want_a_pause_resigns(site: Site) -> None:
    alice, bob, carla = site.people("Alice", "Bob", "Carla")
    game_id = site.game_of(alice, bob, carla)
    for player in (alice, bob):
        player.post(f"/v1/games/{game_id}/pause")
    carla.post(f"/v1/games/{game_id}/resign")
    assert alice.sees(game_id)["paused_until"] is not None
    refused(carla.post(f"/v1/games/{game_id}/pause"), "resigned")
    refused(carla.delete(f"/v1/games/{game_id}/pause"), "resigned")


def test_a_resignation_does_not_prolong_a_pause(site: Site) -> None:
    alice, bob, carla = site.people("Alice", "Bob", "Carla")
    game_id = site.game_of(alice, bob, carla)
    for player in (alice, bob, carla):
        player.post(f"/v1/games/{game_id}/pause")
    before = alice.sees(game_id)["paused_until"]
    site.clock.advance(days=1)
    assert carla.post(f"/v1/games/{game_id}/resign").status_code == 204
    assert alice.sees(game_id)["paused_until"] == before
    assert len(told(alice, "game.paused")) == 1


def test_a_game_that_ends_in_a_pause_is_no_longer_paused(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    agreed, played = site.game_of(alice, bob), site.game_of(alice, bob)
    for game_id in (agreed, played):
        for player in (alice, bob):
            player.post(f"/v1/games/{game_id}/pause")
    for player in (alice, bob):
        player.put(f"/v1/games/{agreed}/end-offer")
    assert site.play_to_the_end(played, alice, bob)["paused_until"] is None
    site.clock.at += PAUSE_FOR
    resumed = len(told(alice, "game.resumed"))
    with site.app.app_context():
        assert deadlines.resume_paused(site.clock()) == 0
        assert db.session.scalars(select(Game.paused_until)).all() == [None, None]
    assert len(told(alice, "game.resumed")) == resumed


def test_a_vote_and_the_end_of_time_race(any_site: Site) -> None:
    """The last vote stops the clock, or the time-out is first; both leave a consistent game."""
    alice, bob = any_site.people("Alice", "Bob")
    voter = elsewhere(any_site, bob)
    for _ in range(ROUNDS):
        game_id = in_turn(any_site, alice, bob)
        alice.post(f"/v1/games/{game_id}/pause")
        decision = the_open(any_site, game_id, 0).id
        any_site.clock.advance(hours=24, minutes=1)

        def house_answers(game_id: str = game_id, decision: str = decision) -> Any:
            with any_site.app.app_context():
                return transact(lambda: answer_automatically(game_id, decision, any_site.clock()))

        votes: Callable[[], Any] = partial(voter.post, f"/v1/games/{game_id}/pause")
        voted, answered = at_once([votes, house_answers])
        assert codes([voted]) == {"ok": 1}
        with any_site.app.app_context():
            found = db.session.get_one(Decision, (game_id, decision))
            assert (found.via is None) == (answered is None)
            waiting = db.session.scalars(
                select(Decision).where(Decision.game_id == game_id, Decision.closed_at.is_(None))
            ).all()
            assert waiting
            assert all(one.due_at is None and one.left is not None for one in waiting)
        for player in (alice, bob):
            player.put(f"/v1/games/{game_id}/end-offer")
    numbers_are_whole(any_site)


# Announced absences


def announces(caller: Caller, start: datetime, end: datetime) -> Json:
    made = caller.post("/v1/absences", {"from": start.isoformat(), "to": end.isoformat()})
    assert made.status_code == 201, made.json
    assert made.json is not None
    return dict(made.json)


def days(site: Site, start: float, end: float) -> tuple[datetime, datetime]:
    present = site.clock()
    return present + timedelta(days=start), present + timedelta(days=end)


def test_absences_are_announced_listed_and_taken_back(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    later = announces(alice, *days(any_site, 20, 30))
    sooner = announces(alice, *days(any_site, 2, 3))
    listed = alice.get("/v1/absences").json
    assert listed == {"items": [sooner, later]}
    assert bob.get("/v1/absences").json == {"items": []}
    assert bob.delete(f"/v1/absences/{later['id']}").status_code == 404
    assert alice.delete(f"/v1/absences/{later['id']}").status_code == 204
    assert alice.delete(f"/v1/absences/{later['id']}").status_code == 404
    any_site.clock.advance(days=3)
    assert alice.get("/v1/absences").json == {"items": []}, "it is over"
    announces(alice, *days(any_site, 1, 2))
    with any_site.app.app_context():
        person = db.session.get_one(Person, alice.id())
        assert len(person.absences) == 1, "what is over is forgotten"


def test_the_past_part_of_an_absence_does_not_count(site: Site) -> None:
    (alice,) = site.people("Alice")
    made = announces(alice, *days(site, -3, 2))
    assert made["from"] == site.clock().isoformat()


def test_an_absence_may_be_written_in_any_zone(site: Site) -> None:
    (alice,) = site.people("Alice")
    said = {"from": "2026-08-01T00:00:00+02:00", "to": "2026-08-15T00:00:00Z"}
    made = alice.post("/v1/absences", said).json
    assert made is not None
    assert made["from"] == "2026-07-31T22:00:00+00:00"
    assert made["to"] == "2026-08-15T00:00:00+00:00"


@pytest.mark.parametrize("year", ["0001", "9999"])
@pytest.mark.parametrize("offset", ["+23:59", "-23:59"])
def test_absences_at_the_limits_of_dates_are_refused(site: Site, year: str, offset: str) -> None:
    (alice,) = site.people("Alice")
    far = f"{year}-12-31T23:59:59{offset}" if year == "9999" else f"{year}-01-01T00:00:00{offset}"
    for said in ({"from": far, "to": far}, {"from": site.clock().isoformat(), "to": far}):
        assert alice.post("/v1/absences", said).status_code == 422


@pytest.mark.parametrize(
    ("start", "end"), [(2, 2), (3, 2), (-3, -1), (-3, 0), (1, 61.1), (360, 367)]
)
def test_an_absence_that_cannot_be_is_refused(site: Site, start: float, end: float) -> None:
    (alice,) = site.people("Alice")
    begins, ends = days(site, start, end)
    answer = alice.post("/v1/absences", {"from": begins.isoformat(), "to": ends.isoformat()})
    assert answer.status_code == 422
    refused(answer, "invalid_request")


@pytest.mark.parametrize(
    "said", [{}, {"from": "2026-05-01T00:00:00"}, {"from": "soon", "to": "later"}, {"from": 3}]
)
def test_an_absence_says_two_instants_with_their_offsets(site: Site, said: Json) -> None:
    (alice,) = site.people("Alice")
    assert alice.post("/v1/absences", {"to": "2026-05-02T00:00:00", **said}).status_code == 422


def test_absences_are_limited(site: Site) -> None:
    (alice,) = site.people("Alice")
    for day in range(20):
        announces(alice, *days(site, day, day + 0.5))
    begins, ends = days(site, 30, 31)
    body = {"from": begins.isoformat(), "to": ends.isoformat()}
    refused(alice.post("/v1/absences", body), "too_many_absences")
    site.clock.advance(days=1)
    assert alice.post("/v1/absences", body).status_code == 201


def test_an_absence_moves_what_is_asked_next_and_never_what_was_asked_before(
    any_site: Site,
) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = in_turn(any_site, alice, bob, clock=BANK)
    running = until(alice, game_id)
    begins, ends = days(any_site, 1, 6)
    absence = announces(alice, begins, ends)
    assert until(alice, game_id) == running
    any_site.clock.advance(hours=10)
    alice.plays(game_id)
    while alice.plays_nothing(game_id):
        bob.plays(game_id)
    opened = any_site.clock()
    asked = the_open(any_site, game_id, 0)
    assert asked.allowed == 62 * 3600
    assert asked.due_at == opened + timedelta(hours=62) + (ends - begins)
    assert asked.stands == [[begins.isoformat(), ends.isoformat()]]
    assert seat_row(any_site, game_id, 0).absence_used == 5 * 24 * 3600

    assert alice.delete(f"/v1/absences/{absence['id']}").status_code == 204
    assert until(alice, game_id) == asked.due_at, "what was given stays given"
    any_site.clock.at = ends + timedelta(hours=1)
    alice.plays(game_id)
    assert seat_row(any_site, game_id, 0).bank == (62 - 14 - 1) * 3600


def test_an_answer_before_or_during_an_absence_gives_the_rest_of_the_budget_back(
    site: Site,
) -> None:
    alice, bob = site.people("Alice", "Bob")
    announces(alice, *days(site, 1, 6))
    for hours, used in ((10, 0), (24, 0), (24 + 12, 12)):
        game_id = in_turn(site, alice, bob, clock=BANK)
        assert seat_row(site, game_id, 0).absence_used == 5 * 24 * 3600
        before = site.clock()
        site.clock.advance(hours=hours)
        alice.plays(game_id)
        seat = seat_row(site, game_id, 0)
        assert seat.absence_used == used * 3600
        assert seat.bank == (60 - hours + used) * 3600
        site.clock.at = before


def test_a_game_has_a_budget_for_absences(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    announces(alice, *days(site, 0, 30))
    for agreed in (0, 3):
        game_id = in_turn(site, alice, bob, clock=DAY_EACH | {"absence_days": agreed})
        assert until(alice, game_id) == site.clock() + timedelta(days=1 + agreed)
        assert seat_row(site, game_id, 0).absence_used == agreed * 24 * 3600
    site.clock.at += timedelta(days=4) + GRACE
    assert sweep(site)
    while alice.plays_nothing(game_id):
        bob.plays(game_id)
    assert until(alice, game_id) == site.clock() + timedelta(days=1), "it is used up"


def test_an_absence_in_a_pause_counts_when_the_clocks_run_again(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    begins, ends = days(site, 1, 6)
    announces(alice, begins, ends)
    game_id = in_turn(site, alice, bob, clock=BANK)
    site.clock.at = begins + timedelta(days=1)
    for player in (alice, bob):
        player.post(f"/v1/games/{game_id}/pause")
    assert the_open(site, game_id, 0).left == (60 - 24) * 3600
    assert seat_row(site, game_id, 0).absence_used == 24 * 3600
    site.clock.at = begins + timedelta(days=3)
    bob.delete(f"/v1/games/{game_id}/pause")
    assert until(alice, game_id) == ends + timedelta(hours=36)
    assert seat_row(site, game_id, 0).absence_used == 3 * 24 * 3600
    site.clock.at = ends + timedelta(hours=6)
    alice.plays(game_id)
    assert seat_row(site, game_id, 0).bank == 30 * 3600


def test_a_deadline_in_quiet_hours_moves_to_their_end(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    assert (
        alice.patch(
            "/v1/me",
            {"time_zone": "America/New_York", "sleep_from": "23:00", "sleep_to": "07:00"},
            headers={"If-Match": "*"},
        ).status_code
        == 200
    )
    # Asked on the evening before the clocks go forward there: 23:30 + 8 h is 08:30, after waking.
    site.clock.at = datetime.fromisoformat("2026-03-07T17:30:00-05:00")
    game_id = in_turn(site, alice, bob, clock={"kind": "flat", "hours": 8})
    assert until(alice, game_id) == datetime.fromisoformat("2026-03-08T07:00:00-04:00")
    shown = alice.sees(game_id)
    assert shown["decision"]["due_at"] <= shown["waiting"]["until"]


def test_a_night_is_no_time_that_a_pause_could_give_back(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    for player in (alice, bob):
        habits = {"sleep_from": "20:00", "sleep_to": "08:00"}
        player.patch("/v1/me", habits, headers={"If-Match": "*"})
    game_id = in_turn(site, alice, bob, clock={"kind": "flat", "hours": 10})
    for _ in range(3):  # at noon: ten hours end in the night
        assert until(alice, game_id) == site.clock().replace(hour=8) + timedelta(days=1)
        for player in (alice, bob):
            player.post(f"/v1/games/{game_id}/pause")
        assert the_open(site, game_id, 0).left == 10 * 3600
        site.clock.advance(days=2)
        bob.delete(f"/v1/games/{game_id}/pause")


@pytest.mark.parametrize(("begins", "ends"), [("20:00", "08:01"), ("08:00", "07:59")])
def test_deadlines_wait_for_a_nights_sleep_and_not_for_more(
    site: Site, begins: str, ends: str
) -> None:
    (alice,) = site.people("Alice")
    answer = alice.patch(
        "/v1/me", {"sleep_from": begins, "sleep_to": ends}, headers={"If-Match": "*"}
    )
    assert answer.status_code == 422


# Frozen games


def freeze(site: Site, *games: str) -> None:
    with site.app.app_context():
        transact(
            lambda: db.session.execute(
                update(Game)
                .where(Game.id.in_(games))
                .values(frozen_at=site.clock(), frozen_why="a test", version=Game.version + 1)
            )
        )


def test_nothing_is_played_in_a_frozen_game(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob, bots=1, clock=DAY_EACH)
    decision = alice.sees(game_id)["decision"]
    by_bot = the_open(any_site, game_id, 2).id
    freeze(any_site, game_id)
    shown = alice.sees(game_id)
    assert shown["frozen"]
    assert shown["decision"] is None
    assert shown["waiting"] is None
    listed = alice.get("/v1/decisions").json
    assert listed is not None
    assert listed["items"] == []
    path = f"/v1/games/{game_id}"
    body = {"decision": decision["id"], "move": decision["moves"][0]["move"]}
    answers: Sequence[Any] = [
        alice.post(f"{path}/moves", body),
        alice.put(f"{path}/plan", {"wishes": []}),
        alice.post(f"{path}/resign"),
        alice.put(f"{path}/end-offer"),
        alice.delete(f"{path}/end-offer"),
        alice.post(f"{path}/pause"),
        alice.delete(f"{path}/pause"),
        alice.post(f"{path}/return"),
    ]
    for answer in answers:
        refused(answer, "game_frozen")
    assert alice.put(f"{path}/note", {"text": "odd"}).status_code == 200
    any_site.clock.advance(days=3)
    with any_site.app.app_context():
        assert deadlines.overdue(any_site.clock(), 10) == []
        assert deadlines.waiting_for_bots(10) == []
        for one in (decision["id"], by_bot):
            assert transact(partial(answer_automatically, game_id, one, any_site.clock())) is None


def test_the_pause_of_a_frozen_game_goes_on(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob)
    for player in (alice, bob):
        player.post(f"/v1/games/{game_id}/pause")
    freeze(site, game_id)
    site.clock.at += PAUSE_FOR
    with site.app.app_context():
        assert deadlines.resume_paused(site.clock()) == 0
        # It may have been frozen after somebody looked for games to resume.
        assert not transact(lambda: pausing.resume_if_over(game_id, site.clock()))
    assert alice.sees(game_id)["paused_until"] is not None


# In which order rows are locked


def test_people_are_told_when_no_decision_is_changed_any_more(site: Site) -> None:
    """Whoever locked people first would wait for somebody who waits for them."""
    order: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        words = statement.replace('"', "").split()
        if words[0] in ("INSERT", "UPDATE"):
            order.append(words[2] if words[0] == "INSERT" else words[1])

    def ordered() -> None:
        written = [name for name in order if name in ("game", "decision", "person")]
        assert "decision" in written
        assert "person" in written
        assert "decision" not in written[written.index("person") :], written
        order.clear()

    game_id, alice, bob, carla = table_of_three(site)
    with site.app.app_context():
        of_database.listen(db.engine, "before_cursor_execute", note)
    path = f"/v1/games/{game_id}"
    alice.put(f"{path}/end-offer")
    alice.post(f"{path}/pause")
    bob.post(f"{path}/pause")
    order.clear()
    assert carla.post(f"{path}/resign").status_code == 204
    assert alice.sees(game_id)["paused_until"] is not None
    ordered()
    assert bob.delete(f"{path}/pause").status_code == 204
    ordered()
    freeze(site, game_id)
    order.clear()
    with site.app.app_context():
        repair.thaw(game_id, site.clock())
    ordered()
    assert bob.put(f"{path}/end-offer").json == {"finished": True}
    ordered()


# The same on pages


@pytest.fixture
def anna(site: Site) -> Browser:
    browser = Browser(site)
    browser.signs_in("Anna")
    return browser


def test_a_seat_is_taken_back_with_one_button(site: Site, anna: Browser) -> None:
    ben = site.person("Ben")
    page = anna.send(
        anna.open("/"), "/games", seats="2", clock="day", **{"option.variant": "tactical"}
    )
    address = str(page.response.request.path)
    game_id = address.rpartition("/")[2]
    ben.joins(game_id)
    while not ben.plays_nothing(game_id):
        ben.plays(game_id)
    let_time_run_out(site)
    assert "Your time was up once." in anna.open(address).text
    while ben.sees(game_id)["seats"][0]["away_since"] is None:
        while not ben.plays_nothing(game_id):
            ben.plays(game_id)
        let_time_run_out(site)
    assert "A bot keeps your seat" in anna.open("/").text
    page = anna.open(address)
    assert "A bot keeps your seat" in page.text
    assert "away, a bot plays" in page.text
    page = anna.send(page, f"{address}/return")
    assert "A bot keeps your seat" not in page.text
    assert ben.sees(game_id)["seats"][0]["away_since"] is None


def test_a_pause_by_forms(site: Site, anna: Browser) -> None:
    ben = site.person("Ben")
    page = anna.send(anna.open("/"), "/games", seats="2")
    address = str(page.response.request.path)
    game_id = address.rpartition("/")[2]
    ben.joins(game_id)

    def press(words: str) -> None:
        page = anna.open(address)
        ((name, value, label),) = page.form(f"{address}/pause").buttons
        assert label == words
        assert anna.send(page, f"{address}/pause", **{name: value}).status == 200

    press("Vote for a pause")
    assert "would like a pause" in anna.open(address).text
    press("Take your vote back")
    press("Vote for a pause")
    ben.post(f"/v1/games/{game_id}/pause")
    assert "The game is paused." in anna.open(address).text
    assert "Paused: all clocks stand still." in anna.open("/").text
    press("End the pause")
    assert ben.sees(game_id)["paused_until"] is None
    freeze(site, game_id)
    assert "The game is frozen" in anna.open(address).text


def test_a_table_is_opened_with_a_preset_and_days_of_absence(site: Site, anna: Browser) -> None:
    page = anna.send(anna.open("/"), "/games", seats="2", clock="relaxed", absence_days="30")
    game_id = str(page.response.request.path).rpartition("/")[2]
    clock = site.stranger.sees(game_id)["clock"]
    assert (clock["kind"], clock["cap_hours"], clock["absence_days"]) == ("bank", 336, 30)
    page = anna.send(anna.open("/"), "/games", seats="2", absence_days="500")
    assert page.status == 422


def test_absences_and_quiet_hours_are_set_on_the_account_page(site: Site, anna: Browser) -> None:
    page = anna.send(
        anna.open("/account"),
        "/account",
        time_zone="Europe/Rome",
        sleep_from="22:30",
        sleep_to="07:00",
    )
    page = anna.open("/account")
    assert page.form("/account").values["sleep_from"] == "22:30"
    page = anna.send(page, "/account/absences", first="2026-03-28", last="2026-03-29")
    assert "Sat 28 Mar, 00:00 CET to Mon 30 Mar, 00:00 CEST" in page.text
    (form,) = [form for form in page.forms if form.action.endswith("/withdraw")]
    page = anna.send(page, form.action)
    assert "Sat 28 Mar" not in page.text
    for first, last in (
        ("", ""),
        ("2026-03-28", "soon"),
        ("2026-03-28", "2026-03-20"),
        ("0001-01-01", "9999-12-31"),
    ):
        assert anna.send(page, "/account/absences", first=first, last=last).status == 422
    page = anna.send(anna.open("/account"), "/account", sleep_from="", sleep_to="")
    assert anna.open("/account").form("/account").values["sleep_from"] == ""
