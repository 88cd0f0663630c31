"""The dashboard and the alert rules name metrics and labels that exist."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml
from prometheus_client import REGISTRY

from service.core import activity, telemetry
from service.games import audit
from service.mail.inbound import intake
from service.notify import letter_planner as planner
from service.ops import gauges, retention
from worker import job_run

MONITORING = Path(__file__).parents[2] / "docs" / "monitoring"
OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"
COUNTING = (audit, planner, telemetry, activity, intake, gauges, retention, job_run)
OF_PROMETHEUS = {"up": {"job", "instance"}}
ADDED_LABELS = {"instance", "exported_job", "le"}


def exposed() -> dict[str, set[str]]:
    """The names of all samples with their labels, as Prometheus stores them."""
    found = dict(OF_PROMETHEUS)
    for collector in REGISTRY._collector_to_names:
        labels = set(getattr(collector, "_labelnames", ()))
        for name in REGISTRY._collector_to_names[collector]:
            found[name] = {"exported_job" if one == "job" else one for one in labels}
    return found


def alerts() -> list[dict[str, Any]]:
    [group] = yaml.safe_load((MONITORING / "alerts.yml").read_text())["groups"]
    rules: list[dict[str, Any]] = group["rules"]
    return rules


def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((MONITORING / "dashboard.json").read_text())
    return found


def expressions() -> Iterator[tuple[str, str]]:
    for rule in alerts():
        yield rule["alert"], rule["expr"]
    for panel in dashboard()["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


EXPRESSIONS = list(expressions())


@pytest.mark.parametrize("expression", [one for _, one in EXPRESSIONS])
def test_every_expression_is_promql_about_metrics_that_exist(expression: str) -> None:
    assert all(COUNTING)
    promql_parser.parse(expression)
    known = exposed()
    named = re.findall(r"\b(laguna_\w+|up)\b(?:\{([^}]*)\})?", expression)
    assert named
    for name, matchers in named:
        assert name in known, name
        for label in re.findall(r"(\w+) *(?:=|!=|=~|!~)", matchers):
            assert label in known[name] | ADDED_LABELS, f"{name} has no label {label}"


def test_every_alert_says_what_it_means_and_how_grave_it_is() -> None:
    names = [rule["alert"] for rule in alerts()]
    assert len(names) == len(set(names)) >= 10
    for rule in alerts():
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert set(rule["annotations"]) == {"summary", "description"}
        assert re.fullmatch(r"\d+[smh]", rule.get("for", "0s"))


def test_the_dashboard_can_be_imported() -> None:
    board = dashboard()
    assert {"title", "uid", "schemaVersion", "panels", "templating"} <= board.keys()
    [variable] = board["templating"]["list"]
    assert variable["type"] == "datasource"
    places = set()
    for panel in board["panels"]:
        assert panel["datasource"]["uid"] == f"${{{variable['name']}}}"
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        places.add((place["x"], place["y"]))
    assert len(places) == len(board["panels"]), "no panel covers another"


def test_the_metrics_that_the_documents_name_exist() -> None:
    known = exposed()
    text = OPERATIONS.read_text(encoding="utf-8")
    named = set(re.findall(r"`(laguna_[a-z_]+)", text))
    assert len(named) > 10
    assert named <= known.keys()
