"""The README's table of figures says what was measured, and nothing that was typed there."""

from benchmarks.readme import README, renewed


def test_the_table_is_what_the_figures_give() -> None:
    text = README.read_text()

    assert text == renewed(text), "run: python -m benchmarks.readme"
