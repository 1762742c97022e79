"""Figures come about fairly, pages show what was measured, and each benchmark runs, on little: none of them rots."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import benchmarks.limits
from benchmarks.counting_docs import PAGE, RESULTS, page
from benchmarks.harness.figures import Figure, Sample, at_least, in_turns, over, spend, under
from benchmarks.harness.servers import TABLES
from benchmarks.readme import README, renewed
from tests import template

OURS = {"accounts", "config", "foundation", "leaderboards", "competitions", "likes", "tests"}
RECORDED = ("store", "http", "rates", "growth", "agora", "counting", "pages", "likes", "layers")
UNRECORDED = ("recovery", "restart", "competitions", "teams", "api", "worker")
SLOW = (
    "http",
    "api",
    "layers",
    "worker",
    "agora",
    "pages",
    "likes",
    "teams",
    "restart",
)  # with servers and peers of their own: not on each run of CI
SMALL = ("--players", "1000", "--seconds", "0.05", "--passes", "1")


def test_a_figure_is_the_median_of_the_ratios_and_short_although_it_rounds_to_its_bound() -> None:
    ours = [Sample(10, 1), Sample(90, 1), Sample(30, 1, {"p99_ms": 3})]
    figure = over(ours, [Sample(10, 1)] * 3)
    lacking = Figure(None, at_least(4), why="pip: no such package")

    said = [str(Figure(value, at_least(0.7))) for value in (0.69, 0.69999, 0.7)]
    said += [str(Figure(value, under(3))) for value in (2.99, 3.0)]

    assert figure.value == 3.0
    assert figure.to_json()["ours"][2] == {"count": 30, "seconds": 1, "p99_ms": 3}
    assert said == ["0.69 short", "0.7 short", "0.7", "2.99", "3.0 short"]
    assert str(lacking) == "not measured: pip: no such package"
    assert (lacking.to_json()["value"], lacking.to_json()["short"]) == (None, False)


def test_both_sides_take_turns_and_each_piece_of_work_gets_fresh_values() -> None:
    turns: list[str] = []
    seen: list[int] = []
    made = iter(range(1_000_000))

    def turn(name: str) -> Sample:
        turns.append(name)
        return Sample(1, 1)

    in_turns(2, lambda: turn("ours"), lambda: turn("theirs"))
    sample = spend(0.001, lambda: (2, next(made)), seen.append)

    assert turns == ["ours", "theirs", "ours", "theirs"]
    assert seen == list(range(len(seen)))
    assert sample.count == 2 * len(seen)


def test_pages_that_show_figures_say_what_was_measured() -> None:
    text, counted = README.read_text(), json.loads((RESULTS / "counting.json").read_text())["figures"]

    assert text == renewed(text), "run: python -m benchmarks.readme"
    assert PAGE.read_text() == page(), "run: python -m benchmarks.counting_docs"
    assert counted["players"] == 1_000_000  # estimates are within three standard errors
    assert max(counted["hyperloglog_error_percent"], counted["week_error_percent"]) < 2.5
    assert (counted["bitmap_30_exact"], counted["bitmap_100_exact"]) == (True, True)


def test_what_figures_are_divided_by_knows_nothing_of_the_product() -> None:
    """Else a slow product would make a slow peer."""
    for path in Path(benchmarks.limits.__file__ or "").parent.glob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text())))
        named = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        named += [
            "benchmarks" if node.level else node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)
        ]

        assert not [name for name in named if name.split(".")[0] in OURS], path
        assert not [name for name in named if name.startswith("benchmarks") and "benchmarks.limits" not in name], path


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.bench] if each in SLOW else []) for each in RECORDED + UNRECORDED]
)
def test_a_benchmark_prints_its_figures(name: str, tmp_path: Path) -> None:
    written = tmp_path / "figures.json"

    run = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", *SMALL, "--json", str(written)],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {TABLES: str(template.data_folder())},
        check=False,
    )

    assert run.returncode == 0, run.stderr
    told = json.loads(written.read_text())
    if name in RECORDED:
        assert set(told["figures"]) == set(json.loads((RESULTS / f"{name}.json").read_text())["figures"])
    assert {line.partition(": ")[0] for line in run.stdout.splitlines()} == set(told["figures"]) > {"players"}
    assert set(told["machine"]["packages"]) >= {"django", "redis", "psycopg"}
