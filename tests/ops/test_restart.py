"""Replacing the web processes: nobody is refused, and the program is read anew."""

import shutil
import signal
import threading
from http.client import HTTPException
from pathlib import Path

import pytest
from sqlalchemy import text

from service.cli.command_app import must_be_up_to_date
from service.db.migrations import is_behind, known_revisions, newest_revision
from service.db.session import db
from tests.ops.web import Web, serving
from tests.servers.guarded import ROOT
from tests.servers.tree import until
from tests.support.site import Site


class Visitor:
    """A client that connects again and again."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.answers = 0
        self.failures: list[str] = []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        while not self.over.is_set():
            try:
                status, _ = self.web.get("/v1/catalogue")
                self.answers += 1
                if status != 200:
                    self.failures.append(str(status))
            except (OSError, HTTPException) as error:
                self.failures.append(repr(error))


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The program in a directory of its own: links, and a file that a test can change."""
    root = tmp_path / "program"
    (root / "service" / "ops").mkdir(parents=True)
    for folder in (ROOT, ROOT / "service", ROOT / "service" / "ops"):
        for entry in folder.iterdir():
            link = root / entry.relative_to(ROOT)
            if not link.exists() and not entry.name.startswith((".", "__pycache__")):
                link.symlink_to(entry)
    copied = root / "service" / "ops" / "health.py"
    copied.unlink()
    shutil.copy(ROOT / "service" / "ops" / "health.py", copied)
    return root


def install_another_release(program: Path) -> None:
    """One whose /healthz says something else."""
    path = program / "service" / "ops" / "health.py"
    text = path.read_text(encoding="utf-8")
    assert '{"status": "ok"}' in text
    path.write_text(text.replace('{"status": "ok"}', '{"status": "another"}'), encoding="utf-8")


@pytest.mark.long
def test_nobody_is_refused_while_the_program_is_replaced(tmp_path: Path, program: Path) -> None:
    with serving(tmp_path, program=program) as web:
        assert web.get("/healthz")[1] == b'{"status":"ok"}'
        install_another_release(program)
        before = web.workers()
        visitor = Visitor(web)
        visitor.thread.start()
        try:
            web.process.send_signal(signal.SIGHUP)
            until(lambda: len(web.workers()) == 2 and not web.workers() & before, "new processes")
            seen = visitor.answers
            until(lambda: visitor.answers > seen + 20, "answers of the new processes")
        finally:
            visitor.over.set()
            visitor.thread.join()
        assert visitor.failures == []
        assert web.get("/healthz")[1] == b'{"status":"another"}'
        web.process.send_signal(signal.SIGTERM)
        assert web.process.wait(60) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_single_process_ends_well(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path, LAGUNA_WEB_WORKERS="1") as web:
        web.process.send_signal(number)
        assert web.process.wait(60) == 0


def _set_revision(site: Site, revision: str | None) -> None:
    with site.app.app_context():
        db.session.execute(text("DELETE FROM alembic_version"))
        if revision is not None:
            db.session.execute(
                text("INSERT INTO alembic_version (version_num) VALUES (:it)"), {"it": revision}
            )
        db.session.commit()


def test_newer_tables_are_good_enough_and_missing_ones_are_not(any_site: Site) -> None:
    alice = any_site.person("Alice")
    _set_revision(any_site, "from-a-later-release")
    answer = any_site.client.get("/readyz").json
    assert answer is not None
    assert answer["database"] == "ok"
    assert alice.get("/v1/me").status_code == 200
    with any_site.app.app_context():
        must_be_up_to_date()
    _set_revision(any_site, None)
    refused = any_site.client.get("/readyz")
    assert refused.status_code == 503
    assert refused.headers["Retry-After"] == "5"
    assert refused.json is not None
    assert refused.json["database"] == f"has tables of None, not {newest_revision()}"


def test_tables_of_an_earlier_revision_are_behind() -> None:
    assert not is_behind(newest_revision())
    assert not is_behind("from-a-later-release")
    assert is_behind(None)
    for earlier in known_revisions() - {newest_revision()}:
        assert is_behind(earlier)
