"""What Prometheus says of the alert rules: valid, each fires in its trouble, and none where all is well."""

import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client

from foundation.monitoring import readings, task_metrics
from tests.foundation.monitoring.scraped import scrape
from tests.leaderboards.factories import BoardFactory

RULES = Path(__file__).parents[3] / "docs" / "watching" / "alerts.yml"
PROMTOOL = shutil.which("promtool")
WRITTEN = {rule["alert"]: rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]}
A, B = 'instance="a"', 'instance="b"'  # two web processes that read the same Redis and SQL
STAGING = 'job="sunwi-staging"'  # another site that the same Prometheus reads
SUBMIT = 'method="POST",route="api/v1/scores"'


@dataclass(frozen=True)
class Case:
    """Series as promtool writes them (``0+5x60``: from 0 by 5, sixty times, every 15 s), and what they lead to.

    Series and alerts are of the job ``sunwi`` unless they name another.
    """

    alert: str
    series: dict[str, str]
    labels: dict[str, str] = field(default_factory=dict)
    fires: bool = True
    minute: int = 12


FIRES = [
    # One process of two, then the last one; then Prometheus finds no target any more; then none but the worker's.
    Case("SunwiNotScraped", {f"up{{{A}}}": "0x60", f"up{{{B}}}": "1x60", f'sunwi_up{{server="redis",{B}}}': "1x60"},
         {"instance": "a"}),
    Case("SunwiNotScraped", {f"up{{{STAGING},{A}}}": "0x60", "up": "1x60", 'sunwi_up{server="redis"}': "1x60"},
         {"job": "sunwi-staging", "instance": "a"}),
    Case("SunwiNotScraped", {f"up{{{A}}}": "1x20 stale", f'sunwi_up{{server="redis",{A}}}': "1x20 stale"}),
    Case("SunwiNotScraped", {f"up{{{STAGING}}}": "1x60", f'sunwi_up{{server="redis",{STAGING}}}': "1x60"}),
    Case("SunwiNotScraped", {f"up{{{A}}}": "1x60", "sunwi_task_seconds_count": "0+1x60",
                             f"up{{{B}}}": "1x20 stale", f'sunwi_up{{server="redis",{B}}}': "1x20 stale"}),
    # One of two processes cannot reach it.
    Case("SunwiServerAway", {f'sunwi_up{{server="redis",{A}}}': "1x60", f'sunwi_up{{server="redis",{B}}}': "0x60"},
         {"server": "redis"}),
    Case("SunwiNotRead", {f'sunwi_readings_failed{{what="boards",{A}}}': "1x60"}, {"what": "boards"}),
    Case("SunwiWorkerSilent", {"sunwi_worker_heartbeat_age_seconds": "0+15x60"}),
    Case("SunwiMirrorBehind", {"sunwi_mirror_lag_standings": "7x60", "sunwi_mirror_lag_seconds": "0+15x60"}),
    # It never ran.
    Case("SunwiMirrorBehind", {"sunwi_mirror_lag_standings": "7x60", "sunwi_mirror_lag_seconds": "-1x60"}),
    Case("SunwiStale", {'sunwi_stale_seconds{part="boards"}': "0+15x60"}, {"part": "boards"}),
    Case("SunwiInflightOld", {"sunwi_inflight_seconds": "0+15x60"}),
    Case("SunwiNotClosed", {"sunwi_close_late_seconds": "0+15x60"}),
    Case("SunwiHistogramOld", {f"sunwi_percentiles_age_seconds{{{A}}}": "3000+60x60"}, minute=20),
    Case("SunwiDeadLetters", {f"sunwi_dead_letters{{{A}}}": "0x60", f"sunwi_dead_letters{{{B}}}": "0x20 1x40"}),
    Case("SunwiDifferences", {"sunwi_differences": "0x20 3x40"}),
    Case("SunwiLikesUncounted", {"sunwi_likes_uncounted_seconds": "0+15x60", "sunwi_likes_mirror_lag_seconds": "0x60"}),
    Case("SunwiLikesUncounted", {"sunwi_likes_uncounted_seconds": "0x60", "sunwi_likes_mirror_lag_seconds": "0+15x60"}),
    Case("SunwiRedisFull", {'sunwi_redis_memory_bytes{kind="used"}': "95x60",
                            'sunwi_redis_memory_bytes{kind="most"}': "100x60"}),
    Case("SunwiClockOff", {'sunwi_clock_offset_seconds{whose="web"}': "-3x60"}, {"whose": "web"}),
    Case("SunwiErrors", {f'sunwi_responses_not_200_total{{status="503",{A}}}': "0+2x60",
                         f"sunwi_request_seconds_count{{{A}}}": "0+100x60"}),
    Case("SunwiUnknownOutcomes", {'sunwi_submissions_total{board="1",outcome="unknown"}': "0x40 1x20"}, {"board": "1"}),
    Case("SunwiSubmitSlow", {f'sunwi_request_seconds_bucket{{{SUBMIT},le="0.5"}}': "0+90x60",
                             f'sunwi_request_seconds_bucket{{{SUBMIT},le="1"}}': "0+100x60",
                             f'sunwi_request_seconds_bucket{{{SUBMIT},le="+Inf"}}': "0+100x60"}),
    Case("SunwiTasksFail", {'sunwi_task_failures_total{task="foundation.tasks.look"}': "0+1x60"},
         {"task": "foundation.tasks.look"}),
    Case("SunwiQueueLong", {f"sunwi_broker_queue_length{{{A}}}": "2000x60"}, minute=20),
    Case("SunwiWebhooks", {'sunwi_webhooks{state="dead"}': "1x60", "sunwi_webhooks_overdue_seconds": "0x60"}),
    Case("SunwiWebhooks", {'sunwi_webhooks{state="dead"}': "0x60", "sunwi_webhooks_overdue_seconds": "0+15x60"}),
    Case("SunwiMails", {"sunwi_notices_overdue_seconds": "0+15x60"}),
    # What is well on staging, or idle, or has room, or many good answers, hides nothing.
    Case("SunwiWorkerSilent", {"sunwi_worker_heartbeat_age_seconds": "0+15x60",
                               f"sunwi_worker_heartbeat_age_seconds{{{STAGING}}}": "3x60"}),
    Case("SunwiRedisFull", {'sunwi_redis_memory_bytes{kind="used"}': "95x60",
                            'sunwi_redis_memory_bytes{kind="most"}': "100x60",
                            f'sunwi_redis_memory_bytes{{kind="used",{STAGING}}}': "1x60",
                            f'sunwi_redis_memory_bytes{{kind="most",{STAGING}}}': "900x60"}),
    Case("SunwiErrors", {f'sunwi_responses_not_200_total{{status="503",{A}}}': "0+2x60",
                         f"sunwi_request_seconds_count{{{A}}}": "0+100x60",
                         f"sunwi_request_seconds_count{{{STAGING}}}": "0+9000x60"}),
    Case("SunwiSubmitSlow", {f'sunwi_request_seconds_bucket{{{SUBMIT},le="0.5"}}': "0+90x60",
                             f'sunwi_request_seconds_bucket{{{SUBMIT},le="1"}}': "0+100x60",
                             f'sunwi_request_seconds_bucket{{{SUBMIT},le="+Inf"}}': "0+100x60",
                             f'sunwi_request_seconds_bucket{{{SUBMIT},{STAGING},le="0.5"}}': "0+9000x60",
                             f'sunwi_request_seconds_bucket{{{SUBMIT},{STAGING},le="+Inf"}}': "0+9000x60"}),
    Case("SunwiServerAway", {'sunwi_up{server="redis"}': "1x60", f'sunwi_up{{server="redis",{STAGING}}}': "0x60"},
         {"job": "sunwi-staging", "server": "redis"}),
]  # fmt: skip  # as a table
# What looks like trouble and is none, or none yet.
QUIET = [
    Case("SunwiNotScraped", {'up{job="another",instance="a"}': "0x60", f"up{{{B}}}": "1x60",
                             f'sunwi_up{{server="redis",{B}}}': "0x60"}),  # it is read, and says that Redis is away
    Case("SunwiNotScraped", {f"up{{{A}}}": "1x20 0x1 1x60", f'sunwi_up{{server="redis",{A}}}': "1x20 _ 1x60"}),
    Case("SunwiHistogramOld", {"sunwi_percentiles_age_seconds": "1300x60"}),  # it took a minute, and waits twenty
    Case("SunwiServerAway", {'sunwi_up{server="redis"}': "1x20 0x1 1x60"}),  # a restart of 15 s
    Case("SunwiWorkerSilent", {f"sunwi_worker_heartbeat_age_seconds{{{A}}}": "10x60"}),
    Case("SunwiMirrorBehind", {"sunwi_mirror_lag_standings": "0x60", "sunwi_mirror_lag_seconds": "-1x60"}),  # no board
    Case("SunwiRedisFull", {'sunwi_redis_memory_bytes{kind="used"}': "95x60",
                            'sunwi_redis_memory_bytes{kind="most"}': "0x60"}),  # Redis has no limit
    Case("SunwiRedisFull", {'sunwi_redis_memory_bytes{kind="used"}': "85x60",
                            'sunwi_redis_memory_bytes{kind="most"}': "100x60"}),
    Case("SunwiErrors", {'sunwi_responses_not_200_total{status="404"}': "0+50x60",  # theirs, not ours
                         "sunwi_request_seconds_count": "0+100x60"}),
    Case("SunwiErrors", {'sunwi_responses_not_200_total{status="500"}': "0x60",  # nobody asks anything
                         "sunwi_request_seconds_count": "0x60"}),
    Case("SunwiUnknownOutcomes", {'sunwi_submissions_total{board="1",outcome="accepted"}': "0+100x60"}),
    Case("SunwiSubmitSlow", {f'sunwi_request_seconds_bucket{{{SUBMIT},le="0.5"}}': "0+100x60",
                             f'sunwi_request_seconds_bucket{{{SUBMIT},le="+Inf"}}': "0+100x60"}),
    Case("SunwiTasksFail", {'sunwi_task_failures_total{task="close"}': "0x40 1x20"}),  # it failed once
    Case("SunwiQueueLong", {"sunwi_broker_queue_length": "2000x20 3x40"}),  # a burst that is worked off
    Case("SunwiMails", {'sunwi_mails{state="waiting"}': "100x60", "sunwi_mails_overdue_seconds": "0x60"}),
]  # fmt: skip  # as a table


def expected(case: Case) -> list[dict[str, Any]]:
    """What Alertmanager is sent; empty where nothing fires."""
    if not case.fires:
        return []
    rule = WRITTEN[case.alert]
    labels = {"job": "sunwi"} | case.labels
    told = {
        name: re.sub(r"{{ \$labels\.(\w+) }}", lambda found: labels.get(found[1], ""), text)
        for name, text in rule["annotations"].items()
    }
    return [{"exp_labels": labels | rule["labels"], "exp_annotations": told}]


def of_a_job(series: str) -> str:
    """The series with the job ``sunwi``, unless it has one."""
    name, _, labels = series.rstrip("}").partition("{")
    return series if "job=" in labels else f'{name}{{job="sunwi"{"," if labels else ""}{labels}}}'


def promtool(*words: str | Path) -> str:
    """What it says; fails where it is not content."""
    done = subprocess.run(
        [str(PROMTOOL), *map(str, words)], check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def play(case: Case, folder: Path) -> None:
    """Let Prometheus's own engine read the series, and compare what fires."""
    series = [{"series": of_a_job(name), "values": values} for name, values in case.series.items()]
    asked = {"eval_time": f"{case.minute}m", "alertname": case.alert, "exp_alerts": expected(case)}
    tests = [{"interval": "15s", "input_series": series, "alert_rule_test": [asked]}]
    file = folder / "played.yml"
    file.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "tests": tests}))
    promtool("test", "rules", file)


@pytest.mark.django_db
def test_what_the_cases_let_grow_from_0_is_told_by_a_fresh_site(client: Client) -> None:
    """A counter that is first told with its event shows no increase."""
    board = BoardFactory.create().seq
    client.get("/healthz")
    task_metrics.start_known()
    readings.forget()
    fresh = [(name, set(labels)) for (name, labels), value in scrape(client).items() if not value]
    readings.forget()
    counters = [name for case in FIRES for name in case.series if "_total" in name]

    assert len(counters) > 3
    for series in counters:
        name, _, labels = series.replace('board="1"', f'board="{board}"').partition("{")
        wanted = {each for each in re.findall(r'(\w+)="([^"]*)"', labels) if each[0] not in {"job", "instance"}}
        assert [told for of, told in fresh if of == name and wanted <= told], series


def test_each_rule_is_played() -> None:
    assert {case.alert for case in FIRES} == set(WRITTEN)


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not on this machine (Debian: prometheus)")
def test_prometheus_takes_the_rules() -> None:
    assert f"SUCCESS: {len(WRITTEN)} rules found" in promtool("check", "rules", RULES)


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not on this machine (Debian: prometheus)")
@pytest.mark.parametrize("case", FIRES, ids=lambda case: str(case.alert))
def test_it_fires_in_the_trouble_that_it_is_for(case: Case, tmp_path: Path) -> None:
    play(case, tmp_path)


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not on this machine (Debian: prometheus)")
@pytest.mark.parametrize("case", QUIET, ids=lambda case: str(case.alert))
def test_it_is_quiet_where_it_should_be(case: Case, tmp_path: Path) -> None:
    play(Case(case.alert, case.series, fires=False), tmp_path)


def test_each_rule_tells_sites_apart() -> None:
    for rule in WRITTEN.values():
        assert "{{ $labels.job }}" in rule["annotations"]["summary"]
        groups = re.findall(r"\b(?:min|max|sum|count|avg|topk)\b(?: by \(([^)]*)\))?", rule["expr"])
        assert all("job" in group.split(", ") for group in groups), rule["alert"]
