"""Pages that show figures say what was measured, and nothing that was typed there."""

import json

from benchmarks.counting_docs import PAGE, RESULTS, page
from benchmarks.readme import README, renewed


def test_the_readmes_table_is_what_the_figures_give() -> None:
    text = README.read_text()

    assert text == renewed(text), "run: python -m benchmarks.readme"


def test_the_page_on_counting_is_what_the_figures_give() -> None:
    assert PAGE.read_text() == page(), "run: python -m benchmarks.counting_docs"


def test_estimates_are_within_three_standard_errors() -> None:
    found = json.loads((RESULTS / "counting.json").read_text())["figures"]

    assert found["players"] == 1_000_000
    assert max(found["hyperloglog_error_percent"], found["week_error_percent"]) < 2.5
    assert found["week_merged_is_week_counted"]
    assert found["bitmap_30_exact"]
    assert found["bitmap_100_exact"]
