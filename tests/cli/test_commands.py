"""The service's commands, as an operator uses them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from sqlalchemy import text

from service.access.scopes import SCOPES
from service.accounts.sign_in import SIGN_IN_FOR
from service.core.clock import wall_clock
from service.db.session import db, transact
from service.mail.outgoing.templates import write_letter
from tests.support.commands import Said, set_environment
from tests.support.site import SECRET_KEY, Site

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, sqlite_url: str, tmp_path: Path) -> None:
    set_environment(monkeypatch, sqlite_url, tmp_path / "data")


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    return Said(capsys)


CREATE = ("token", "create", "--email", "anna@example.org", "--name", "script")


def test_a_token_is_printed_alone_and_works(said: Said, site: Site) -> None:
    secret = said.well(*CREATE, "--scopes", "games:read,account:read", "--create").strip()
    assert re.fullmatch(r"lag_[a-z2-7]+", secret)
    described = site.client.get("/v1/token", headers={"Authorization": f"Bearer {secret}"}).json
    assert described is not None
    assert described["scopes"] == ["games:read", "account:read"]
    assert described["account"]["email"] == "anna@example.org"
    assert described["expires_at"] is None


def test_a_token_for_somebody_unknown_needs_to_be_wanted(said: Said) -> None:
    assert "--create creates one" in said.wrong(*CREATE, "--scopes", "games:read")
    assert "not a mail address" in said.wrong(
        "token", "create", "--email", "anna", "--name", "x", "--scopes", "all", "--create"
    )


def test_an_unknown_scope_is_answered_with_the_scopes_there_are(said: Said) -> None:
    told = said.wrong(*CREATE, "--scopes", "games:reed")
    assert "There is no scope 'games:reed'" in told
    assert all(scope in told for scope in SCOPES)
    assert "needs a scope" in said.wrong(*CREATE, "--scopes", ",")


def test_tokens_are_listed_without_their_secrets_and_revoked(said: Said, site: Site) -> None:
    secret = said.well(*CREATE, "--scopes", "all", "--create", "--days", "3").strip()
    [line] = said.well("token", "list", "--email", "anna@example.org").splitlines()
    token_id = line.split()[0]
    assert secret not in line
    assert "script" in line
    assert "valid until" in line
    assert said.well("token", "revoke", token_id) == "revoked\n"
    refused = site.client.get("/v1/token", headers={"Authorization": f"Bearer {secret}"})
    assert refused.status_code == 401
    assert "revoked" in said.well("token", "list", "--email", "anna@example.org")
    assert "There is no token" in said.wrong("token", "revoke", "x")
    assert "No account has" in said.wrong("token", "list", "--email", "ben@example.org")


def test_a_sign_in_link_works_without_a_mail(said: Said, site: Site) -> None:
    link = said.well("sign-in-link", "anna@example.org").strip()
    assert link.startswith("http://localhost:8000/sign-in/in_")
    signed_in = site.stranger.post("/v1/sessions", {"link": link.rpartition("/")[2]})
    assert signed_in.status_code == 201
    assert site.letters() == []


def test_the_mailbox_shows_letters_newest_last(said: Said, site: Site) -> None:
    assert said.well("mailbox") == "No mail.\n"
    for name in ("anna", "ben"):
        facts = {"code": name, "link": "http://localhost/x"}
        with site.app.app_context():
            transact(
                lambda name=name, facts=facts: write_letter(  # type: ignore[misc]
                    "sign_in",
                    f"{name}@example.org",
                    wall_clock(),
                    wall_clock() + SIGN_IN_FOR,
                    **facts,
                )
            )
    shown = said.well("mailbox")
    assert shown.index("To: anna@") < shown.index("To: ben@")
    assert "waiting" in shown
    assert "ben@" not in said.well("mailbox", "--to", "anna@example.org")
    assert "anna@" not in said.well("mailbox", "--last", "1")
    said.well("work", "--once")
    assert "stored, there is no mail server" in said.well("mailbox")


def test_work_once_says_how_much_was_done(said: Said, site: Site) -> None:
    (alice,) = site.people("Alice")
    site.game_of(alice, bots=1, clock={"kind": "none"})
    assert said.well("work", "--once", "--queues", "bots").splitlines()[-1] == "1 item processed"


def test_the_database_is_created_checked_and_taken_back(
    said: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LAGUNA_DATABASE_URL", f"sqlite:///{tmp_path}/new.db")
    assert "the newest are" in said.wrong("db", "check", code=1)
    assert "run `laguna db upgrade` first" in said.wrong("mailbox")
    assert said.well("db", "upgrade").startswith("upgraded from None to ")
    assert said.well("db", "upgrade").startswith("up to date")
    assert said.well("db", "check").startswith("up to date")
    assert "Can't locate revision" in said.wrong("db", "downgrade", "nonsense")
    assert "None" in said.well("db", "downgrade", "base", "--yes")


def test_going_back_names_what_is_lost_and_needs_a_yes(said: Said, site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = site.game_of(alice, bob)
    told = said.wrong("db", "downgrade", "base")
    assert "table game: 1 row\n" in told
    assert "table person: 2 rows\n" in told
    assert "`laguna backup FILE`" in told
    assert "add --yes. Nothing was changed." in told
    assert alice.sees(game_id)["status"] == "running", "it was only tried"
    assert said.well("db", "check").startswith("up to date")
    told = said.wrong("db", "downgrade", "0001")
    assert "column heartbeat.note" in told
    assert "table game:" not in told
    told = said.well("db", "downgrade", "0001", "--yes")
    assert "The tables are now those of 0001." in told
    assert said.well("db", "upgrade").startswith("upgraded from 0001 to ")
    assert alice.sees(game_id)["status"] == "running"


@pytest.mark.parametrize(
    "command",
    [("upgrade",), ("check",), ("downgrade", "0001"), ("downgrade", "base", "--yes")],
    ids=lambda command: command[0],
)
def test_a_program_older_than_the_database_says_so_in_a_sentence(
    said: Said, site: Site, command: tuple[str, ...]
) -> None:
    with site.app.app_context():
        transact(
            lambda: db.session.execute(text("UPDATE alembic_version SET version_num = 'new1'"))
        )
    told = said.wrong("db", *command)
    assert told.startswith("laguna: The database has the tables of revision new1, which this")
    assert told.endswith("or a newer one. Nothing was changed.\n")
    assert "Traceback" not in told
    for name in ("status", "work", "sweep"):
        code, _, errors = said.any(name, *(["--once"] if name == "work" else []))
        assert code in (0, 1), "tables of a later release will do"
        assert "Traceback" not in errors


def test_a_database_on_postgresql_is_created_too(
    said: Said, monkeypatch: pytest.MonkeyPatch, fresh_postgres: str
) -> None:
    monkeypatch.setenv("LAGUNA_DATABASE_URL", fresh_postgres)
    assert said.well("db", "upgrade").startswith("upgraded from None to ")
    assert said.well("db", "check").startswith("up to date")


def test_a_database_that_is_away_is_told_in_a_sentence_without_its_password(
    said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAGUNA_DATABASE_URL", "postgresql://anna:geheim@127.0.0.1:1/laguna")
    told = said.wrong("db", "check")
    assert told.startswith("laguna: The database cannot be used: ")
    assert "geheim" not in told


def test_settings_are_shown_without_secrets(
    said: Said, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LAGUNA_SMTP_URL", "smtp://anna:geheim@mail.example:587")
    monkeypatch.setenv("LAGUNA_METRICS_TOKEN", "geheim")
    monkeypatch.setenv("LAGUNA_REDIS_URL", "redis://cache.example/0?password=geheim")
    monkeypatch.setenv("LAGUNA_OLD_SECRET_KEYS", "geheim,geheimer")
    monkeypatch.setenv("LAGUNA_MAIL_HOOK_SECRET", "geheim")
    monkeypatch.setenv("LAGUNA_MAIL_IN", "lmtp://[::1]:24,imaps://anna:geheim@mail.example/In")
    shown = said.well("config")
    assert "geheim" not in shown
    assert SECRET_KEY not in shown
    assert "LAGUNA_SMTP_URL=smtp://anna:***@mail.example:587\n" in shown
    assert "LAGUNA_MAIL_IN=lmtp://[::1]:24,imaps://anna:***@mail.example/In\n" in shown
    assert "LAGUNA_WEB_WORKERS=1\n" in shown, "on SQLite"
    assert not (tmp_path / "data").exists(), "looking changes nothing"


def test_the_contract_is_written_and_compared(said: Said, tmp_path: Path) -> None:
    file = tmp_path / "openapi.yaml"
    assert "written" in said.well("openapi", "--file", str(file))
    text = file.read_text()
    assert "up to date" in said.well("openapi", "--file", str(file))
    document = yaml.load(text, Loader=yaml.CSafeLoader)
    file.write_text(yaml.dump(document, Dumper=yaml.CSafeDumper))
    said.well("openapi", "--check", "--file", str(file))  # another spelling of the same
    document["info"]["title"] = "Something else"
    file.write_text(yaml.dump(document, Dumper=yaml.CSafeDumper, sort_keys=False))
    code, out, err = said.any("openapi", "--check", "--file", str(file))
    assert code == 1
    assert "-  title: Something else" in out
    assert "make openapi" in err


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("LAGUNA_PORT", "0", "LAGUNA_PORT"),
        ("LAGUNA_SECRET_KEY", "short", "LAGUNA_SECRET_KEY must have"),
        ("LAGUNA_SMTP_URL", "http://mail.example", "LAGUNA_SMTP_URL must begin with smtp://"),
    ],
)
@pytest.mark.parametrize("command", ["up", "serve", "work", "config"])
def test_a_setting_that_cannot_be_used_is_named(
    said: Said, monkeypatch: pytest.MonkeyPatch, command: str, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(name, value)
    assert message in said.wrong(command)


def test_the_engines_commands_are_as_they_were(said: Said) -> None:
    assert "2 to 4 seats" in said.well("games")
    assert "There is no game 'chess'" in said.wrong("record", "chess")
    assert "COMMAND" in said.wrong("token")


def test_the_engine_needs_nothing_of_the_service() -> None:
    code = (
        "import sys\n"
        "sys.modules.update(flask=None, sqlalchemy=None, service=None)\n"
        "from engine.cli import main\n"
        "raise SystemExit(main(['games']))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)


def test_a_quick_command_does_not_wait_for_the_whole_service() -> None:
    code = "import sys, service.cli; raise SystemExit('flask' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
