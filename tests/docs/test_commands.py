"""Each command of ours that a page names, also within a sentence or a table, is one that its parser takes.

tests/docs/test_snippets.py runs the fences of the README, the tutorial and the guides; most commands stand elsewhere.
"""

import re
import shlex
from pathlib import Path

import pytest

from leaderboards.core.calendars import Calendar, PeriodKind
from leaderboards.core.periods import window_of
from leaderboards.errors import BadLabel
from site_pages import commands

ROOT = Path(__file__).parents[2]
LEFT_OUT = {"decisions", "reference"}  # of the past; and made from the parsers, with their brackets
PAGES = [ROOT / "README.md", *sorted(each for each in (ROOT / "docs").rglob("*.md") if not LEFT_OUT & {*each.parts})]
NAMED = re.compile(r"manage\.py (\w+)([^`\n|<>;&)#…]*)")
KINDS = [each for each in PeriodKind if each not in (PeriodKind.SCHEDULE, PeriodKind.EVENT)]


def named() -> list[tuple[str, list[str]]]:
    """Each command of ours that is written, with its arguments; a board's number where a name stands for it."""
    ours, found = commands.own(), []
    for page in PAGES:
        for name, rest in NAMED.findall(page.read_text("utf-8").replace("\\\n", " ")):
            if name in ours and rest.strip():
                found.append((name, shlex.split(re.sub(r"\$BOARD|\bSEQ\b", "1", rest))))
    return found


def is_label(text: str) -> bool:
    """Whether boards of some kind have periods with such a label."""
    if text in ("current", "previous"):
        return True
    for kind in KINDS:
        try:
            window_of(Calendar(kind), text)
        except BadLabel:
            continue
        return True
    return False


def test_each_command_that_is_written_is_taken_and_periods_have_labels_of_periods() -> None:
    ours, periods = commands.own(), list[str]()
    for name, arguments in named():
        parsed = ours[name].create_parser("manage.py", name).parse_args(arguments)  # raises where it is refused
        periods += [parsed.period] if "--period" in arguments else []

    assert len(named()) > 40
    assert len(periods) >= 3
    assert [each for each in periods if not is_label(each)] == []


@pytest.mark.parametrize(("text", "is_one"), [("2026-W47", False), ("2026-47", True), ("2026-11-22", True)])
def test_what_a_label_is(text: str, is_one: bool) -> None:
    assert is_label(text) is is_one
