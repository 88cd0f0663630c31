"""Metrics on a port of their own: every process has them, and the public port has none."""

import re
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client import REGISTRY, Gauge, multiprocess
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from structlog.testing import capture_logs

from service.core import config
from service.ops import gauges, metrics_server
from tests.servers.ports import free_port
from tests.servers.tree import runs, until
from tests.support.site import Site
from tests.test_up import Up
from tests.worker.running_site import RunningSite
from worker.jobs import runner_for
from worker.schedule import job_named

TOKEN = "t0ken" * 8


def scraped(port: int, token: str | None = None, path: str = "/metrics") -> str:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}")
    if token is not None:
        request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        return str(answer.read().decode())


def value(text: str, sample: str) -> float | None:
    """The value of a sample, written with its labels."""
    found = re.findall(rf"^{re.escape(sample)} (\S+)$", text, re.MULTILINE)
    return float(found[0]) if found else None


# The public port


def test_the_public_port_has_no_metrics(site: Site) -> None:
    for path in ("/metrics", "/metrics/"):
        assert site.client.get(path).status_code == 404


# Settings


def test_metrics_for_other_machines_need_a_token(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LAGUNA_DATA", str(tmp_path))
    monkeypatch.setenv("LAGUNA_METRICS_HOST", "0.0.0.0")  # noqa: S104
    assert config.from_environment().metrics_port == 0, "there are none"
    monkeypatch.setenv("LAGUNA_METRICS_PORT", "9464")
    with pytest.raises(config.BadConfiguration, match="LAGUNA_METRICS_TOKEN"):
        config.from_environment()
    monkeypatch.setenv("LAGUNA_METRICS_TOKEN", TOKEN)
    assert config.from_environment().metrics_port == 9464


# The endpoint


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> list[GaugeMetricFamily]:
    """What the processes have written, instead of their files."""
    found: list[GaugeMetricFamily] = []
    merge = staticmethod(lambda _: found)
    monkeypatch.setattr(multiprocess.MultiProcessCollector, "merge", merge)
    return found


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    with metrics_server.start_metrics_server("127.0.0.1", 0, str(tmp_path), TOKEN) as server:
        yield server.server_port
        server.shutdown()


def test_metrics_are_for_those_who_have_the_token(port: int) -> None:
    for wrong in (None, "", "other"):
        with pytest.raises(urllib.error.HTTPError, match="401"):
            scraped(port, wrong)
    scraped(port, TOKEN)
    with pytest.raises(urllib.error.HTTPError, match="404"):
        scraped(port, TOKEN, "/")


def test_a_process_that_begins_takes_no_metrics_of_others_away(port: int, tmp_path: Path) -> None:
    """prometheus_client makes a file and gives it its size a moment later."""
    written = MmapedDict(str(tmp_path / "counter_1.db"))  # type: ignore[no-untyped-call]
    written.write_value(mmap_key("laguna_moves", "laguna_moves_total", [], [], ""), 7, 0)  # type: ignore[no-untyped-call]
    written.close()  # type: ignore[no-untyped-call]
    (tmp_path / "counter_2.db").touch()
    assert value(scraped(port, TOKEN), "laguna_moves_total") == 7
    assert scraped(port, path="/healthz") == "ok\n"


def test_gauges_that_nobody_refreshes_are_not_shown(
    port: int, files: list[GaugeMetricFamily]
) -> None:
    files += [
        GaugeMetricFamily("laguna_games_frozen", "", 1),
        GaugeMetricFamily(metrics_server.ACTIVITY_NAME, "", time.time()),
        GaugeMetricFamily(metrics_server.UPDATED_NAME, "", time.time()),
    ]
    assert value(scraped(port, TOKEN), "laguna_games_frozen") == 1
    files[2] = GaugeMetricFamily(metrics_server.UPDATED_NAME, "", time.time() - 301)
    text = scraped(port, TOKEN)
    assert "laguna_games_frozen" not in text
    assert metrics_server.ACTIVITY_NAME in text


def test_the_gauges_of_the_overview_are_recognised_and_no_other() -> None:
    own = {gauge for gauge in vars(gauges).values() if isinstance(gauge, Gauge)}
    assert gauges.UPDATED in own
    assert len(own) >= 15
    for family in REGISTRY.collect():
        mine = family.name in {gauge._name for gauge in own}
        assert metrics_server.is_overview(family) == mine, family.name
    assert {metrics_server.UPDATED_NAME, metrics_server.ACTIVITY_NAME} <= {
        family.name for family in REGISTRY.collect()
    }


def test_a_replica_that_completes_nothing_is_unhealthy(
    port: int, files: list[GaugeMetricFamily], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scraped(port, path="/healthz") == "ok\n", "the web notes no activity"
    began = time.time()
    files.append(GaugeMetricFamily(metrics_server.ACTIVITY_NAME, "", began))
    monkeypatch.setattr(time, "time", lambda: began + 200)
    with pytest.raises(urllib.error.HTTPError, match="503"):
        scraped(port, path="/healthz")
    files.append(GaugeMetricFamily(metrics_server.ACTIVITY_NAME, "", began + 100))
    assert scraped(port, path="/healthz") == "ok\n"


def test_the_job_counts_and_leaves_a_heartbeat_on_both_databases(any_site: Site) -> None:
    any_site.app.config["LAGUNA"] = replace(any_site.settings, metrics_port=9464)
    gauges.UPDATED.set(0)
    with any_site.app.app_context(), capture_logs() as logs:
        done, well = runner_for(any_site.app, lambda: False).run_all([job_named("metrics")])
    assert (done, well) == (0, True), logs
    assert REGISTRY.get_sample_value(gauges.UPDATED_NAME) == any_site.clock().timestamp()


# Real processes


def test_all_processes_of_one_start_are_shown_and_a_restart_of_one_takes_no_other_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metrics = free_port()
    up = Up(tmp_path / "data", LAGUNA_METRICS_PORT=str(metrics))
    try:
        up.until_ready()
        job_runs = 'laguna_worker_seconds_count{job="bots"}'
        games = 'laguna_games{status="running"}'
        activity = 'laguna_activity_timestamp_seconds{activity="mail-in"}'

        def all_there() -> bool:
            text = scraped(metrics)
            return all(value(text, one) for one in (job_runs, games, activity))

        until(all_there, "metrics of the worker and of mail-in")
        assert 'laguna_requests_total{method="GET",route="/readyz"' in scraped(metrics)
        assert scraped(metrics, path="/healthz") == "ok\n"
        before = value(scraped(metrics), job_runs)
        web = up.child("serve")
        family = [web, *web.children(recursive=True)]
        web.send_signal(signal.SIGKILL)
        until(lambda: not any(map(runs, family)), "the end of the web half")
        until(up.ready, "ready again")
        after = value(scraped(metrics), job_runs)
        assert before
        assert after
        assert after >= before
    finally:
        up.clear()


def test_each_process_of_a_machine_has_a_port_of_its_own(tmp_path: Path, sqlite_url: str) -> None:
    """The web starts again; what the worker has counted stays."""
    with RunningSite(tmp_path, sqlite_url, None) as running_site:
        ports = {"serve": free_port(), "work": free_port()}
        running_site.start("work", LAGUNA_METRICS_PORT=str(ports["work"]))

        def counted() -> float:
            try:
                text = scraped(ports["work"])
            except OSError:
                return 0
            return value(text, 'laguna_worker_seconds_count{job="letters"}') or 0

        until(lambda: counted() > 0, "a job run")
        for _ in range(2):
            web = running_site.start("serve", LAGUNA_METRICS_PORT=str(ports["serve"]))
            until(lambda: answers(ports["serve"]), "metrics of the web")
            assert "laguna_worker_seconds" not in scraped(ports["serve"])
            assert counted() > 0
            web.stop()


def answers(port: int) -> bool:
    try:
        return scraped(port, path="/healthz") == "ok\n"
    except OSError:
        return False


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    taken = free_port()
    with metrics_server.start_metrics_server("127.0.0.1", taken, str(tmp_path), None) as server:
        up = Up(tmp_path / "data", LAGUNA_METRICS_PORT=str(taken))
        try:
            assert up.ended() == 2
            assert f"port {taken} (is in use)" in up.err
        finally:
            up.clear()
            server.shutdown()
