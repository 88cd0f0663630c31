"""Clocks: pure functions, by examples and by what holds for all people and instants."""

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.access.rows import DecisionRow, SeatRow
from service.core.time_control import (
    DAY,
    DEFAULT_CLOCK,
    HOUR,
    MOST_ABSENCE_DAYS,
    MOST_SLEEP,
    PATIENCE,
    PRESET_TITLES,
    PRESETS,
    REMINDERS,
    Sleep,
    Span,
    Term,
    absence_left,
    absence_spans,
    allowance,
    bank_after,
    bank_on_return,
    before,
    complete,
    first_bank,
    length,
    longest_wait,
    merged,
    reminder_times,
    sleep_of,
    stood,
    term,
    unused,
    zone_named,
)
from service.games.decision_clock import after_answer, started_again, stopped
from tests.support.rows import decision_row, game_row, seat_row

ROME = ZoneInfo("Europe/Rome")
BANK = complete({"kind": "bank", "start_hours": 72, "increment_hours": 12, "cap_hours": 120})
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
NIGHT = Sleep(ROME, time(22, 30), time(7))


def at(text: str) -> datetime:
    """An instant that is written with its offset."""
    return datetime.fromisoformat(text).astimezone(UTC)


def days(first: int, last: int) -> Span:
    """From noon of one day of March to noon of another."""
    return Span(NOON.replace(day=first), NOON.replace(day=last))


# How much time there is


def test_flat_is_the_same_for_every_decision_and_none_has_patience() -> None:
    assert allowance({"kind": "flat", "hours": 0.5}, None) == HOUR // 2
    assert allowance({"kind": "none"}, None) == PATIENCE.total_seconds()
    assert first_bank(DEFAULT_CLOCK) is None


@pytest.mark.parametrize(("bank", "hours"), [(72, 84), (0, 12), (108, 120), (119, 120)])
def test_a_decision_adds_to_the_bank_up_to_the_cap(bank: int, hours: int) -> None:
    assert allowance(BANK, bank * HOUR) == hours * HOUR


def test_a_seat_begins_with_its_start() -> None:
    assert first_bank(BANK) == 72 * HOUR


@pytest.mark.parametrize(("used", "left"), [(0, 84), (20, 64), (83.5, 0.5), (84, 0), (90, 0)])
def test_what_was_not_used_goes_back_into_the_bank(used: float, left: float) -> None:
    answered = NOON + timedelta(hours=used)
    assert unused(84 * HOUR, NOON, answered, []) == left * HOUR
    assert bank_after(BANK, int(left * HOUR)) == left * HOUR


def test_time_for_which_the_clock_stood_was_not_used() -> None:
    stands = [days(3, 5), days(9, 12)]
    answered = NOON.replace(day=6)
    assert unused(3 * DAY, NOON, answered, stands) == DAY
    assert unused(3 * DAY, NOON, answered, stands, held=DAY // 2) == DAY * 1.5
    in_between = NOON.replace(day=4)
    assert unused(3 * DAY, NOON, in_between, stands) == 2 * DAY


def test_an_answer_that_came_before_it_was_asked_costs_nothing() -> None:
    assert unused(DAY, NOON, NOON - timedelta(hours=1), []) == DAY


def test_there_is_no_bank_where_nothing_is_stored_up() -> None:
    assert bank_after(DEFAULT_CLOCK, DAY) is None
    assert bank_on_return(DEFAULT_CLOCK, None) is None


@pytest.mark.parametrize(
    ("start", "bank", "back"), [(72, 0, 24), (72, 50, 50), (72, None, 24), (2, 0, 2), (2, 1, 2)]
)
def test_a_person_who_comes_back_has_enough_to_play_on(
    start: int, bank: int | None, back: int
) -> None:
    clock = {**BANK, "start_hours": start}
    assert bank_on_return(clock, None if bank is None else bank * HOUR) == back * HOUR


def test_presets_are_whole_clocks_with_titles() -> None:
    assert PRESETS.keys() == PRESET_TITLES.keys()
    for name, clock in PRESETS.items():
        assert complete({"preset": name}) == clock
        assert complete({"preset": name, "absence_days": 3}) == {**clock, "absence_days": 3}
        assert clock["increment_hours"] <= clock["start_hours"] <= clock["cap_hours"]


@pytest.mark.parametrize(
    "clock", [{"absence_days": 1, "hours": 2, "kind": "flat"}, *PRESETS.values()]
)
def test_the_kind_comes_first_and_completing_again_changes_nothing(clock: dict[str, Any]) -> None:
    full = complete(clock)
    assert next(iter(full)) == "kind"
    assert complete(full) == full == clock


# Sleep


@pytest.mark.parametrize(
    ("due", "moved"),
    [
        ("2026-03-02T22:29:59+01:00", "2026-03-02T22:29:59+01:00"),
        ("2026-03-02T22:30:00+01:00", "2026-03-03T07:00:00+01:00"),
        ("2026-03-03T06:59:59+01:00", "2026-03-03T07:00:00+01:00"),
        ("2026-03-03T07:00:00+01:00", "2026-03-03T07:00:00+01:00"),
        ("2026-03-03T12:00:00+01:00", "2026-03-03T12:00:00+01:00"),
        # The night in which clocks are put forward is an hour shorter, the other an hour longer.
        ("2026-03-28T22:45:00+01:00", "2026-03-29T07:00:00+02:00"),
        ("2026-03-29T01:59:00+01:00", "2026-03-29T07:00:00+02:00"),
        ("2026-10-24T22:45:00+02:00", "2026-10-25T07:00:00+01:00"),
        ("2026-10-25T02:30:00+02:00", "2026-10-25T07:00:00+01:00"),
        ("2026-10-25T02:30:00+01:00", "2026-10-25T07:00:00+01:00"),
    ],
)
def test_a_deadline_in_quiet_hours_moves_to_their_end(due: str, moved: str) -> None:
    assert NIGHT.awake(at(due)) == at(moved)


@pytest.mark.parametrize(
    ("due", "moved"),
    [
        # 02:30 is skipped: the first instant after that is 03:00.
        ("2026-03-29T01:00:00+01:00", "2026-03-29T03:00:00+02:00"),
        ("2026-03-29T03:00:00+02:00", "2026-03-29T03:00:00+02:00"),
        # 02:30 comes twice: they sleep until the second time.
        ("2026-10-25T02:29:00+02:00", "2026-10-25T02:30:00+01:00"),
        ("2026-10-25T02:45:00+02:00", "2026-10-25T02:30:00+01:00"),
        ("2026-10-25T02:29:00+01:00", "2026-10-25T02:30:00+01:00"),
        ("2026-10-25T02:30:00+01:00", "2026-10-25T02:30:00+01:00"),
    ],
)
def test_a_person_who_wakes_in_the_hour_that_is_skipped_or_comes_twice(
    due: str, moved: str
) -> None:
    assert Sleep(ROME, time(21), time(2, 30)).awake(at(due)) == at(moved)


@pytest.mark.parametrize(
    ("due", "moved"),
    [
        ("2026-03-29T01:59:00+01:00", "2026-03-29T01:59:00+01:00"),
        ("2026-03-29T03:00:00+02:00", "2026-03-29T09:00:00+02:00"),
        ("2026-10-25T02:29:00+02:00", "2026-10-25T02:29:00+02:00"),
        ("2026-10-25T02:30:00+02:00", "2026-10-25T09:00:00+01:00"),
        ("2026-10-25T02:10:00+01:00", "2026-10-25T09:00:00+01:00"),
    ],
)
def test_a_person_who_falls_asleep_in_the_hour_that_is_skipped_or_comes_twice(
    due: str, moved: str
) -> None:
    assert Sleep(ROME, time(2, 30), time(9)).awake(at(due)) == at(moved)


def test_somebody_may_sleep_by_day_and_anywhere() -> None:
    nap = Sleep(ZoneInfo("Australia/Lord_Howe"), time(13), time(17))
    assert nap.awake(at("2026-04-05T16:00:00+10:30")) == at("2026-04-05T17:00:00+10:30")
    assert nap.awake(at("2026-04-05T12:59:00+10:30")) == at("2026-04-05T12:59:00+10:30")


def person(**facts: Any) -> SeatRow:
    usual = {"time_zone": "Europe/Rome", "sleep_from": "22:30", "sleep_to": "07:00", "absences": []}
    return seat_row(**{**usual, **facts})


def test_the_sleep_of_a_person_is_by_their_zone() -> None:
    assert sleep_of(person()) == NIGHT
    assert sleep_of(person(sleep_from=None, sleep_to=None)) is None
    assert sleep_of(person(sleep_from="07:00")) is None, "no time at all, not a whole day"


def test_a_zone_the_machine_does_not_know_is_no_reason_to_stop() -> None:
    assert zone_named("Nowhere/Land") == ZoneInfo("UTC")
    assert zone_named("../etc/passwd") == ZoneInfo("UTC")


# Absences


def test_absences_are_put_in_order_and_nothing_counts_twice() -> None:
    said = [(9, 12), (2, 4), (3, 5), (5, 6)]
    away = person(
        absences=[
            {"id": "x", "from": span.start.isoformat(), "to": span.end.isoformat()}
            for span in (days(*pair) for pair in said)
        ]
    )
    assert absence_spans(away.absences) == [days(2, 6), days(9, 12)]
    assert length([days(*pair) for pair in said]) == 7 * DAY
    assert absence_spans(None) == [], "of a seat without a person"


@pytest.mark.parametrize(
    ("seconds", "absences", "budget", "due", "stands"),
    [
        (3 * DAY, [], 14, 5, []),
        (3 * DAY, [days(5, 9)], 14, 5, []),  # it is due the moment they leave
        (3 * DAY, [days(4, 9)], 14, 10, [days(4, 9)]),
        (3 * DAY, [days(4, 9)], 0, 5, []),
        (3 * DAY, [days(4, 9)], 2, 7, [days(4, 6)]),  # it runs on when the budget is used up
        (3 * DAY, [days(1, 4)], 14, 7, [days(2, 4)]),  # what has passed does not count
        (3 * DAY, [days(1, 2)], 14, 5, []),
        (3 * DAY, [days(3, 5), days(6, 8)], 14, 9, [days(3, 5), days(6, 8)]),
        (3 * DAY, [days(3, 5), days(6, 8)], 3, 8, [days(3, 5), days(6, 7)]),
        (3 * DAY, [days(3, 5), days(6, 8)], 2, 7, [days(3, 5)]),
        (0, [days(2, 4)], 14, 2, []),
    ],
)
def test_the_clock_stands_during_absences_as_long_as_the_budget_lasts(
    seconds: int, absences: list[Span], budget: int, due: int, stands: list[Span]
) -> None:
    found = term(seconds, NOON, None, absences, budget * DAY)
    assert found == Term(NOON.replace(day=due), tuple(stands))


def test_what_is_due_in_the_night_after_an_absence_waits_for_the_morning() -> None:
    away = Span(at("2026-03-02T13:00:00+01:00"), at("2026-03-04T20:00:00+01:00"))
    found = term(4 * HOUR, NOON, NIGHT, [away], DAY * 14)
    assert found.due_at == at("2026-03-05T07:00:00+01:00")
    assert found.stands == (away,)


def test_a_budget_is_used_up_and_never_less_than_nothing() -> None:
    clock = {**BANK, "absence_days": 2}
    assert absence_left(clock, 0) == 2 * DAY
    assert absence_left(clock, 3 * DAY) == 0


def test_how_long_a_clock_has_stood_by_now() -> None:
    stands = [days(3, 5), days(9, 12)]
    assert stood(stands, NOON) == 0
    assert stood(stands, NOON.replace(day=4)) == DAY
    assert stood(stands, NOON.replace(day=10)) == 3 * DAY
    assert before(stands, NOON.replace(day=10)) == [days(3, 5), days(9, 10)]
    assert before(stands, NOON.replace(day=3)) == []


# Pauses


def asked(**facts: Any) -> DecisionRow:
    """A decision of a day that opened at noon."""
    usual = {"allowed": DAY, "opened_at": NOON, "due_at": None, "stands": None, "held": 0}
    return decision_row(**{**usual, **facts})


FLAT = {"kind": "flat", "hours": 24, "absence_days": 14}


def test_no_night_becomes_time_of_the_clock_however_often_all_clocks_are_stopped() -> None:
    seat = person(time_zone="UTC", sleep_from="11:00", sleep_to="20:00", absence_used=0)
    game, decision, present = game_row(clock=FLAT), asked(), NOON
    for ran in range(1, 6):
        present += timedelta(hours=1)
        held, _ = stopped(seat, decision, present)
        assert held["left"] == DAY - ran * HOUR
        decision = decision._replace(**held)
        since, present = present, present + timedelta(days=2)
        again, _ = started_again(game, seat, decision, since, present)
        decision = decision._replace(**again)
        assert decision.held == ran * 2 * DAY
        morning = (present + timedelta(seconds=held["left"])).replace(hour=20)
        assert decision.due_at == morning, "it would be due at noon, when they sleep"


@pytest.mark.parametrize("automatic", [False, True])
def test_a_pause_is_not_taken_for_an_absence_that_was_not_used(automatic: bool) -> None:
    seat = seat_row(absence_used=10 * DAY)
    game = game_row(clock=FLAT)
    paused = asked(held=20 * DAY)
    assert after_answer(game, seat, paused, NOON + timedelta(days=21), automatic) == {}


def test_an_absence_before_a_pause_goes_back_alone() -> None:
    seat = seat_row(absence_used=10 * DAY)
    game = game_row(clock=FLAT)
    stands = [[span.isoformat() for span in days(3, 5)]]
    both = asked(held=6 * DAY, stands=stands)
    changes = after_answer(game, seat, both, NOON.replace(day=12), automatic=True)
    assert changes == {"absence_used": 8 * DAY}


# Reminders


@pytest.mark.parametrize(
    ("choice", "hours"),
    [
        ([], []),
        (["half"], [5]),
        (["fifth"], [8]),
        (["two_hours", "half"], [5, 8]),
        (["fifth", "half", "two_hours"], [5, 8]),  # a fifth of ten hours is two: once is enough
    ],
)
def test_reminders_come_when_so_much_is_left(choice: list[str], hours: list[int]) -> None:
    found = reminder_times(NOON, NOON + timedelta(hours=10), choice, None)
    assert found == [NOON + timedelta(hours=hour) for hour in hours]


def test_nobody_is_reminded_two_hours_before_the_end_of_one_hour() -> None:
    assert reminder_times(NOON, NOON + timedelta(hours=1), ["two_hours"], None) == []
    assert reminder_times(NOON, NOON + timedelta(hours=2), ["two_hours"], None) == []


@pytest.mark.parametrize(
    ("opened", "due", "reminded"),
    [
        # asleep, but there is time after waking
        ("2026-03-02T12:00:00+01:00", "2026-03-03T07:30:00+01:00", "2026-03-03T07:00:00+01:00"),
        # not enough of it: before they go to sleep
        ("2026-03-02T12:00:00+01:00", "2026-03-03T07:29:00+01:00", "2026-03-02T22:29:00+01:00"),
        ("2026-03-02T22:28:00+01:00", "2026-03-03T07:00:00+01:00", "2026-03-02T22:29:00+01:00"),
        # they were asked when they slept already: the last chance
        ("2026-03-02T22:29:00+01:00", "2026-03-03T07:00:00+01:00", "2026-03-03T05:00:00+01:00"),
        # awake
        ("2026-03-02T12:00:00+01:00", "2026-03-02T20:00:00+01:00", "2026-03-02T18:00:00+01:00"),
    ],
)
def test_nobody_is_woken_unless_it_is_the_last_chance(opened: str, due: str, reminded: str) -> None:
    assert reminder_times(at(opened), at(due), ["two_hours"], NIGHT) == [at(reminded)]


# What holds for everybody

# A slow machine is no reason to fail.
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

zones = st.sampled_from(
    ["UTC", "Europe/Rome", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]
).map(ZoneInfo)
# Around both changes of the clocks as well as anywhere else.
instants = st.one_of(
    st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    st.sampled_from(
        ["2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01"]
    )
    .map(lambda day: datetime.fromisoformat(f"{day}T00:00:00+00:00"))
    .flatmap(
        lambda day: st.integers(-36 * 60, 36 * 60).map(lambda more: day + timedelta(minutes=more))
    ),
)


@st.composite
def sleeps(draw: st.DrawFn) -> Sleep:
    begins = draw(st.integers(0, 24 * 60 - 1))
    longest = int(MOST_SLEEP.total_seconds()) // 60
    ends = (begins + draw(st.integers(1, longest))) % (24 * 60)
    return Sleep(draw(zones), time(begins // 60, begins % 60), time(ends // 60, ends % 60))


@st.composite
def announced(draw: st.DrawFn, around: datetime = NOON) -> list[Span]:
    pairs = draw(st.lists(st.tuples(st.integers(-400, 3000), st.integers(1, 900)), max_size=4))
    starts = [(around + timedelta(hours=start), hours) for start, hours in pairs]
    return merged(Span(start, start + timedelta(hours=hours)) for start, hours in starts)


@calm
@given(sleeps(), instants)
def test_nobody_is_awake_before_they_slept_and_nobody_sleeps_when_awake(
    sleep: Sleep, due: datetime
) -> None:
    awake = sleep.awake(due)
    assert sleep.night(awake) is None
    assert due <= awake <= due + MOST_SLEEP + timedelta(hours=1)
    assert sleep.awake(awake) == awake
    night = sleep.night(due)
    assert (night is None) == (awake == due)
    if night is not None:
        assert night.start <= due < night.end == awake


@calm
@given(sleeps(), instants, st.integers(0, 3 * 24 * 60))
def test_what_ends_later_is_not_due_earlier(sleep: Sleep, due: datetime, later: int) -> None:
    assert sleep.awake(due) <= sleep.awake(due + timedelta(minutes=later))


@calm
@given(sleeps() | st.none(), st.integers(0, 30 * DAY), st.integers(0, 60 * DAY), st.data())
def test_a_due_instant_is_never_in_the_night_and_never_too_early(
    sleep: Sleep | None, seconds: int, budget: int, data: st.DataObject
) -> None:
    absences = data.draw(announced())
    found = term(seconds, NOON, sleep, absences, budget)
    standing = length(found.stands)
    assert standing <= budget
    assert sleep is None or sleep.night(found.due_at) is None
    ran_out = NOON + timedelta(seconds=seconds + standing)
    assert found.due_at == (ran_out if sleep is None else sleep.awake(ran_out))
    for stand in found.stands:
        assert NOON <= stand.start < stand.end <= ran_out
        assert any(span.start <= stand.start and stand.end <= span.end for span in absences)


@calm
@given(st.integers(0, 30 * DAY), st.integers(0, 60 * DAY), st.integers(0, 30 * DAY), st.data())
def test_more_time_and_more_budget_never_mean_an_earlier_end(
    seconds: int, budget: int, more: int, data: st.DataObject
) -> None:
    absences = data.draw(announced())
    due = term(seconds, NOON, None, absences, budget).due_at
    assert due <= term(seconds + more, NOON, None, absences, budget).due_at
    assert due <= term(seconds, NOON, None, absences, budget + more).due_at
    assert due <= term(seconds, NOON + timedelta(seconds=more), None, absences, budget).due_at


@calm
@given(
    st.floats(0.05, 1440),
    st.floats(0, 100),
    st.floats(0.05, 1440),
    st.lists(st.tuples(st.integers(0, 90 * DAY), announced()), min_size=1, max_size=8),
)
def test_a_bank_is_never_less_than_nothing_nor_more_than_its_cap(
    start: float, increment: float, cap: float, answers: list[tuple[int, list[Span]]]
) -> None:
    clock = complete(
        {
            "kind": "bank",
            "start_hours": start,
            "increment_hours": increment,
            "cap_hours": max(cap, increment),
        }
    )
    bank, most = first_bank(clock), allowance(clock, 10**9)
    for after, absences in answers:
        allowed = allowance(clock, bank)
        assert 0 <= allowed <= most
        stands = term(allowed, NOON, None, absences, absence_left(clock, 0)).stands
        answered = NOON + timedelta(seconds=after)
        bank = bank_after(clock, unused(allowed, NOON, answered, stands))
        assert bank is not None
        assert 0 <= bank <= allowed
        assert bank >= allowed - after, "nobody is charged for more than has passed"


@calm
@given(
    instants,
    st.integers(60, 40 * DAY),
    st.lists(st.sampled_from(REMINDERS), max_size=4),
    sleeps() | st.none(),
)
def test_reminders_are_between_the_question_and_the_end_and_in_order(
    opened: datetime, seconds: int, choice: list[str], sleep: Sleep | None
) -> None:
    due = term(seconds, opened, sleep).due_at
    found = reminder_times(opened, due, choice, sleep)
    assert found == sorted(set(found))
    assert all(opened < instant < due for instant in found)
    assert len(found) <= len(set(choice))
    for instant in found:
        night = None if sleep is None else sleep.night(instant)
        if night is not None:
            assert night.start - timedelta(minutes=1) <= opened
            assert due - night.end < timedelta(minutes=30)


@calm
@given(
    st.sampled_from([BANK, DEFAULT_CLOCK, {"kind": "none", "absence_days": 0}]), sleeps(), st.data()
)
def test_without_absences_nobody_waits_longer_than_everybody_was_told(
    clock: dict[str, Any], sleep: Sleep, data: st.DataObject
) -> None:
    opened = data.draw(instants)
    bank = data.draw(st.integers(0, 1000 * HOUR))
    assert term(allowance(clock, bank), opened, sleep).due_at <= opened + longest_wait(clock)


@calm
@given(st.integers(0, MOST_ABSENCE_DAYS), st.integers(0, 100 * DAY))
def test_a_budget_is_never_negative(given_days: int, used: int) -> None:
    assert 0 <= absence_left({"absence_days": given_days}, used) <= given_days * DAY
