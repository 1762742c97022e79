"""The figures of capacity on paper: a reader's replace those they name, and measured ones are the benchmarks'."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from leaderboards.core.capacity.figures import (
    DEFAULT_FILE,
    BadCapacity,
    Figure,
    default_figures,
    figures_json,
    read_figures,
)

RESULTS = Path(__file__).parents[4] / "benchmarks" / "results"


def test_figures_of_a_reader_replace_those_they_name() -> None:
    own = figures_json({"redis_bytes_per_standing": Figure(40, "B", True, "our own server")})

    found = read_figures(json.dumps(own), "own.json")

    assert found["redis_bytes_per_standing"].value == 40
    assert found["read_web_ms"] == default_figures()["read_web_ms"]
    assert read_figures(json.dumps(figures_json(default_figures())), "own.json") == default_figures()


FIGURE = {"value": 1, "unit": "B", "measured": True, "source": "us"}


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ("{", "is no JSON"),
        ("[]", "must be an object"),
        ({"redis_bytes": FIGURE}, "has redis_bytes, which nothing is computed from"),
        ({"request_bytes": 5}, "must have value, unit, measured and source"),
        ({"request_bytes": FIGURE | {"more": 1}}, "must have value, unit, measured and source"),
        ({"request_bytes": FIGURE | {"value": -1}}, "must be a number from 0"),
        ({"request_bytes": FIGURE | {"value": True}}, "must be a number from 0"),
        ({"request_bytes": FIGURE | {"value": "5"}}, "must be a number from 0"),
        ('{"request_bytes": {"value": NaN, "unit": "B", "measured": true, "source": "us"}}', "must be a number from 0"),
        ('{"request_bytes": {"value": 1e999, "unit": "B", "measured": true, "source": "us"}}', "must be a number from"),
        ({"request_bytes": FIGURE | {"unit": "kB"}}, "is in 'B', not in 'kB'"),
        ({"request_bytes": FIGURE | {"measured": "yes"}}, "measured must be true or false"),
        ({"request_bytes": FIGURE | {"source": ""}}, "must be texts, and not empty"),
        ({"close_standings_a_second": FIGURE | {"unit": "1/s", "value": 0}}, "a rate of 0 never ends"),
    ],
)
def test_a_file_of_figures_that_cannot_be_used_is_refused_with_why(document: Any, why: str) -> None:
    text = document if isinstance(document, str) else json.dumps(document)

    with pytest.raises(BadCapacity, match=re.escape(why)) as refused:
        read_figures(text, "own.json")

    assert str(refused.value).startswith("own.json")


def test_measured_figures_are_those_of_the_benchmarks() -> None:
    checked = 0
    for name, figure in default_figures().items():
        match = re.fullmatch(r"benchmarks/results/(\w+\.json): (\w+)", figure.source)
        if match is None:
            continue
        kept = json.loads((RESULTS / match[1]).read_text(encoding="utf-8"))["figures"][match[2]]
        value = kept["value"] if isinstance(kept, dict) else kept
        assert figure.is_measured, name
        assert figure.value == pytest.approx(value, rel=0.05), name
        checked += 1
    assert checked >= 16


def test_what_is_not_measured_says_where_it_comes_from() -> None:
    for name, figure in default_figures().items():
        assert figure.is_measured or re.search(r"assum|not measured|none:", figure.source), name
    assert json.loads(DEFAULT_FILE.read_text(encoding="utf-8")) == figures_json(default_figures())
