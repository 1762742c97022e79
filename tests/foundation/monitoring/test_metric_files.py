"""The dashboard and the alert rules: all that they name is what /metrics prints, and where they lead is there."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from foundation import clock
from foundation.models import Heartbeat
from foundation.monitoring import own_readings, readings
from foundation.redis.replicas import ReplicaSeen
from foundation.tasks import WORKER
from likes import registry
from likes.core.kinds import Storage
from tests.leaderboards.factories import BoardFactory

DOCS = Path(__file__).parents[3] / "docs"
ENDINGS = ("", "_bucket", "_sum", "_count")


def rules() -> list[dict[str, str]]:
    text = (DOCS / "watching/alerts.yml").read_text("utf-8")
    each = r"      - alert: (\w+)\n        expr: (.+)\n(?:        for: \w+\n)?        labels: {severity: (\w+)}\n"
    told = r'        annotations:\n          summary: "(.+)"\n          description: "(.+)"\n'
    leads = r'          runbook_url: "https://docs.example/(.+)"\n'
    names = ("alert", "expr", "severity", "summary", "description", "part")
    found = [dict(zip(names, rule, strict=True)) for rule in re.findall(each + told + leads, text)]
    assert len(found) == text.count("- alert:")
    return found


def panels() -> list[dict[str, Any]]:
    found = json.loads((DOCS / "watching/dashboard.json").read_text("utf-8"))["panels"]
    return [each for each in found if each["type"] != "row"]


def asked() -> list[str]:
    """Every expression of both."""
    return [each["expr"] for each in rules()] + [each["expr"] for panel in panels() for each in panel["targets"]]


def named(expression: str) -> set[str]:
    return set(re.findall(r"\bsunwi_\w+", expression))


@pytest.fixture
def printed(client: Client, db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """What is printed where a worker was heard of, a replica is read from, and a kind of likes is Redis's own."""
    settings.REPLICA_STALENESS = 2
    monkeypatch.setattr(own_readings, "look_at_each", lambda: [ReplicaSeen("replica:6379", "primary:6379", 0.5, "")])
    BoardFactory.create(storage="redis")
    Heartbeat.note(WORKER, clock.now())
    comment = registry.all_kinds()[0]
    monkeypatch.setattr(
        registry, "all_kinds", lambda: [comment.__class__(**fields(comment) | {"storage": Storage.REDIS})]
    )
    readings.forget()
    text = client.get("/metrics").content.decode()
    readings.forget()
    return text


def fields(row: Any) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.__dataclass_fields__}


def test_each_metric_that_they_name_is_printed_and_the_documents_name_all(printed: str) -> None:
    kinds = dict(re.findall(r"^# TYPE (sunwi_\w+) (\w+)$", printed, re.MULTILINE))
    there = {name + end for name, kind in kinds.items() for end in (ENDINGS if kind == "histogram" else ("",))}
    section = (DOCS / "operations/monitor.md").read_text("utf-8").partition("\n## Metrics\n")[2].partition("\n## ")[0]
    told = set(re.findall(r"`(sunwi_\w+)", section))

    wanted = set().union(*map(named, asked()))
    own = {name for name in kinds if not name.endswith("_created")}
    assert len(wanted) > 30
    assert wanted - there == set()
    assert told == own


def test_each_route_and_part_that_they_name_is_there() -> None:
    def routes(patterns: list[Any], before: str = "") -> set[str]:
        found = set()
        for each in patterns:
            if isinstance(each, URLResolver):
                found |= routes(each.url_patterns, before + str(each.pattern))
            elif isinstance(each, URLPattern):
                found.add(before + str(each.pattern))
        return found

    known = routes(get_resolver().url_patterns)
    wanted = {route for each in asked() for route in re.findall(r'route="([^"]+)"', each)}
    parts = {each["part"] for each in rules()}

    assert len(wanted) == 2
    assert wanted <= known
    for part in parts:
        page, _, anchor = part.partition("#")
        document = re.sub(r"\.html$", ".md", page)
        assert document != page
        headings = re.findall(r"^#+ (.+)$", (DOCS / document).read_text("utf-8"), re.MULTILINE)
        anchors = {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}
        assert not anchor or anchor in anchors, part


def test_a_target_that_cannot_be_read_is_told_and_a_worker_that_was_never_heard_has_an_age() -> None:
    """Where nothing can be read no other rule fires; and a worker's silence has an age from the first scrape on."""
    told = {each["alert"]: each["expr"] for each in rules()}

    assert 'or absent(up{job="sunwi"}) or absent(sunwi_up{job="sunwi"})' in told["SunwiNotScraped"]
    assert "absent" not in told["SunwiWorkerSilent"]
    jobs = re.findall(r"job_name: (\w+)", (DOCS / "operations/monitor.md").read_text("utf-8"))
    assert set(jobs) == {"sunwi"}


def test_the_dashboard_shows_one_job_of_those_that_are_scraped() -> None:
    variables = json.loads((DOCS / "watching/dashboard.json").read_text("utf-8"))["templating"]["list"]
    job = next(each for each in variables if each["name"] == "job")

    assert job["query"] == "label_values(sunwi_up, job)"
    assert (job["multi"], job["includeAll"]) == (False, False)  # what panels add up is of one site
    for panel in panels():
        for target in panel["targets"]:
            read = re.findall(r"\bsunwi_\w+(.{0,12})", target["expr"])
            assert read
            assert all(each.startswith('{job="$job"') for each in read), target["expr"]


def test_each_panel_says_what_it_shows() -> None:
    told = [panel["description"] for panel in panels()]

    assert all(each.endswith(".") for each in told)
    assert len(set(told)) == len(told)


def test_each_rule_has_a_name_of_its_own_and_says_what_is_wrong() -> None:
    names = [each["alert"] for each in rules()]

    assert len(set(names)) == len(names) > 10
    assert {each["severity"] for each in rules()} == {"critical", "warning"}
    assert all(each["summary"].endswith(".") for each in rules())
    assert all(each["description"].endswith(".") for each in rules())
    assert len({each["description"] for each in rules()}) == len(names)


@pytest.mark.parametrize("expression", asked())
def test_brackets_of_an_expression_close(expression: str) -> None:
    closes, waiting = {")": "(", "]": "[", "}": "{"}, list[str]()
    for each in re.sub(r'"[^"]*"', "", expression):
        if each in "([{":
            waiting.append(each)
        elif each in closes:
            assert waiting, expression
            assert waiting.pop() == closes[each], expression

    assert not waiting
