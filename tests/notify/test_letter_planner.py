"""Notices: who gets which letter when, and never one that is no longer true."""

import random
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError, OperationalError
from structlog.testing import capture_logs

from engine.contract import GameType, Json
from engine.options import all_options
from engine.registry import GAME_TYPES, game_type_by_key
from service.access.accounts import person_with
from service.accounts.deletion import delete_account
from service.db.models import Decision, Delivery, Event, Game, Letter, Person, Webhook
from service.db.models.events_webhooks import DisabledWhy
from service.db.session import db, transact
from service.mail.outgoing.compose import compose
from service.mail.outgoing.templates import HTML, TEXT, environment
from service.notify import letter_planner as planner
from service.notify.channels.deliveries import write_deliveries
from service.notify.event_log import EVENT_TYPES, Entry, record_events
from service.notify.letter_planner import _Plan, next_at_hour, plan_letters
from service.notify.notification_rules import REGISTRY, Channel, letter_for
from service.notify.reminders import remind
from tests.api.test_secrecy_http import SETUPS, Table, chooses_at_once, imagined
from tests.support.autoplay import answer_automatically
from tests.support.post import (
    DELAY,
    MOST,
    after,
    arrived,
    decision_of,
    mail_arrives,
    skipped,
    wants,
    work,
)
from tests.support.site import NOON, Caller, Site
from tests.support.together import at_once

pytestmark = pytest.mark.usefixtures("without_pictures")

FLAT = {"kind": "flat", "hours": 100}


def pair(site: Site, **kwargs: Any) -> tuple[Caller, Caller, str]:
    anna, ben = site.people("Anna", "Ben")
    return anna, ben, site.game_of(anna, ben, clock=FLAT, **kwargs)


def waits_for(site: Site, game_id: str, *players: Caller) -> Caller:
    """Play until exactly one of them is asked; that one."""
    while True:
        asked = [player for player in players if is_asked(player, game_id)]
        if len(asked) == 1:
            return asked[0]
        assert asked[0].plays(game_id).status_code == 200


def is_asked(player: Caller, game_id: str) -> bool:
    decision = player.sees(game_id)["decision"]
    return decision is not None and not decision["revising"]


def miss(site: Site, game_id: str, caller: Caller) -> None:
    """Let somebody's time run out."""
    decision = decision_of(site, game_id, caller)
    assert decision.due_at is not None
    site.clock.at = decision.due_at + timedelta(minutes=2)
    with site.app.app_context():
        transact(lambda: answer_automatically(game_id, decision.id, site.clock()))


# The registry


def test_every_type_of_event_stands_in_the_registry_with_all_its_channels() -> None:
    assert set(REGISTRY) == set(EVENT_TYPES)
    for channels in REGISTRY.values():
        assert Channel.webhook in channels


def test_webhooks_get_the_events_of_the_registry(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, ben = site.people("Anna", "Ben")
    assert anna.post("/v1/webhooks", {"url": "https://8.8.8.8/hook"}).status_code == 201
    only_mails = {Channel.mail: REGISTRY["game.started"][Channel.mail]}
    changed = {**REGISTRY, "game.started": only_mails}
    monkeypatch.setattr("service.notify.notification_rules.REGISTRY", changed)
    site.game_of(anna, ben)
    with site.app.app_context():
        while write_deliveries(NOON, MOST):
            pass
        written = set(db.session.scalars(select(Delivery.type)))
    assert "decision.opened" in written
    assert "game.started" in {event.type for event in told_to(site, anna)} - written


def test_every_kind_of_letter_has_its_templates() -> None:
    kinds = {kind for name in EVENT_TYPES if (kind := letter_for(name)) is not None}
    for kind in kinds | {"digest", "answer", "sign_in", "invitation"}:
        assert environment(TEXT, "en").get_template(f"{kind}/subject.txt")
        for form in (TEXT, HTML):
            assert environment(form, "en").get_template(f"{kind}/body.jinja")


# Turns


def test_a_turn_is_mailed_after_the_delay_and_once(any_site: Site) -> None:
    anna, ben, game_id = pair(any_site)
    work(any_site)
    after(any_site, seconds=59)
    assert arrived(any_site, anna) == []
    after(any_site, seconds=1)
    [letter] = arrived(any_site, anna)
    assert (letter.kind, letter.game_id) == ("turn", game_id)
    assert letter.decision == anna.sees(game_id)["decision"]["id"]
    after(any_site, hours=1)
    assert len(arrived(any_site, anna)) == len(arrived(any_site, ben)) == 1


def test_a_turn_that_was_taken_meanwhile_is_never_mailed(any_site: Site) -> None:
    anna, ben, game_id = pair(any_site)
    work(any_site)  # settled, and due in a minute
    anna.plays(game_id)
    after(any_site, minutes=5)
    assert arrived(any_site, anna) == []
    assert ("turn", "answered") in skipped(any_site, anna)
    assert len(arrived(any_site, ben)) == 1


def test_a_turn_that_was_taken_before_it_was_settled_needs_no_letter(site: Site) -> None:
    anna, _, game_id = pair(site)
    anna.plays(game_id)
    mail_arrives(site)
    assert arrived(site, anna) == []
    assert ("turn", "answered") in skipped(site, anna)


def test_the_delay_can_be_set(site: Site) -> None:
    pair(site)
    patient = Site(replace(site.settings, mail_delay=600))
    with patient.app.app_context():
        plan_letters(NOON, MOST)
    turns = [letter for letter in site.letters() if letter.kind == "turn"]
    assert {letter.next_try_at for letter in turns} == {NOON + timedelta(minutes=10)}


def test_the_letter_begins_with_the_decision_deadline_and_game(site: Site) -> None:
    anna, ben = site.people("Anna", "Ben")
    anna.patch("/v1/me", {"time_zone": "Europe/Rome"}, headers={"If-Match": "*"})
    game_id = site.game_of(anna, ben, clock=FLAT, title="Evening round")
    game = anna.sees(game_id)
    mail_arrives(site)
    [letter] = arrived(site, anna)
    text = str(letter.text)
    lines = text.splitlines()
    assert letter.subject == "Evening round"
    asked = f"▸ The game has begun, and it is your turn. {game['decision']['question']}"
    assert " ".join(lines[:2]) == asked
    assert lines[2] == "Until Fri 6 Mar, 17:00 CET (4 days 3 h left)."
    assert lines[3] == "##- reply above this line -##"
    assert lines[5].startswith("  1  ")
    assert f"http://localhost:8000/games/{game_id}" in text
    board = anna.get(f"/v1/games/{game_id}/board.txt").get_data(as_text=True)
    assert " ".join(board.split()) in " ".join(text.split())
    assert "POINTS\nYou 0\nBen 0\n" in text


def test_the_choices_are_numbered_the_best_first(site: Site) -> None:
    anna, _, game_id = pair(site)
    mail_arrives(site)
    [letter] = arrived(site, anna)
    seen = anna.sees(game_id)
    moves = seen["decision"]["moves"]
    game = game_type_by_key(seen["game"])
    ranked = game.ranked(seen["position"] | {"decision": seen["decision"]})
    choices = letter.facts["choices"]
    assert choices[: len(moves)] == [moves[number]["text"] for number in ranked]
    assert sorted(ranked) == list(range(len(moves)))
    labels = [moves[number]["label"] for number in ranked]
    assert letter.facts["labels"][: len(moves)] == labels
    text = " ".join(str(letter.text).split())
    for number, label in enumerate(letter.facts["labels"], start=1):
        assert f" {number} {label}" in text
    assert "not by points alone" in text


def test_the_letter_tells_what_happened_since_the_last_turn(site: Site) -> None:
    anna, ben, game_id = pair(site)
    asked = waits_for(site, game_id, anna, ben)
    log = asked.get(f"/v1/games/{game_id}/log").json
    assert log is not None
    mine = asked.sees(game_id)["your_seat"]
    last = max((line["n"] for line in log["items"] if line["seat"] == mine), default=0)
    news = [line for line in log["items"] if line["n"] > last and line["move"] is not None]
    mail_arrives(site)
    text = " ".join(str(arrived(site, asked)[-1].text).split())
    assert ("SINCE YOUR LAST TURN" in text) == bool(news)
    for line in news:
        assert f"- {line['sentences'][0].removesuffix('.')}" in text


def test_the_start_of_a_game_is_mailed_with_the_first_turn_or_alone(site: Site) -> None:
    anna, ben = site.people("Anna", "Ben")
    one_by_one = next(
        one for one in all_options(GAME_TYPES[0]) if not chooses_at_once(GAME_TYPES[0], one, 2)
    )
    game_id = site.game_of(anna, ben, clock=FLAT, options=one_by_one)
    mail_arrives(site)
    first, other = (anna, ben) if is_asked(anna, game_id) else (ben, anna)
    assert [letter.kind for letter in arrived(site, first)] == ["turn"]
    assert "▸ The game has begun, and it is your turn." in str(arrived(site, first)[0].text)
    assert [letter.kind for letter in arrived(site, other)] == ["started"]
    assert ("started", "told_with_turn") in skipped(site, first)


# Ways to be told of turns


def test_several_turns_come_in_one_letter_after_a_while(any_site: Site) -> None:
    anna, ben, first = pair(any_site)
    wants(anna, turns="batched", delay_minutes=30)
    work(any_site)
    any_site.clock.advance(minutes=20)
    second = any_site.game_of(ben, anna, clock=FLAT)
    work(any_site)
    after(any_site, minutes=9)
    assert arrived(any_site, anna, "digest", "turn") == []
    after(any_site, minutes=1)
    [letter] = arrived(any_site, anna, "digest", "turn")
    assert "Anna, 2 games wait for you." in str(letter.text)
    for game_id in (first, second):
        assert f"/games/{game_id}#decision" in str(letter.text)
    assert ("digest", "joined") in skipped(any_site, anna)
    after(any_site, hours=2)
    assert len(arrived(any_site, anna, "digest", "turn")) == 1


def test_a_digest_of_one_turn_offers_its_choices(site: Site) -> None:
    anna, _, game_id = pair(site)
    wants(anna, turns="batched", delay_minutes=5)
    work(site)
    after(site, minutes=5)
    [letter] = arrived(site, anna, "digest")
    assert letter.decision == anna.sees(game_id)["decision"]["id"]
    assert letter.facts["choices"]


def test_a_collected_letter_is_not_sent_when_nothing_waits_any_more(site: Site) -> None:
    anna, _, game_id = pair(site)
    wants(anna, turns="batched", delay_minutes=5)
    work(site)
    anna.plays(game_id)
    after(site, minutes=5)
    assert arrived(site, anna) == []
    assert ("digest", "nothing_open") in skipped(site, anna)


def test_the_daily_letter_comes_at_its_hour_where_somebody_lives(site: Site) -> None:
    anna, _, _ = pair(site)
    zone = {"time_zone": "America/New_York", "mail": {"turns": "daily", "daily_hour": 7}}
    anna.patch("/v1/me", zone, headers={"If-Match": "*"})
    work(site)
    at = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)  # 7:00 in New York
    site.clock.at = at - timedelta(seconds=1)
    work(site)
    assert arrived(site, anna) == []
    site.clock.at = at
    work(site)
    [letter] = arrived(site, anna)
    assert letter.sent_at == at


def letters_become(site: Site, **values: Any) -> None:
    """What was not yet sent was tried, or is just being sent."""
    with site.app.app_context():
        unsent = Letter.next_try_at.is_not(None)
        transact(lambda: db.session.execute(update(Letter).where(unsent).values(**values)))


def settles(site: Site) -> None:
    with site.app.app_context():
        while plan_letters(site.clock(), MOST):
            pass


def waiting(site: Site, caller: Caller, kind: str) -> list[Letter]:
    return [
        letter
        for letter in letters_of(site, caller)
        if letter.kind == kind and letter.next_try_at is not None
    ]


def test_turns_join_a_letter_that_could_not_be_sent_yet(any_site: Site) -> None:
    anna, ben, _ = pair(any_site)
    wants(anna, turns="batched", delay_minutes=30)
    settles(any_site)
    for _ in range(3):
        any_site.clock.advance(minutes=40)
        later = any_site.clock() + timedelta(minutes=1)
        letters_become(any_site, state="failed", attempts=1, next_try_at=later)
        any_site.game_of(ben, anna, clock=FLAT)
        settles(any_site)
    assert len(waiting(any_site, anna, "digest")) == 1
    after(any_site, minutes=1)
    [letter] = arrived(any_site, anna, "digest")
    assert "Anna, 4 games wait for you." in str(letter.text)


def test_turns_do_not_join_a_letter_that_is_just_being_sent(any_site: Site) -> None:
    anna, ben, _ = pair(any_site)
    wants(anna, turns="batched", delay_minutes=30)
    settles(any_site)
    any_site.clock.advance(minutes=30)
    until = any_site.clock() + timedelta(minutes=5)
    letters_become(any_site, claim="somebody", next_try_at=until)
    any_site.game_of(ben, anna, clock=FLAT)
    settles(any_site)
    assert len(waiting(any_site, anna, "digest")) == 2
    # The one who was sending it died; the next one sends both, or rather one.
    after(any_site, minutes=30)
    [letter] = arrived(any_site, anna, "digest")
    assert "Anna, 2 games wait for you." in str(letter.text)
    assert skipped(any_site, anna).count(("digest", "joined")) == 1


def test_turns_join_a_letter_whose_sender_died(site: Site) -> None:
    anna, ben, _ = pair(site)
    wants(anna, turns="batched", delay_minutes=30)
    settles(site)
    letters_become(site, claim="somebody", next_try_at=site.clock())
    site.game_of(ben, anna, clock=FLAT)
    settles(site)
    assert len(waiting(site, anna, "digest")) == 1


def test_a_letter_that_was_joined_after_another_was_sent_is_still_needed(site: Site) -> None:
    anna, ben, _ = pair(site)
    wants(anna, turns="batched", delay_minutes=60)
    settles(site)
    letters_become(site, claim="somebody", next_try_at=NOON + timedelta(minutes=5))
    site.game_of(ben, anna, clock=FLAT)
    settles(site)
    after(site, minutes=10)
    assert len(arrived(site, anna, "digest")) == 1
    site.game_of(ben, anna, clock=FLAT)
    settles(site)
    after(site, minutes=50)
    letters = arrived(site, anna, "digest")
    assert len(letters) == 2
    assert "Anna, 3 games wait for you." in str(letters[1].text)


@pytest.mark.parametrize("in_hand", [False, True])
def test_a_repeated_turn_event_is_mailed_once(site: Site, in_hand: bool) -> None:
    anna, ben, game_id = pair(site)
    settles(site)
    claim = "somebody" if in_hand else None
    later = site.clock() + timedelta(hours=10)
    letters_become(site, state="failed", attempts=1, claim=claim, next_try_at=later)
    for player in (anna, ben):
        assert player.post(f"/v1/games/{game_id}/pause").status_code == 200
    site.clock.advance(hours=1)
    assert anna.delete(f"/v1/games/{game_id}/pause").status_code in (200, 204)
    settles(site)
    assert len(waiting(site, anna, "turn")) == 1 + in_hand
    letters_become(site, claim=None, next_try_at=later)
    after(site, hours=10)
    assert len(arrived(site, anna, "turn")) == 1


def test_a_person_who_wants_turns_sooner_need_not_wait_for_the_daily_letter(any_site: Site) -> None:
    anna, ben = any_site.people("Anna", "Ben")
    wants(anna, turns="daily", daily_hour=11)
    any_site.game_of(anna, ben, clock=FLAT)
    settles(any_site)
    wants(anna, turns="batched", delay_minutes=10)
    any_site.game_of(ben, anna, clock=FLAT)
    settles(any_site)
    after(any_site, minutes=9)
    assert arrived(any_site, anna, "digest") == []
    after(any_site, minutes=1)
    [letter] = arrived(any_site, anna, "digest")
    assert "Anna, 2 games wait for you." in str(letter.text)
    after(any_site, hours=30)
    assert len(arrived(any_site, anna, "digest")) == 1


def test_an_unreadable_game_does_not_block_other_letters(site: Site) -> None:
    anna, ben, broken = pair(site)
    wants(anna, turns="batched", delay_minutes=10)
    for _ in range(2):
        site.game_of(anna, ben, clock=FLAT)
    break_game(site, broken)
    work(site)
    with capture_logs() as logs:
        after(site, minutes=10)
    [letter] = arrived(site, anna, "digest")
    assert "Anna, 2 games wait for you." in str(letter.text)
    assert broken not in str(letter.text)
    assert [line["game"] for line in logs if line["event"] == "turn_left_out"] == [broken]


def test_a_letter_with_nothing_that_can_be_read_is_tried_again(site: Site) -> None:
    anna, _, broken = pair(site)
    wants(anna, turns="batched", delay_minutes=10)
    break_game(site, broken)
    work(site)
    with capture_logs():
        after(site, minutes=10)
    assert [letter.state for letter in waiting(site, anna, "digest")] == ["failed"]


def break_game(site: Site, game_id: str) -> None:
    with site.app.app_context():
        broken = update(Game).where(Game.id == game_id).values(state="{}")
        transact(lambda: db.session.execute(broken))


@pytest.mark.parametrize(
    ("zone", "hour", "at", "expected"),
    [
        # In the night to 29 March Rome skips 2:00 to 3:00.
        ("Europe/Rome", 8, "2026-03-28T20:00", "2026-03-29T06:00"),
        ("Europe/Rome", 8, "2026-03-27T20:00", "2026-03-28T07:00"),
        ("Europe/Rome", 2, "2026-03-28T20:00", "2026-03-29T01:00"),
        # On 25 October it shows 2:00 to 3:00 twice: once is enough.
        ("Europe/Rome", 2, "2026-10-24T20:00", "2026-10-25T00:00"),
        ("Europe/Rome", 2, "2026-10-25T00:00", "2026-10-26T01:00"),
        ("Europe/Rome", 2, "2026-10-25T00:30", "2026-10-26T01:00"),
        ("UTC", 0, "2026-03-02T00:00", "2026-03-03T00:00"),
        ("Nowhere/Land", 5, "2026-03-02T04:59", "2026-03-02T05:00"),
    ],
)
def test_the_hour_of_the_daily_letter_is_right_when_clocks_are_changed(
    zone: str, hour: int, at: str, expected: str
) -> None:
    found = next_at_hour(datetime.fromisoformat(at).replace(tzinfo=UTC), hour, zone)
    assert found == datetime.fromisoformat(expected).replace(tzinfo=UTC)


def kinds_of_letters(site: Site, turns: str, rounds: int) -> list[str]:
    """The mails to somebody with this choice who begins a game and then never plays."""
    anna, ben = site.people("Anna", "Ben")
    wants(anna, turns=turns)
    game_id = site.game_of(anna, ben, clock={"kind": "flat", "hours": 10})
    for _ in range(rounds):
        after(site, hours=4)
        if is_asked(ben, game_id):
            ben.plays(game_id)
        with site.app.app_context():
            late = db.session.scalars(
                select(Decision.id).where(
                    Decision.closed_at.is_(None), Decision.due_at < site.clock() - DELAY
                )
            ).all()
            for decision in late:
                transact(lambda one=decision: answer_automatically(game_id, one, site.clock()))  # type: ignore[misc]
        site.let_bots_play()
    return [letter.kind for letter in arrived(site, anna)]


def test_only_what_is_urgent_means_reminders_and_takeovers(site: Site) -> None:
    assert kinds_of_letters(site, "urgent", 25) == ["reminder"] * 3 + ["away"]


def test_the_preference_off_sends_only_codes(site: Site) -> None:
    assert kinds_of_letters(site, "off", 25) == []
    anna = site.person("Anna")
    table = site.person("Ben").opens(seats=2)["id"]
    site.person("Ben").post(f"/v1/games/{table}/invitations", {"email": "anna@example.org"})
    site.stranger.post("/v1/sign-ins", {"email": "anna@example.org"})
    work(site)
    assert {letter.kind for letter in arrived(site, anna)} == {"sign_in"}


def test_everything_means_turns_reminders_the_takeover_and_the_end(site: Site) -> None:
    found = kinds_of_letters(site, "every", 120)
    assert found[:2] == ["turn", "reminder"]
    assert sorted(set(found)) == ["away", "finished", "reminder", "turn"]
    assert found.count("away") == 1


def test_a_person_who_wants_no_more_mails_gets_none_of_those_that_wait(site: Site) -> None:
    anna, _, _ = pair(site)
    work(site)
    wants(anna, turns="off")
    after(site, minutes=5)
    assert arrived(site, anna) == []
    assert ("turn", "off") in skipped(site, anna)


# Reminders


def test_a_reminder_comes_when_a_fifth_of_the_time_is_left(any_site: Site) -> None:
    anna, _, _ = pair(any_site)
    mail_arrives(any_site)
    any_site.clock.at = NOON + timedelta(hours=80, seconds=-1)
    work(any_site)
    assert arrived(any_site, anna, "reminder") == []
    after(any_site, seconds=1)
    [letter] = arrived(any_site, anna, "reminder")
    text = str(letter.text)
    assert text.startswith("▸ Only 20 h left. ")
    assert letter.picture is None
    assert len(text.splitlines()) < 40, "a reminder is short"
    assert "After that a bot chooses for you." in text
    assert letter.facts["choices"]
    after(any_site, hours=19)
    assert len(arrived(any_site, anna, "reminder")) == 1
    told = [event["type"] for event in events(anna)]
    assert told.count("decision.reminder") == 1


def events(caller: Caller) -> list[Json]:
    answer = caller.get("/v1/events?limit=100").json
    assert answer is not None
    items: list[Json] = answer["items"]
    return items


def test_reminders_come_as_often_as_somebody_chose(site: Site) -> None:
    anna, ben = site.people("Anna", "Ben")
    wants(anna, reminders=["half", "fifth", "two_hours"])
    wants(ben, reminders=[])
    site.game_of(anna, ben, clock=FLAT)
    work(site)
    times: list[int] = []
    for hour in range(1, 100):
        after(site, hours=1)
        if len(arrived(site, anna, "reminder")) > len(times):
            times.append(hour)
    assert times == [50, 80, 98]
    assert arrived(site, ben, "reminder") == []


def reminded_at(site: Site, caller: Caller, hours: int) -> list[int]:
    """After how many hours from noon reminders came."""
    while site.clock() < NOON + timedelta(hours=hours):
        after(site, hours=1)
    came = [letter.sent_at or NOON for letter in arrived(site, caller, "reminder")]
    return [round((at - NOON) / timedelta(hours=1)) for at in came]


def test_reminders_can_be_chosen_when_a_decision_is_open(any_site: Site) -> None:
    anna, ben = any_site.people("Anna", "Ben")
    wants(anna, reminders=[])
    any_site.game_of(anna, ben, clock=FLAT)
    work(any_site)
    wants(anna, reminders=["half", "two_hours"])
    wants(ben, reminders=[])
    assert reminded_at(any_site, anna, 99) == [50, 98]
    assert arrived(any_site, ben, "reminder") == []


def test_new_sleep_counts_for_reminders_of_an_open_decision(site: Site) -> None:
    anna, _, _ = pair(site)
    work(site)
    sleep = {"sleep_from": "19:00", "sleep_to": "03:00", "time_zone": "UTC"}
    assert anna.patch("/v1/me", sleep, headers={"If-Match": "*"}).status_code == 200
    assert reminded_at(site, anna, 99) == [87]  # 80 hours after noon it is 20:00


def test_a_setting_that_reminders_do_not_depend_on_leaves_them_alone(site: Site) -> None:
    anna, _, game_id = pair(site)
    work(site)
    before = decision_of(site, game_id, anna).remind_at
    assert before is not None
    wants(anna, turns="urgent")
    assert decision_of(site, game_id, anna).remind_at == before


def test_a_reminder_that_nobody_wants_any_more_is_not_told(site: Site) -> None:
    """As if the wish had come while somebody else was at the decision."""
    anna, _, game_id = pair(site)
    work(site)
    with site.app.app_context():
        mail = {"reminders": ["two_hours"]}
        transact(lambda: db.session.execute(update(Person).values(mail=mail)))
    assert reminded_at(site, anna, 97) == []
    next_one = decision_of(site, game_id, anna).remind_at
    assert next_one == NOON + timedelta(hours=98)
    assert reminded_at(site, anna, 99) == [98]


def test_what_is_settled_late_is_not_reminded_of_at_once(site: Site) -> None:
    anna, ben = site.people("Anna", "Ben")
    wants(anna, reminders=["fifth", "two_hours"])
    site.game_of(anna, ben, clock=FLAT)
    site.clock.advance(hours=85)  # the worker was down
    mail_arrives(site)
    assert [letter.kind for letter in arrived(site, anna)] == ["turn"]
    assert reminded_at(site, anna, 99) == [98]


def test_changing_settings_waits_for_no_move(any_site: Site) -> None:
    """A move locks decisions before people, and who changes settings has locked themselves."""
    anna, _, game_id = pair(any_site)
    work(any_site)
    other = Site(any_site.settings)
    answers: list[int] = []

    def change() -> None:
        caller = Caller(other.client, anna.token, "Anna")
        changed = caller.patch("/v1/me", {"mail": {"reminders": []}}, headers={"If-Match": "*"})
        answers.append(changed.status_code)
        with other.app.app_context():
            db.engine.dispose()

    def be_at_it() -> None:
        held = select(Decision.id).where(Decision.game_id == game_id).with_for_update()
        db.session.execute(held)
        if db.engine.dialect.name == "postgresql":  # on SQLite all writers wait for each other
            thread.start()
            thread.join(20)
            assert answers == [200]

    thread = threading.Thread(target=change)
    with any_site.app.app_context():
        transact(be_at_it)
    if not answers:
        thread.start()
        thread.join()
    assert answers == [200]
    assert reminded_at(any_site, anna, 99) == []


def test_what_was_answered_is_not_reminded_of(site: Site) -> None:
    anna, ben, game_id = pair(site)
    mail_arrives(site)
    anna.plays(game_id)
    after(site, hours=90)
    assert arrived(site, anna, "reminder") == []
    assert len(arrived(site, ben, "reminder")) == 1


def test_a_reminder_that_comes_too_late_is_left_out(site: Site) -> None:
    anna, _, _ = pair(site)
    mail_arrives(site)
    after(site, hours=101)  # the worker was down, and nobody has played yet
    assert arrived(site, anna, "reminder") == []
    assert "decision.reminder" not in [event["type"] for event in events(anna)]


def test_after_a_pause_the_deadline_is_told_anew_and_reminders_count_from_then(
    site: Site,
) -> None:
    anna, ben, game_id = pair(site)
    mail_arrives(site)
    site.clock.advance(hours=50, seconds=-60)
    for player in (anna, ben):
        assert player.post(f"/v1/games/{game_id}/pause").status_code == 200
    after(site, hours=48)
    assert arrived(site, anna, "reminder") == []
    assert anna.delete(f"/v1/games/{game_id}/pause").status_code in (200, 204)
    resumed = site.clock()
    work(site)
    due = decision_of(site, game_id, anna).due_at
    assert due == resumed + timedelta(hours=50)
    mail_arrives(site)
    assert len(arrived(site, anna, "turn")) == 2
    site.clock.at = resumed + timedelta(hours=40)
    work(site)
    assert len(arrived(site, anna, "reminder")) == 1


# Taking over


def test_a_person_who_stays_away_is_told_how_to_come_back_and_others_are_not(site: Site) -> None:
    anna, ben, game_id = pair(site)
    for _ in range(3):
        while not is_asked(anna, game_id):
            ben.plays(game_id)
        miss(site, game_id, anna)
        work(site)
    [letter] = arrived(site, anna, "away")
    text = str(letter.text)
    assert text.startswith("▸ A bot has been playing for you since ")
    assert f"http://localhost:8000/games/{game_id}" in text
    assert arrived(site, ben, "away") == []


def test_no_takeover_letter_after_the_return(site: Site) -> None:
    anna, ben, game_id = pair(site)
    for _ in range(3):
        while not is_asked(anna, game_id):
            ben.plays(game_id)
        miss(site, game_id, anna)
    with site.app.app_context():
        while plan_letters(site.clock(), MOST):
            pass
    assert anna.post(f"/v1/games/{game_id}/return").status_code in (200, 204)
    work(site)
    assert arrived(site, anna, "away") == []
    assert ("away", "back") in skipped(site, anna)


# News


def test_the_final_letter_has_the_result_and_a_rematch_link(site: Site) -> None:
    anna, ben, game_id = pair(site, title="Evening round")
    site.play_to_the_end(game_id, anna, ben)
    work(site)
    outcome = anna.sees(game_id)["outcome"]
    for seat, player in enumerate((anna, ben)):
        [letter] = arrived(site, player, "finished")
        text = str(letter.text)
        assert f"http://localhost:8000/games/{game_id}" in text
        best, other = sorted(outcome["scores"], reverse=True)
        won = "You" if seat in outcome["winners"] else ("Ben", "Anna")[seat]
        assert text.startswith(f"▸ {won} won {best} : {other}.\n")
        for name, points in zip(("Anna", "Ben"), outcome["scores"]):
            you = " (you)" if name == player.name else ""
            assert f". {name}{you} {points}: " in text


@pytest.mark.parametrize("winners", [[0], [0, 1]])
def test_the_final_letter_names_shared_wins(site: Site, winners: list[int]) -> None:
    anna = site.person("Anna and Otto", "anna@example.org")
    ben = site.person("Ben")
    game_id = site.game_of(anna, ben, clock=FLAT)
    site.play_to_the_end(game_id, anna, ben)
    with site.app.app_context():

        def decide() -> None:
            game = db.session.get_one(Game, game_id)
            game.outcome = {**(game.outcome or {}), "winners": winners}

        transact(decide)
    work(site)
    [letter] = [one for one in site.letters("anna@example.org") if one.kind == "finished"]
    first = str(letter.text).splitlines()[0]
    assert first.startswith("▸ You share the win, " if len(winners) > 1 else "▸ You won ")


def test_letters_about_other_events_can_be_disabled(site: Site) -> None:
    anna, ben, game_id = pair(site)
    wants(anna, news=False)
    site.play_to_the_end(game_id, anna, ben)
    mail_arrives(site)
    assert arrived(site, anna) == []
    assert ("finished", "no_news") in skipped(site, anna)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("@Ben your turn", {"Ben"}),
        ("hello @ben, @ANNA MARIA and @Carla!", {"Ben", "Anna Maria"}),
        ("what does ben think? mail x@ben.example", set()),
        ("@Benjamin, @Anna", {"Anna"}),
        ("@Anna Maria", {"Anna Maria"}),
    ],
)
def test_a_mention_in_chat_is_mailed(site: Site, text: str, named: set[str]) -> None:
    dora = site.person("Dora")
    others = [
        site.person(name, f"{name.replace(' ', '.').lower()}@example.org")
        for name in ("Ben", "Anna", "Anna Maria")
    ]
    game_id = site.game_of(dora, *others, clock=FLAT)
    dora.post(f"/v1/games/{game_id}/messages", {"text": f"{text} @Dora"})
    mail_arrives(site)
    told = {letter.to: letter for letter in site.letters() if letter.kind == "mention"}
    assert set(told) == {f"{name.replace(' ', '.').lower()}@example.org" for name in named}
    for letter in told.values():
        assert letter.state == "sent"
        assert text in str(letter.text)
        assert str(letter.text).startswith("▸ Dora wrote to you in the game:")


def test_mentions_join_the_letter_that_waits(any_site: Site) -> None:
    anna, ben, game_id = pair(any_site)
    other = any_site.game_of(anna, ben, clock=FLAT)
    for number in range(20):
        posted = anna.post(f"/v1/games/{game_id}/messages", {"text": f"@Ben hello {number}"})
        assert posted.status_code == 201
        if number % 5 == 0:
            work(any_site)
    anna.post(f"/v1/games/{other}/messages", {"text": "@Ben over here"})
    mail_arrives(any_site)
    letters = [str(letter.text) for letter in arrived(any_site, ben, "mention")]
    assert len(letters) == 2, "one for each game"
    (long,) = (text for text in letters if "hello" in text)
    assert "@Ben hello 0" in long
    assert "19 more messages were posted since." in long
    (short,) = (text for text in letters if "over here" in text)
    assert "posted since" not in short
    assert skipped(any_site, ben).count(("mention", "joined")) == 19
    anna.post(f"/v1/games/{game_id}/messages", {"text": "@Ben and again"})
    mail_arrives(any_site)
    assert len(arrived(any_site, ben, "mention")) == 3, "after the letter was sent, another"


def test_a_cancelled_table_is_told_to_all_but_its_host(site: Site) -> None:
    anna, ben = site.people("Anna", "Ben")
    table = anna.opens(seats=3, title="Among friends")["id"]
    ben.joins(table)
    assert anna.post(f"/v1/games/{table}/cancel").status_code == 200
    work(site)
    [letter] = arrived(site, ben)
    assert "Anna has cancelled the table" in str(letter.text)
    assert arrived(site, anna) == []


def test_a_rematch_is_offered_by_mail_as_long_as_it_is_open(site: Site) -> None:
    anna, ben, game_id = pair(site)
    site.play_to_the_end(game_id, anna, ben)
    new = anna.post(f"/v1/games/{game_id}/rematch").json
    assert new is not None
    work(site)
    [letter] = arrived(site, ben, "rematch")
    assert f"/games/{new['id']}" in str(letter.text)
    assert arrived(site, anna, "rematch") == []


def test_a_rematch_that_was_accepted_is_not_offered_any_more(site: Site) -> None:
    anna, ben, game_id = pair(site)
    site.play_to_the_end(game_id, anna, ben)
    for player in (anna, ben):
        player.post(f"/v1/games/{game_id}/rematch")
    work(site)
    assert arrived(site, ben, "rematch") == []
    assert ("rematch", "not_open") in skipped(site, ben)


def test_a_webhook_that_was_switched_off_is_told_to_its_owner(site: Site) -> None:
    anna = site.person("Anna")
    made = anna.post("/v1/webhooks", {"url": "https://8.8.8.8/hook"}).json
    assert made is not None
    person = anna.id()

    def switch_off() -> None:
        db.session.execute(
            update(Webhook).values(disabled_at=NOON, disabled_why=DisabledWhy.failures)
        )
        told = {"webhook": made["id"], "reason": "failures"}
        record_events([Entry(person, "webhook.disabled", None, told)], NOON)

    with site.app.app_context():
        transact(switch_off)
    work(site)
    [letter] = arrived(site, anna)
    assert "https://8.8.8.8/hook" in str(letter.text)


# Exactly once, whatever happens


def test_two_that_settle_at_once_write_every_letter_once(any_site: Site) -> None:
    people = any_site.people(*(f"P{n}" for n in range(8)))
    for one, other in zip(people[::2], people[1::2]):
        any_site.game_of(one, other, clock=FLAT)
    sites = [Site(any_site.settings), Site(any_site.settings)]

    def settle_all(site: Site) -> None:
        with site.app.app_context():
            for _ in range(20):
                plan_letters(NOON, MOST)
            db.engine.dispose()

    at_once([partial(settle_all, site) for site in sites])
    turns = [letter.to for letter in any_site.letters() if letter.kind == "turn"]
    assert sorted(turns) == sorted(f"p{n}@example.org" for n in range(8))
    with any_site.app.app_context():
        assert all(
            person.noticed == person.last_event for person in db.session.scalars(select(Person))
        )


def test_a_person_whose_planning_fails_blocks_nobody_else(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, ben, _ = pair(site)
    facts = _Plan._facts

    def wrong(desk: Any, event: Any) -> Json:
        if desk.person.email == "anna@example.org":
            raise IntegrityError("INSERT", {"to": "s3cret"}, Exception("s3cret stands there"))
        return facts(desk, event)

    monkeypatch.setattr(_Plan, "_facts", wrong)
    with capture_logs() as logs:
        mail_arrives(site)
    assert arrived(site, anna) == []
    assert len(arrived(site, ben)) == 1
    assert {line["event"] for line in logs} >= {"letters_not_planned"}
    assert "s3cret" not in str(logs)


@pytest.mark.parametrize("what", ["plan_letters", "remind"])
def test_an_unavailable_database_postpones_planning(
    site: Site, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    pair(site)
    work(site)
    pair(site)
    site.clock.advance(hours=90)

    def away(_: object) -> None:
        raise OperationalError("SELECT", {}, OSError("away"))

    for module in ("letter_planner", "reminders"):
        monkeypatch.setattr(f"service.notify.{module}.transact", away)
    with site.app.app_context(), pytest.raises(OperationalError):
        (plan_letters if what == "plan_letters" else remind)(site.clock(), MOST)


def test_settling_waits_for_no_move_and_no_move_for_it(
    any_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Moves and settling meet at the same games, decisions and people all the time."""
    again: list[float] = []  # transactions that had to be done again, as after a deadlock
    monkeypatch.setattr("service.db.session.time", SimpleNamespace(sleep=again.append))
    anna, ben, game_id = pair(any_site)
    stop = threading.Event()
    failed: list[BaseException] = []
    other = Site(any_site.settings)

    def keep_settling() -> None:
        try:
            with other.app.app_context():
                while not stop.is_set():
                    plan_letters(NOON, MOST)
                    remind(NOON, MOST)
                db.engine.dispose()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=keep_settling)
    thread.start()
    try:
        any_site.play_to_the_end(game_id, anna, ben)
    finally:
        stop.set()
        thread.join()
    assert failed == []
    assert again == []
    work(any_site)
    for player in (anna, ben):
        opened = [e for e in told_to(any_site, player) if e.type == "decision.opened"]
        turns = [one.number for one in letters_of(any_site, player) if one.kind == "turn"]
        assert sorted(turns) == [event.number for event in opened]  # type: ignore[type-var]
        assert [one.kind for one in arrived(any_site, player)] == ["finished"]


def told_to(site: Site, caller: Caller) -> list[Event]:
    person = caller.id()
    with site.app.app_context():
        query = select(Event).where(Event.person_id == person).order_by(Event.number)
        return list(db.session.scalars(query))


def letters_of(site: Site, caller: Caller) -> list[Letter]:
    return site.letters(f"{caller.name.lower()}@example.org")


def test_a_bot_account_gets_no_mail_but_is_reminded_in_its_log(site: Site) -> None:
    anna = site.person("Anna")
    made = anna.post("/v1/bots", {"name": "Glassblower"}).json
    assert made is not None
    token = anna.post(
        f"/v1/bots/{made['id']}/tokens",
        {"name": "t", "scopes": ["games:play", "tables:seek", "games:read", "account:read"]},
    )
    assert token.status_code == 201, token.json
    assert token.json is not None
    bot = Caller(site.client, token.json["secret"], "Glassblower")
    site.game_of(anna, bot, clock=FLAT)
    work(site)
    after(site, hours=90)
    assert {letter.to for letter in site.letters()} == {"anna@example.org"}
    assert "decision.reminder" in [event["type"] for event in events(bot)]


def test_the_letters_of_a_frozen_game_wait_for_nobody(site: Site) -> None:
    anna, _, _ = pair(site)
    work(site)
    with site.app.app_context():
        transact(lambda: db.session.execute(update(Game).values(frozen_at=NOON)))
    after(site, hours=90)
    assert arrived(site, anna) == []
    assert ("turn", "frozen") in skipped(site, anna)


def test_deleted_accounts_get_no_letters(site: Site) -> None:
    anna, _, _ = pair(site)
    work(site)
    anna.delete("/v1/me")
    mail_arrives(site)
    assert site.letters("anna@example.org") == []


def test_accounts_deleted_during_planning_get_no_letters(
    any_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their address must not come back with a letter."""
    pair(any_site)
    settled = planner._plan_person

    def left_before(person: Any, events: Any, at: datetime) -> bool:
        monkeypatch.setattr(planner, "_plan_person", settled)
        for address in ("anna@example.org", "ben@example.org"):
            transact(partial(leaves, address, at))
        return settled(person, events, at)

    def leaves(address: str, at: datetime) -> None:
        person = person_with(address)
        assert person is not None
        delete_account(person, at)

    monkeypatch.setattr(planner, "_plan_person", left_before)
    with any_site.app.app_context():
        plan_letters(any_site.clock(), MOST)
        assert planner._plan_person is settled, "both left in between"
        assert plan_letters(any_site.clock(), MOST) == 0
    assert any_site.letters() == []


# Secrets


@pytest.mark.parametrize(("game", "options", "seats"), SETUPS)
def test_hidden_information_changes_no_byte_of_a_letter(
    site: Site, game: GameType, options: Json, seats: int
) -> None:
    table = Table(site, game, options, seats)
    different = compared = 0
    for _ in islice(table.positions(), 4):
        real = table.state()
        seat = random.choice(table.asked())
        with site.app.app_context():
            while plan_letters(site.clock(), MOST):
                pass
        letter = waiting_letter(site, table, seat)
        before = written(site, letter)
        other = imagined(table, seat, seat, None)
        different += game.dump(other) != game.dump(real)
        table.store(other)
        assert written(site, letter) == before
        compared += 1
    assert compared
    assert different, "the test changed something"


def waiting_letter(site: Site, table: Table, seat: int) -> Any:
    decision = table.game.decision(table.state(), seat)
    with site.app.app_context():
        return db.session.execute(
            select(Letter.__table__).where(
                Letter.person_id == table.people[seat],
                Letter.kind == "turn",
                Letter.decision == decision,
            )
        ).one()


def written(site: Site, letter: Any) -> object:
    with site.app.app_context():
        return compose(letter, site.clock())


def test_a_letter_shows_nobody_elses_note_or_hand(site: Site) -> None:
    anna, ben, game_id = pair(site)
    ben.put(f"/v1/games/{game_id}/note", {"text": "my secret plan"})
    mail_arrives(site)
    [letter] = arrived(site, anna)
    assert "my secret plan" not in str(letter.text)
    own = {move["text"] for move in anna.sees(game_id)["decision"]["moves"]}
    assert {choice.partition(" then ")[0] for choice in letter.facts["choices"]} == own
