"""What a soak measures: failures that no window excuses, entries that nobody decided, and memory that grows."""

import pytest

from tests.soak.line import problem_of_entries
from tests.soak.memory import GROWS_AT_MOST, LONG_ENOUGH, MB, Life
from tests.soak.record import Asked, Record, Window

REDIS_AWAY = Window("Redis is away", 10.0, 20.0, frozenset({"score redis"}))


@pytest.mark.parametrize(
    ("kind", "began", "ended", "excused"),
    [
        ("score redis", 12.0, 13.0, True),
        ("score redis", 9.0, 10.5, True),  # under way when it began
        ("score redis", 19.9, 21.0, True),
        ("score redis", 8.0, 9.9, False),
        ("score redis", 20.1, 21.0, False),
        ("page", 12.0, 13.0, False),  # which Redis's absence is no excuse for
    ],
)
def test_a_failure_is_excused_by_a_window_of_its_kind_alone(
    kind: str, began: float, ended: float, excused: bool
) -> None:
    record = Record(windows=[REDIS_AWAY])
    record.add(Asked(kind, began, ended, "503"))
    record.add(Asked(kind, began, ended))

    assert len(record.failed()) == 1
    assert (record.failed_outside() == []) is excused


@pytest.mark.parametrize(
    ("results", "problem"),
    [
        ([{"status": "updated"}, {"status": "rejected", "code": "too_many_attempts"}], ""),
        ([{"status": "updated"}, {"status": "rejected", "code": "unavailable"}], "entries were unavailable"),
        ([{"status": "unknown", "code": "outcome_unknown"}], "entries were outcome_unknown"),
    ],
)
def test_an_entry_that_nobody_decided_is_a_failure(results: list[dict[str, str]], problem: str) -> None:
    assert problem_of_entries({"results": results}) == problem


@pytest.mark.parametrize(
    ("later", "grows"),
    [(0, False), (GROWS_AT_MOST // MB, False), (GROWS_AT_MOST // MB + 1, True)],
)
def test_what_a_process_takes_to_become_warm_is_no_growth_and_what_it_takes_later_is(later: int, grows: bool) -> None:
    seconds = [2.0 * nth for nth in range(600)]
    points = [(at, MB * (50 if at < 100 else 140 + (later if at > 800 else 0))) for at in seconds]

    growth = Life("worker", 1, points).growth()

    assert growth is not None
    assert (growth > GROWS_AT_MOST) is grows


def test_a_short_life_says_nothing_about_growth() -> None:
    assert Life("web-0", 1, [(0.0, 50 * MB), (LONG_ENOUGH - 1, 500 * MB)]).growth() is None
