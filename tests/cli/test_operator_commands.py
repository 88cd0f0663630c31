"""Commands for the operator: status, sweep, outbox, mail, audit, backup, copy."""

import json
import os
import re
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
import redis
from flask import Flask
from prometheus_client import REGISTRY, generate_latest
from sqlalchemy import select, update
from structlog.testing import capture_logs

from engine.contract import Json
from service.app import create_app
from service.core.config import Settings
from service.core.ids import new_id
from service.db import heartbeats
from service.db.models import (
    Delivery,
    Game,
    Incoming,
    IncomingState,
    Letter,
    LetterState,
    Person,
    Webhook,
)
from service.db.session import db, transact
from service.mail.inbound.intake import set_aside
from service.mail.outgoing import sender, server_backoff
from service.notify.channels import deliveries
from service.ops.gauges import refresh_gauges
from tests.servers.ports import free_port
from tests.support import steps
from tests.support.autoplay import answer_automatically
from tests.support.commands import Said, set_environment
from tests.support.incoming import (
    ANN,
    arrives,
    incoming,
    mail,
    our_address,
    sent_letter,
)
from tests.support.site import Caller, Site, settings_for
from worker.schedule import JOBS, QUEUES

T = TypeVar("T")
FLAT = {"kind": "flat", "hours": 24}


@pytest.fixture
def said(
    site: Site,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Said:
    """Commands on the database and by the clock of the site."""
    set_environment(monkeypatch, site.settings.database_url, tmp_path / "data")
    by_clock_of(monkeypatch, site)
    return Said(capsys)


def by_clock_of(monkeypatch: pytest.MonkeyPatch, site: Site) -> None:
    def created(settings: Settings) -> Flask:
        return create_app(settings, site.clock)

    monkeypatch.setattr("service.app.create_app", created)
    monkeypatch.setattr("service.cli.command_app.database_app", created)


def inside(site: Site, work: Callable[[], T]) -> T:
    with site.app.app_context():
        return transact(work)


def beat(site: Site, *names: str, at: datetime | None = None) -> None:
    """These jobs ran just now; without names, all of them."""
    with site.app.app_context():
        for job in JOBS:
            if not names or job.name in names:
                heartbeats.beat(job.name, max(20, int(job.every)), at or site.clock())


def write(site: Site, **values: Any) -> str:
    """A letter in the outbox; its id."""
    letter_id = new_id()
    plain = {
        "id": letter_id,
        "kind": "sign_in",
        "to": "anna@example.org",
        "subject": "Your code",
        "text": "It is 123.",
        "created_at": site.clock(),
        "next_try_at": None,
    }

    def work() -> None:
        db.session.add(Letter(**(plain | values)))

    inside(site, work)
    return letter_id


def letter(site: Site, letter_id: str) -> Letter:
    with site.app.app_context():
        return db.session.get_one(Letter, letter_id)


# Status


def test_a_healthy_service_has_no_warnings(said: Said, site: Site) -> None:
    anna = site.person("Anna")
    site.game_of(anna, bots=1, clock=FLAT)
    write(site, state="sent", sent_at=site.clock())
    beat(site, at=site.clock() - timedelta(seconds=7))
    told = said.well("status")
    assert "0 open, 1 running (0 paused, 0 frozen), 0 finished, 0 cancelled" in told
    assert "2 open (1 of people, 1 of bots); 0 overdue" in told
    assert "0 pending, 1 sent, 0 skipped, 0 failed, 0 dead" in told
    assert "in memory, without Redis" in told
    assert re.search(r"deadlines +7 s ago, every 20 s", told)
    assert "!" not in told


def test_a_missing_worker_is_a_warning(said: Said) -> None:
    code, out, _ = said.any("status")
    assert code == 1
    for job in JOBS:
        assert f"! Job '{job.name}' has never run. Is a worker consuming its queue?" in out


def test_overdue_decisions_are_a_warning(said: Said, site: Site) -> None:
    site.game_of(site.person("Anna"), bots=1, clock=FLAT)
    site.let_bots_play()
    site.clock.advance(hours=24, minutes=4)
    beat(site)
    assert "1 overdue, the longest for 4 min" in said.well("status")
    site.clock.advance(minutes=2)
    beat(site)
    code, out, _ = said.any("status")
    assert code == 1
    assert "! 1 decision overdue" in out


def test_waiting_bots_are_a_warning(said: Said, site: Site) -> None:
    site.game_of(site.person("Anna"), bots=1, clock=FLAT)
    site.clock.advance(minutes=6)
    beat(site)
    code, out, _ = said.any("status")
    assert code == 1
    assert "! 1 decision of bots not answered" in out


def test_a_job_without_heartbeats_is_a_warning(said: Said, site: Site) -> None:
    beat(site)
    site.clock.advance(seconds=60)
    said.well("status")
    site.clock.advance(seconds=1)
    code, out, _ = said.any("status")
    assert code == 1
    assert "! Job 'deadlines' has not run since 2026-03-02 12:00:00 UTC." in out
    assert "'purge'" not in out, "that one comes every hour"


def test_dead_letters_are_a_warning_for_a_while(said: Said, site: Site) -> None:
    write(site, state="dead", error="550 no such user")
    beat(site)
    code, out, _ = said.any("status")
    assert code == 1
    assert "! 1 letter given up lately: see `laguna outbox list --state dead`." in out
    site.clock.advance(days=3)
    beat(site)
    assert "1 dead" in said.well("status")


def test_unsent_letters_are_a_warning(said: Said, site: Site) -> None:
    write(site, next_try_at=site.clock() + timedelta(hours=1))
    beat(site)
    assert "due for" not in said.well("status")
    site.clock.advance(hours=1, minutes=6)
    beat(site)
    code, out, _ = said.any("status")
    assert code == 1
    assert "the longest due for 6 min" in out
    assert "! Letters are overdue" in out


def test_a_frozen_game_is_a_warning(said: Said, site: Site) -> None:
    game_id = site.game_of(site.person("Anna"), bots=1, clock=FLAT)
    inside(
        site,
        lambda: db.session.execute(
            update(Game).where(Game.id == game_id).values(frozen_at=site.clock())
        ),
    )
    site.clock.advance(days=2)
    beat(site)
    code, out, _ = said.any("status")
    assert code == 1
    assert "1 running (0 paused, 1 frozen)" in out
    assert f"! 1 game frozen: see `laguna audit {game_id}`." in out
    assert out.count("!") == 1, "nothing of it counts as overdue"


def test_a_program_can_read_the_status(said: Said, site: Site) -> None:
    site.game_of(site.person("Anna"), bots=1, clock=FLAT)
    beat(site)
    told = json.loads(said.well("status", "--json"))
    assert told["warnings"] == []
    assert told["queues"] is None
    assert told["status"]["games"]["running"] == 1
    assert told["status"]["decisions"]["of_bots"] == 1
    assert told["status"]["letters"]["by_state"]["dead"] == 0
    jobs = {job["name"]: job for job in told["status"]["jobs"]}
    assert jobs.keys() == {job.name for job in JOBS}
    assert jobs["deadlines"]["at"] == "2026-03-02T12:00:00Z"
    site.clock.advance(days=1)
    code, out, _ = said.any("status", "--json")
    assert code == 1
    assert json.loads(out)["warnings"]


def test_unprocessed_and_failed_mails_are_a_warning(said: Said, site: Site) -> None:
    to = our_address(site, sent_letter(site))
    for _ in range(2):
        arrives(site, mail(to), to)
    beat(site)
    assert "mail in      2 pending, 0 done, 0 dropped, 0 dead" in said.well("status")
    site.clock.advance(minutes=6)
    beat(site)
    code, out, _ = said.any("status")
    assert code == 1
    assert "! Incoming mails are not processed" in out
    changed = {"state": IncomingState.dead, "next_try_at": None, "done_at": site.clock()}
    inside(site, lambda: db.session.execute(update(Incoming).values(**changed)))
    code, out, _ = said.any("status")
    assert code == 1
    assert "! 2 incoming mails set aside lately: see `laguna mail list --state dead`." in out


def set_aside_mails(site: Site, *raw: bytes, recipient: str | None = None) -> list[str]:
    at = site.clock()
    with site.app.app_context(), capture_logs():
        return [set_aside(one, recipient, ANN, "imap", at, "ValueError at x:1") for one in raw]


def test_mails_that_were_set_aside_are_listed_and_shown(said: Said, site: Site) -> None:
    assert said.well("mail", "list") == "No incoming mail is pending or dead.\n"
    to = our_address(site, sent_letter(site))
    [number] = set_aside_mails(site, mail(to, "quartz-3"), recipient=to)
    line = said.well("mail", "list", "--state", "dead")
    assert line.startswith(f"{number}  imap  dead     turn    2026-03-02 12:00:00 UTC  {ANN}  (")
    assert line.rstrip().endswith("(ValueError at x:1)")
    shown = said.well("mail", "show", number)
    assert "error:        ValueError at x:1" in shown
    assert "quartz-3" in shown
    [told] = json.loads(said.well("mail", "list", "--json"))
    assert (told["id"], told["state"], told["error"]) == (number, "dead", "ValueError at x:1")
    assert json.loads(said.well("mail", "show", number, "--json"))["text"].endswith("quartz-3\r\n")
    assert said.well("mail", "list", "--state", "done") == "No incoming mail is done.\n"
    assert "There is no incoming mail with this id." in said.wrong("mail", "show", "x")


def test_mails_that_were_set_aside_are_processed_again(said: Said, site: Site) -> None:
    """Those of a known letter by the worker, the others as if they had just come."""
    letter = sent_letter(site)
    to, other = our_address(site, letter), our_address(site, letter, "off")
    [known] = set_aside_mails(site, mail(to), recipient=to)
    [unknown, hopeless] = set_aside_mails(site, mail(other), mail("nobody@localhost"))
    received = site.clock()
    site.clock.advance(hours=2)
    assert said.well("mail", "retry", known) == "1 of 1 mail will be processed again.\n"
    code, out, _ = said.any("mail", "retry", "--all")
    assert code == 1
    assert out.splitlines() == [
        f"{hopeless}  It has no address of this service.",
        "1 of 2 mails will be processed again.",
    ]
    mails = {one.id: one for one in incoming(site)}
    assert unknown not in mails
    assert mails.pop(hopeless).state == "dead"
    assert {one.state for one in mails.values()} == {"pending"}
    assert {one.purpose for one in mails.values()} == {"turn", "off"}
    assert {one.received_at for one in mails.values()} == {received}
    assert mails[known].next_try_at == site.clock()


def test_mails_that_were_set_aside_are_dropped(said: Said, site: Site) -> None:
    to = our_address(site, sent_letter(site))
    raw = mail(to, "secret")
    [known] = set_aside_mails(site, raw, recipient=to)
    set_aside_mails(site, mail("nobody@localhost"))
    assert said.well("mail", "drop", "--all") == "2 of 2 mails dropped.\n"
    [kept] = incoming(site)
    assert (kept.id, kept.state, kept.reason) == (known, "dropped", "operator")
    assert b"secret" not in (kept.raw or b"")
    assert not arrives(site, raw, to).new, "it is known if it comes again"


def test_only_what_was_set_aside_can_be_processed_again_or_dropped(said: Said, site: Site) -> None:
    to = our_address(site, sent_letter(site))
    waiting = arrives(site, mail(to), to).id
    with site.app.app_context(), capture_logs():
        away = set_aside(None, None, "", "imap", site.clock(), "the IMAP server failed at UID 1")
    for command in ("retry", "drop"):
        code, out, _ = said.any("mail", command, waiting, "x")
        assert code == 1
        assert f"{waiting}  It was not set aside." in out
        assert "x  There is no incoming mail with this id." in out
        assert "Name mails by their ids, or use --all" in said.wrong("mail", command)
        assert "Name mails by their ids, or use --all" in said.wrong("mail", command, "x", "--all")
    code, out, _ = said.any("mail", "retry", away)
    assert code == 1
    assert "move it back to the inbox" in out
    assert "(its text is not stored)" in said.well("mail", "show", away)
    [told] = json.loads(said.well("mail", "drop", away, "--json"))
    assert told["outcome"] == "dropped"


def test_the_mail_intake_is_checked_only_if_configured(
    said: Said, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    beat(site)
    said.well("status")
    monkeypatch.setenv("LAGUNA_MAIL_IN", "lmtp://127.0.0.1:2424")
    for command in (["status"], ["status", "--queues", "mail-in"]):
        code, out, _ = said.any(*command)
        assert code == 1
        assert "! Job 'mail-in' has never run" in out
    with site.app.app_context():
        heartbeats.beat(heartbeats.MAIL_IN, 20, site.clock())
    assert "mail-in" in said.well("status")
    assert "mail-in" in said.well("status", "--queues", "mail-in,bots")


def test_an_unreachable_mail_server_is_a_warning(said: Said, site: Site) -> None:
    write(site)
    with site.app.app_context():
        server_backoff.note_away("mx.example:25", site.clock(), "no connection: TimeoutError")
    site.clock.advance(minutes=6)
    beat(site)
    code, out, _ = said.any("status")
    assert code == 1
    [warning] = [line for line in out.splitlines() if line.startswith("!")]
    since = "unreachable since 2026-03-02 12:00:00 UTC: no connection: TimeoutError"
    assert warning == f"! Mail server mx.example:25 {since}."
    with site.app.app_context():
        refresh_gauges(site.clock())
    assert REGISTRY.get_sample_value("laguna_mail_server_away_seconds") == 360


def test_unreachable_people_are_counted(said: Said, site: Site) -> None:
    site.person("Anna")
    changed = update(Person).values(unreachable_since=site.clock())
    inside(site, lambda: db.session.execute(changed))
    beat(site)
    assert "; not reachable: 1\n" in said.well("status")


def test_a_health_check_asks_only_for_its_queues(said: Said, site: Site) -> None:
    write(site, state="dead")
    beat(site, "bots")
    assert "bots" in said.well("status", "--queues", "bots")
    code, out, _ = said.any("status", "--queues", "bots,webhooks")
    assert code == 1
    assert out.count("!") == 1
    told = json.loads(said.well("status", "--queues", "bots", "--json"))
    assert [job["name"] for job in told["jobs"]] == ["bots"]
    assert "There is no queue 'chess'" in said.wrong("status", "--queues", "chess")


def test_the_lengths_of_queues_come_from_redis(
    said: Said, site: Site, monkeypatch: pytest.MonkeyPatch, fresh_redis: str
) -> None:
    with redis.Redis.from_url(fresh_redis) as client:
        client.rpush("mail", "one", "two")
    monkeypatch.setenv("LAGUNA_REDIS_URL", fresh_redis)
    beat(site)
    assert "deadlines 0, mail 2, webhooks 0, bots 0, upkeep 0" in said.well("status")
    told = json.loads(said.well("status", "--json"))
    assert told["queues"] == dict.fromkeys(QUEUES, 0) | {"mail": 2}


def test_an_unreachable_redis_is_a_warning(
    said: Said, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAGUNA_REDIS_URL", f"redis://:geheim@127.0.0.1:{free_port()}/0")
    beat(site)
    code, out, err = said.any("status")
    assert code == 1
    assert "! Redis does not answer (ConnectionError)" in out
    assert "geheim" not in out + err


# Sweeping


def test_a_sweep_answers_what_is_overdue_and_tells_what(said: Said, site: Site) -> None:
    anna = site.person("Anna")
    game_id = site.game_of(anna, bots=1, clock=FLAT)
    site.let_bots_play()
    decision = anna.sees(game_id)["decision"]["id"]
    assert said.well("sweep").endswith(
        "0 decisions answered, 0 pauses ended, 0 reminders written.\n"
    )
    site.clock.advance(hours=25)
    told = said.well("sweep")
    assert re.search(rf"{game_id} {decision} answered \(timeout\)\n", told)
    assert "1 decision answered" in told
    assert said.well("sweep").startswith("0 decisions answered")
    log: Any = anna.get(f"/v1/games/{game_id}/log").json
    assert decision in [line["decision"] for line in log["items"]]


def test_a_program_can_read_what_a_sweep_did(said: Said, site: Site) -> None:
    game_id = site.game_of(site.person("Anna"), bots=1, clock=FLAT)
    site.let_bots_play()
    site.clock.advance(hours=25)
    told = json.loads(said.well("sweep", "--json"))
    [answered] = told["answered"]
    assert answered["game_id"] == game_id
    assert answered["seat"] == 0
    assert answered["via"] == "timeout"
    assert (told["failed"], told["pauses"]) == ([], 0)


def test_a_sweep_goes_on_after_what_cannot_be_answered(
    said: Said, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    from service.games import deadlines

    anna = site.person("Anna")
    games = [site.game_of(anna, bots=1, clock=FLAT) for _ in range(2)]
    site.let_bots_play()
    site.clock.advance(hours=25)

    def fail_in_one(game_id: str, decision: str, at: datetime, _: object) -> Any:
        if game_id == games[0]:
            raise ValueError
        return answer_automatically(game_id, decision, at)

    monkeypatch.setattr(deadlines, "answer_automatically", fail_in_one)
    code, out, _ = said.any("sweep")
    assert code == 1
    assert re.search(rf"{games[0]} \S+ failed: ValueError", out)
    assert re.search(rf"{games[1]} \S+ answered", out)


# The outbox


@pytest.fixture
def webhook(site: Site) -> str:
    """A webhook that was registered; its id."""
    anna = site.person("Anna")

    def work() -> str:
        made = Webhook(
            person_id=anna_id,
            url="https://bots.example/laguna",
            secret="whsec_x",  # noqa: S106
            told=0,
            created_at=site.clock(),
        )
        db.session.add(made)
        db.session.flush()
        return made.id

    anna_id = anna.id()
    return inside(site, work)


def deliver(site: Site, webhook_id: str, **values: Any) -> str:
    """A delivery in the outbox; its id."""
    delivery_id = new_id()
    plain = {
        "id": delivery_id,
        "webhook_id": webhook_id,
        "number": 1,
        "type": "game.moved",
        "body": '{"type":"game.moved"}',
        "created_at": site.clock(),
        "next_try_at": None,
    }

    def work() -> None:
        db.session.add(Delivery(**(plain | values)))

    inside(site, work)
    return delivery_id


def delivery(site: Site, delivery_id: str) -> Delivery:
    with site.app.app_context():
        return db.session.get_one(Delivery, delivery_id)


def test_the_outbox_lists_letters_and_deliveries_newest_first(
    said: Said, site: Site, webhook: str
) -> None:
    none = "No letter or webhook delivery is pending or failed or dead.\n"
    assert said.well("outbox") == none
    only = said.well("outbox", "list", "--channel", "letter", "--state", "sent")
    assert only == "No letter is sent.\n"
    ids = []
    for state, error in (("dead", "550 no such user"), ("failed", "451 later"), ("pending", None)):
        ids.append(write(site, state=state, error=error, attempts=2 if error else 0))
        site.clock.advance(minutes=1)
        ids.append(deliver(site, webhook, state=state, error=error, attempts=2 if error else 0))
        site.clock.advance(minutes=1)
    write(site, state="sent")
    write(site, state="skipped", reason="answered")
    lines = said.well("outbox").splitlines()
    assert [line.split()[0] for line in lines] == ids[::-1]
    assert lines == said.well("outbox", "list").splitlines()
    assert (
        "letter   dead     sign_in  anna@example.org  (2 attempts: 550 no such user)" in lines[-1]
    )
    assert "webhook  failed   game.moved  https://bots.example/laguna" in lines[2]
    assert len(said.well("outbox", "list", "--state", "dead").splitlines()) == 2
    assert len(said.well("outbox", "list", "--state", "dead", "--state", "sent").splitlines()) == 3
    assert "(answered)" in said.well("outbox", "list", "--state", "skipped")
    assert len(said.well("outbox", "list", "--channel", "webhook").splitlines()) == 3
    assert len(said.well("outbox", "list", "--last", "2").splitlines()) == 2
    told = json.loads(said.well("outbox", "list", "--json"))
    assert [item["id"] for item in told] == ids[::-1]
    assert told[-1]["why"] == "550 no such user"


def test_one_of_them_is_shown_with_what_it_says(said: Said, site: Site, webhook: str) -> None:
    written = said.well("outbox", "show", write(site, state="dead", error="550 no"))
    assert "state:        dead" in written
    assert "why:          550 no" in written
    assert "created_at:   2026-03-02 12:00:00 UTC" in written
    assert written.endswith("Subject: Your code\n\nIt is 123.\n")
    unwritten = said.well("outbox", "show", write(site, subject=None, text=None))
    assert unwritten.endswith("(composed when it is sent)\n")
    called = json.loads(said.well("outbox", "show", deliver(site, webhook), "--json"))
    assert called["channel"] == "webhook"
    assert called["contents"] == '{"type":"game.moved"}'
    assert "There is no letter or delivery with this id." in said.wrong("outbox", "show", "x")


def test_what_failed_is_tried_again_at_once(said: Said, site: Site, webhook: str) -> None:
    later = site.clock() + timedelta(hours=5)
    one = write(site, state="failed", attempts=4, error="451", next_try_at=later)
    other = deliver(site, webhook, state="dead", attempts=9, error="500")
    untouched = write(site, state="dead", attempts=9)
    site.clock.advance(minutes=1)
    assert "2 of 2 queued for a retry." in said.well("outbox", "retry", one, other)
    for found in (letter(site, one), delivery(site, other)):
        assert (found.state, found.attempts, found.error) == ("pending", 0, None)
        assert found.next_try_at == site.clock()
    assert letter(site, untouched).state == LetterState.dead


def test_everything_dead_or_failed_is_tried_again(
    said: Said, site: Site, webhook: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.ops.outbox_admin.BATCH", 2)
    later = site.clock() + timedelta(hours=5)
    dead = [write(site, state="dead") for _ in range(5)]
    dead_calls = [deliver(site, webhook, state="dead") for _ in range(3)]
    failed = write(site, state="failed", next_try_at=later)
    sent = write(site, state="sent")
    assert "8 of 8" in said.well("outbox", "retry", "--all-dead")
    assert {str(letter(site, one).state) for one in dead} == {"pending"}
    assert {str(delivery(site, one).state) for one in dead_calls} == {"pending"}
    assert letter(site, failed).next_try_at == later
    told = json.loads(said.well("outbox", "retry", "--all-failed", "--json"))
    assert told == [{"id": failed, "channel": "letter", "outcome": "again", "why": None}]
    assert letter(site, sent).state == LetterState.sent
    assert "0 of 0" in said.well("outbox", "retry", "--all-dead", "--all-failed")


def test_items_that_cannot_be_retried_are_refused(said: Said, site: Site, webhook: str) -> None:
    sent, soon = write(site, state="sent"), write(site, state="failed", next_try_at=site.clock())
    off = deliver(site, webhook, state="dead")
    arrived = deliver(site, webhook, state="sent")
    inside(
        site,
        lambda: db.session.execute(
            update(Webhook).where(Webhook.id == webhook).values(disabled_at=site.clock())
        ),
    )
    code, out, _ = said.any("outbox", "retry", sent, soon, off, arrived, "x")
    assert code == 1
    assert f"{sent}  letter   not retried: It has not failed" in out
    assert f"{off}  webhook  not retried: Switch the webhook on again first" in out
    assert f"{arrived}  webhook  not retried: It has not failed" in out
    assert "x  -        not retried: There is no letter or delivery with this id." in out
    assert "0 of 5 queued for a retry, 1 already due." in out
    assert "1 already due" in said.well("outbox", "retry", "--all-failed")
    assert "Use either ids, or --all-dead" in said.wrong("outbox", "retry")
    assert "Use either ids" in said.wrong("outbox", "retry", sent, "--all-dead")


def test_what_is_being_sent_is_left_alone(said: Said, site: Site) -> None:
    until = site.clock() + timedelta(minutes=3)
    claimed = {"claim": new_id(), "claims": 1, "next_try_at": until}
    one = write(site, state="failed", attempts=1, error="451", **claimed)
    assert "0 of 1 queued for a retry, 1 already due" in said.well("outbox", "retry", one)
    assert "1 already due" in said.well("outbox", "retry", "--all-failed")
    found = letter(site, one)
    assert (found.state, found.claim, found.next_try_at) == ("failed", claimed["claim"], until)


def test_what_is_claimed_while_others_are_tried_again_is_left_alone(
    said: Said, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To try many again takes its time, in which what was not due becomes due and is claimed."""
    due = site.clock() + timedelta(minutes=10)
    first, second = sorted(write(site, state="failed", next_try_at=due) for _ in range(2))
    tried = sender.retry
    times: list[datetime] = []

    def slowly(ids: Any, at: datetime) -> int:
        times.append(at)
        done = tried(ids, at)
        site.clock.advance(minutes=20)
        return done

    monkeypatch.setattr(sender, "retry", slowly)
    told = json.loads(said.well("outbox", "retry", "--all-failed", "--json"))
    assert [(one["id"], one["outcome"]) for one in told] == [(first, "again"), (second, "soon")]
    assert times[1] - times[0] == timedelta(minutes=20)
    assert letter(site, second).next_try_at == due


def test_a_letter_that_was_set_aside_begins_anew(said: Said, site: Site) -> None:
    one = write(site, state="dead", claims=6)
    said.well("outbox", "retry", one)
    assert (letter(site, one).state, letter(site, one).claims) == ("pending", 0)


def test_a_delivery_that_is_tried_again_is_due(said: Said, site: Site, webhook: str) -> None:
    one = deliver(site, webhook, state="dead")
    said.well("outbox", "retry", one)
    with site.app.app_context():
        assert [due.id for due in deliveries.due_deliveries(site.clock(), 10, 10)] == [one]


# Auditing


def two_games(site: Site) -> tuple[Caller, list[str]]:
    anna = site.person("Anna")
    return anna, [site.game_of(anna, bots=1, clock=FLAT) for _ in range(2)]


def spoil(site: Site, game_id: str) -> str:
    """Let the stored state be one that never was; the right one."""
    with site.app.app_context():
        right, moves = db.session.execute(
            select(Game.state, Game.moves).where(Game.id == game_id)
        ).one()
    inside(
        site,
        lambda: db.session.execute(update(Game).where(Game.id == game_id).values(moves=moves - 1)),
    )
    return str(right)


def test_games_that_are_as_they_should_be_are_counted(said: Said, site: Site) -> None:
    anna, games = two_games(site)
    site.play_to_the_end(games[1], anna)
    assert said.well("audit") == "1 game audited, 0 with differences.\n"
    assert said.well("audit", "--all") == "2 games audited, 0 with differences.\n"
    assert f"{games[1]} agrees with its log" in said.well("audit", games[1])
    told = json.loads(said.well("audit", "--all", "--json"))
    assert {one["game"] for one in told} == set(games)
    assert all(one["clean"] for one in told)


def test_a_game_that_differs_is_told_frozen_repaired_and_goes_on(said: Said, site: Site) -> None:
    anna, (good, bad) = two_games(site)
    spoil(site, bad)
    code, out, _ = said.any("audit")
    assert code == 1
    assert f"{bad} differs from its log, frozen now\n  game: moves\n" in out
    assert "stored" not in out
    assert "    stored: -1\n    right:  0\n" in said.any("audit", bad, "--values")[1]
    assert "2 games audited, 1 with differences." in out
    assert good not in out
    assert anna.sees(bad)["decision"] is None
    with capture_logs():  # which are written to standard error otherwise
        code, out, _ = said.any("audit", bad, "--json")
    assert code == 1
    [told] = json.loads(out)
    assert (told["clean"], told["frozen_now"]) == (False, False)
    assert told["differences"] == [{"where": "game", "what": "moves"}]
    assert "still differs from its log (game: moves); repair it" in said.wrong(
        "audit", "--thaw", bad
    )
    assert f"{bad} is repaired (game: moves) and not frozen." in said.well("audit", "--repair", bad)
    assert "0 with differences" in said.well("audit", bad)
    assert anna.plays(bad).status_code == 200


def test_a_game_that_was_put_right_by_hand_is_thawed(said: Said, site: Site) -> None:
    anna, (good, bad) = two_games(site)
    spoil(site, bad)
    said.any("audit", bad)
    inside(
        site,
        lambda: db.session.execute(update(Game).where(Game.id == bad).values(moves=0)),
    )
    assert f"{bad} is no longer frozen." in said.well("audit", "--thaw", bad)
    assert anna.plays(bad).status_code == 200
    assert "is not frozen" in said.wrong("audit", "--thaw", good)
    assert said.well("audit", "--repair", good, "--json") == said.well(
        "audit", "--repair", good, "--json"
    )


def test_invalid_audit_arguments_are_refused(said: Said, site: Site) -> None:
    anna, games = two_games(site)
    table = anna.opens()["id"]
    assert "There is no game x." in said.wrong("audit", "x")
    assert f"Game {table} is open" in said.wrong("audit", table)
    assert "not both" in said.wrong("audit", games[0], "--all")
    assert "take the only games" in said.wrong("audit", games[0], "--thaw", games[1])


# Backup and restore


@pytest.fixture
def files(site: Site, tmp_path: Path) -> "Files":
    return Files(site, tmp_path)


class Files:
    def __init__(self, site: Site, tmp_path: Path) -> None:
        self.site = site
        self.database = tmp_path / "laguna.db"
        self.copy = tmp_path / "copies" / "copy.db"
        self.copy.parent.mkdir()

    def close(self) -> None:
        """Nobody has the database open any more."""
        with self.site.app.app_context():
            db.session.remove()
            db.engine.dispose()

    def names(self, path: Path | None = None) -> list[str]:
        with closing(sqlite3.connect(path or self.database)) as opened:
            return [name for (name,) in opened.execute("SELECT name FROM person ORDER BY name")]

    def beside(self) -> set[str]:
        return {path.name for path in self.database.parent.glob("*laguna.db*")}


def test_a_backup_is_made_while_the_service_runs(said: Said, files: Files) -> None:
    files.site.person("Anna")
    told = said.well("backup", str(files.copy))
    assert re.search(r"copy\.db: 0\.\d MB, tables of revision \d{4}, checked\.", told)
    assert "Keep LAGUNA_SECRET_KEY with it" in told
    assert stat.S_IMODE(files.copy.stat().st_mode) == 0o600
    assert [path.name for path in files.copy.parent.iterdir()] == ["copy.db"], "one file, no more"
    files.site.person("Ben")
    assert files.names(files.copy) == ["Anna"]
    assert files.names() == ["Anna", "Ben"]


def test_a_copy_is_of_one_instant_though_others_write(said: Said, files: Files) -> None:
    """Every person of it has a session, which is written in the same transaction."""
    done = threading.Event()

    def write_on() -> None:
        number = 0
        while not done.is_set():
            files.site.person(f"Anna {number}", f"anna{number}@example.org")
            number += 1

    writer = threading.Thread(target=write_on)
    writer.start()
    copies = [files.copy.with_name(f"{n}.db") for n in range(5)]
    try:
        for copy in copies:
            said.well("backup", str(copy))
    finally:
        done.set()
        writer.join()
    for copy in copies:
        with closing(sqlite3.connect(copy)) as opened:
            people, sessions = (
                opened.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
                for table in ("person", "credential")
            )
        assert people == sessions


def test_nothing_is_ever_overwritten(said: Said, files: Files) -> None:
    files.copy.write_text("precious")
    assert "nothing is overwritten" in said.wrong("backup", str(files.copy))
    assert files.copy.read_text() == "precious"
    assert [path.name for path in files.copy.parent.iterdir()] == ["copy.db"]
    nowhere = files.copy.parent / "no" / "where.db"
    assert "No such file or directory" in said.wrong("backup", str(nowhere))


def test_a_copy_is_put_back_and_the_old_one_kept(said: Said, files: Files) -> None:
    files.site.person("Anna")
    said.well("backup", str(files.copy))
    files.site.person("Ben")
    files.close()
    assert "Add --yes" in said.well("restore", str(files.copy))
    assert files.names() == ["Anna", "Ben"]
    told = said.well("restore", str(files.copy), "--yes")
    [kept] = re.findall(r"is kept as (.*)\.\n", told)
    assert files.names() == ["Anna"]
    assert files.names(Path(kept)) == ["Anna", "Ben"]
    assert stat.S_IMODE(files.database.stat().st_mode) == 0o600
    assert files.beside() == {"laguna.db", Path(kept).name}
    assert files.names(files.copy) == ["Anna"]
    files.site.person("Carla")  # the service goes on with it
    assert files.names() == ["Anna", "Carla"]


def test_what_was_not_yet_in_the_file_itself_is_kept_too(said: Said, files: Files) -> None:
    """A service that was killed leaves its newest pages in a file beside the database."""
    files.site.person("Anna")
    said.well("backup", str(files.copy))
    code = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA journal_mode=WAL')\n"
        "c.execute(\"UPDATE person SET name = 'Zoe'\")\n"
        "os._exit(0)\n"
    )
    files.close()
    subprocess.run([sys.executable, "-c", code, str(files.database)], check=True)
    assert files.database.with_name("laguna.db-wal").stat().st_size > 0
    [kept] = re.findall(r"is kept as (.*)\.\n", said.well("restore", str(files.copy), "--yes"))
    assert files.names() == ["Anna"]
    assert files.names(Path(kept)) == ["Zoe"]


def test_a_copy_is_not_put_in_the_place_of_a_database_in_use(said: Said, files: Files) -> None:
    files.site.person("Anna")
    said.well("backup", str(files.copy))
    files.site.person("Ben")
    files.close()
    code = (
        "import sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1])\n"
        "c.execute('SELECT count(*) FROM person').fetchall()\n"
        "print('open', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(files.database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as idle:
        assert idle.stdout is not None
        idle.stdout.readline()
        told = said.wrong("restore", str(files.copy), "--yes")
        assert "is in use; stop the service and its workers first" in told
        assert idle.stdin is not None
        idle.stdin.close()
    assert files.names() == ["Anna", "Ben"]
    said.well("restore", str(files.copy), "--yes")


def test_a_copy_can_be_put_where_nothing_was(
    said: Said, files: Files, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files.site.person("Anna")
    said.well("backup", str(files.copy))
    new = tmp_path / "elsewhere" / "laguna.db"
    monkeypatch.setenv("LAGUNA_DATABASE_URL", f"sqlite:///{new}")
    assert "There is no database at" in said.wrong("backup", str(tmp_path / "x.db"))
    assert "is kept as" not in said.well("restore", str(files.copy), "--yes")
    assert files.names(new) == ["Anna"]


def test_a_damaged_database_can_be_replaced(said: Said, files: Files) -> None:
    files.site.person("Anna")
    said.well("backup", str(files.copy))
    files.close()
    for name in ("laguna.db-wal", "laguna.db-shm"):
        files.database.with_name(name).unlink(missing_ok=True)
    files.database.write_bytes(b"not a database any more" * 1000)
    [kept] = re.findall(r"is kept as (.*)\.\n", said.well("restore", str(files.copy), "--yes"))
    assert files.names() == ["Anna"]
    assert Path(kept).read_bytes().startswith(b"not a database")


def damage(path: Path) -> None:
    """Overwrite a page in the middle."""
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(os.urandom(4096))


def forget_revision(path: Path) -> None:
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("DROP TABLE alembic_version")
        opened.commit()


def from_the_future(path: Path) -> None:
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("UPDATE alembic_version SET version_num = '9999'")
        opened.commit()


def orphan(path: Path) -> None:
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("DELETE FROM person")
        opened.commit()


@pytest.mark.parametrize(
    ("spoil_copy", "told"),
    [
        (damage, "damaged|not a readable database"),
        (forget_revision, "not a database of Laguna"),
        (from_the_future, "revision 9999.* newer"),
        (orphan, "refer to missing rows"),
        (lambda path: path.write_text("Dear diary"), "not a readable database"),
        (lambda path: path.unlink(), "There is no file"),
    ],
)
def test_a_copy_that_is_not_good_is_not_put_back(
    said: Said, files: Files, spoil_copy: Callable[[Path], Any], told: str
) -> None:
    files.site.person("Anna")
    said.well("backup", str(files.copy))
    files.close()
    before = files.database.read_bytes()
    spoil_copy(files.copy)
    assert re.search(told, said.wrong("restore", str(files.copy), "--yes"))
    assert files.database.read_bytes() == before
    assert not [name for name in files.beside() if "before" in name or name.startswith(".")]


def test_older_tables_are_put_back_with_a_word_about_upgrading(
    said: Said, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    said.well("backup", str(files.copy))
    files.close()
    monkeypatch.setattr("service.db.backup.newest_revision", lambda: "later")
    assert "run `laguna db upgrade`" in said.well("restore", str(files.copy), "--yes")


def test_postgresql_backups_use_its_own_tools(
    said: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LAGUNA_DATABASE_URL", "postgresql://anna:geheim@db.example/laguna")
    for command, means in (("backup", "pg_dump"), ("restore", "pg_restore")):
        told = said.wrong(command, str(tmp_path / "copy.db"))
        assert means in told
        assert "geheim" not in told


def test_backup_names_the_secret_key_file(
    said: Said, files: Files, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("LAGUNA_SECRET_KEY")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "secret.key").write_text("k" * 64)
    assert f"Keep {tmp_path}/data/secret.key with it" in said.well("backup", str(files.copy))


# Moving


def with_a_step_taken_back(site: Site, *players: Caller) -> str:
    """A running game whose log has a step that was taken back."""
    game_id = site.game_of(*players, game=steps.KEY, clock=FLAT)
    mover = players[steps.beginning(site, game_id).mover]
    sail = {"decision": mover.sees(game_id)["decision"]["id"], "text": steps.A_TURN[0]}
    assert mover.post(f"/v1/games/{game_id}/moves", sail).status_code == 200
    body = {"decision": mover.sees(game_id)["undoable"]["decision"]}
    assert mover.post(f"/v1/games/{game_id}/undo", body).status_code == 200
    return game_id


def test_everything_moves_to_another_database_and_goes_on(
    said: Said, files: Files, monkeypatch: pytest.MonkeyPatch, postgresql_url: str, tmp_path: Path
) -> None:
    site = files.site
    anna, ben = site.people("Anna", "Ben")
    finished = site.game_of(anna, bots=1)
    site.play_to_the_end(finished, anna)
    rematch: Any = anna.post(f"/v1/games/{finished}/rematch", {}).json
    running = site.game_of(anna, ben, clock=FLAT)
    anna.plays(running)
    undone = with_a_step_taken_back(site, anna, ben)
    assert anna.post("/v1/bots", {"name": "Deep"}).status_code == 201
    monkeypatch.setattr("service.cli.db_copy.BATCH", 7)
    told = said.well("db", "copy", "--to", postgresql_url)
    assert re.search(r"\d+ rows of \d+ tables copied and counted", told)
    assert "not empty" in said.wrong("db", "copy", "--to", postgresql_url)

    monkeypatch.setenv("LAGUNA_DATABASE_URL", postgresql_url)
    assert "0 with differences" in said.well("audit", "--all")
    moved = Site(settings_for(tmp_path, postgresql_url), site.clock)
    after = Caller(moved.client, anna.token)
    for game_id in (finished, running, rematch["id"]):
        assert after.sees(game_id) == anna.sees(game_id)
    for path in ("/v1/bots", "/v1/events?limit=500", f"/v1/games/{undone}/log"):
        assert after.get(path).json == anna.get(path).json
    assert Caller(moved.client, ben.token).plays(running).status_code == 200
    with moved.app.app_context():
        db.session.remove()
        db.engine.dispose()


def test_an_unusable_target_is_refused(said: Said, fresh_postgres: str) -> None:
    assert "are not up to date" in said.wrong("db", "copy", "--to", fresh_postgres)
    assert "not the URL of a database" in said.wrong("db", "copy", "--to", "elsewhere")


# Numbers


@pytest.fixture
def any_said(
    any_site: Site,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Said:
    set_environment(monkeypatch, any_site.settings.database_url, tmp_path / "data")
    by_clock_of(monkeypatch, any_site)
    return Said(capsys)


def numbers(site: Site) -> Json:
    with site.app.app_context():
        refresh_gauges(site.clock())
    text = generate_latest(REGISTRY).decode()
    found = re.findall(r"^(laguna_\w+(?:\{[^}]*\})?) (\S+)$", text, re.MULTILINE)
    return {name: float(value) for name, value in found}


def test_prometheus_and_the_commands_see_the_same_on_both_databases(
    any_said: Said, any_site: Site
) -> None:
    game_id = any_site.game_of(any_site.person("Anna"), bots=1, clock=FLAT)
    write(any_site, state="dead", attempts=5)
    write(any_site, next_try_at=any_site.clock())
    any_site.let_bots_play()
    any_site.clock.advance(hours=24, minutes=30)
    beat(any_site, "deadlines", at=any_site.clock() - timedelta(seconds=90))
    seen = numbers(any_site)
    assert seen['laguna_games{status="running"}'] == 1
    assert seen['laguna_decisions_open{of="people"}'] == 1
    assert seen["laguna_decisions_overdue"] == 1
    assert seen["laguna_overdue_seconds"] == 30 * 60
    assert seen['laguna_outbox_letters{state="dead"}'] == 1
    assert seen["laguna_outbox_letters_due_seconds"] == 24.5 * 3600
    assert seen['laguna_job_age_seconds{job="deadlines"}'] == 90
    assert seen["laguna_games_frozen"] == 0
    code, out, _ = any_said.any("status")
    assert code == 1
    assert "1 overdue, the longest for 30 min" in out
    assert "1 decision answered" in any_said.well("sweep")
    assert numbers(any_site)["laguna_decisions_overdue"] == 0
    assert game_id in any_said.well("audit", game_id)
