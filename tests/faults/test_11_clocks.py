"""Daylight saving, leap days and the turn of the year with a moved clock; a process whose own clock is off."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from foundation import clock, service_keys
from leaderboards.core.periods import next_window, window_at
from leaderboards.models import Period, Submission
from leaderboards.services.mirror import mirror_all
from tests.leaderboards.services.site import make_board, period_of, points, score
from tests.links import links

__all__ = ["links"]

pytestmark = pytest.mark.django_db(transaction=True)

SECOND = timedelta(seconds=1)
STORAGES = ("hybrid", "redis", "sql")

# Board's settings, the instant at which a period turns, the labels before and after it.
BOUNDARIES: dict[str, tuple[dict[str, Any], datetime, str, str]] = {
    "a day of 23 hours begins": (
        {"timezone": "Europe/Berlin"}, datetime(2026, 3, 28, 23, tzinfo=UTC), "2026-03-28", "2026-03-29",
    ),
    "a day of 23 hours ends": (
        {"timezone": "Europe/Berlin"}, datetime(2026, 3, 29, 22, tzinfo=UTC), "2026-03-29", "2026-03-30",
    ),
    "a cut-off that the night skips": (
        {"timezone": "Europe/Berlin", "cutoff": "02:30"}, datetime(2026, 3, 29, 1, tzinfo=UTC),
        "2026-03-28", "2026-03-29",
    ),
    "a cut-off that comes twice": (
        {"timezone": "Europe/Berlin", "cutoff": "02:30"}, datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
        "2026-10-24", "2026-10-25",
    ),
    "a day of 25 hours ends": (
        {"timezone": "America/New_York"}, datetime(2026, 11, 2, 5, tzinfo=UTC), "2026-11-01", "2026-11-02",
    ),
    "a leap day begins": ({}, datetime(2028, 2, 29, tzinfo=UTC), "2028-02-28", "2028-02-29"),
    "a leap day ends": ({}, datetime(2028, 3, 1, tzinfo=UTC), "2028-02-29", "2028-03-01"),
    "no leap day": ({}, datetime(2026, 3, 1, tzinfo=UTC), "2026-02-28", "2026-03-01"),
    "a month with a leap day": ({"period": "month"}, datetime(2028, 3, 1, tzinfo=UTC), "2028-02", "2028-03"),
    "the year turns, in Seoul first": (
        {"period": "year", "timezone": "Asia/Seoul"}, datetime(2026, 12, 31, 15, tzinfo=UTC), "2026", "2027",
    ),
    "the year turns within a week": ({"period": "week"}, datetime(2027, 1, 4, tzinfo=UTC), "2026-53", "2027-01"),
}  # fmt: skip  # as a table


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("name", BOUNDARIES)
def test_a_boundary_parts_what_came_before_from_what_came_after(
    links: None, monkeypatch: pytest.MonkeyPatch, storage: str, name: str
) -> None:
    settings, turn, before, after = BOUNDARIES[name]
    monkeypatch.setattr(clock, "now", lambda: turn)
    board = make_board(storage, turn - SECOND, **{"update": "increment", **settings})

    first = score(board, {"a": 1}, turn - timedelta(milliseconds=1), id_="first")
    second = score(board, {"a": 10}, turn, id_="second")
    again = score(board, {"a": 1}, turn + SECOND, id_="first")
    mirror_all()

    assert [(each.period, str(each.status)) for each in (*first, *second, *again)] == [
        (before, "updated"),
        (after, "updated"),
        (before, "duplicate"),
    ]
    assert points(board, turn - SECOND) == {"a": 1}
    assert points(board, turn) == {"a": 10}
    assert period_of(board, turn - SECOND).ends_at == period_of(board, turn).starts_at == turn


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Asia/Seoul", "Australia/Lord_Howe"])
@pytest.mark.parametrize("cutoff", ["00:00", "02:30"])
def test_days_tile_four_years_without_gap_or_overlap(zone: str, cutoff: str) -> None:
    board = make_board("sql", timezone=zone, cutoff=cutoff)
    window = window_at(board.calendar, datetime(2026, 1, 1, tzinfo=UTC))
    labels = set()

    for _ in range(4 * 366):
        following = next_window(board.calendar, window)
        assert window.starts_at is not None
        assert window.ends_at is not None
        assert window.ends_at == following.starts_at
        assert timedelta(hours=22) < window.ends_at - window.starts_at < timedelta(hours=26)
        assert window_at(board.calendar, window.starts_at) == window
        labels.add(window.label)
        window = following

    assert len(labels) == 4 * 366


@pytest.mark.parametrize("off", [timedelta(hours=1), timedelta(hours=-1), timedelta(seconds=2.5)])
def test_a_process_whose_clock_is_off_takes_no_submissions(
    links: None, monkeypatch: pytest.MonkeyPatch, off: timedelta
) -> None:
    board = make_board("hybrid", clock.now())
    _, key = service_keys.make("game", ["scores:write"], None, None)
    entry = {"entries": [{"board": board.seq, "player": "a", "points": 1}]}
    monkeypatch.setattr(clock, "_comparison", clock._Comparison())
    true_now = clock.now
    monkeypatch.setattr(clock, "now", lambda: true_now() + off)

    answer = Client().post(
        "/api/v1/scores", entry, content_type="application/json", headers={"authorization": f"Bearer {key}"}
    )

    assert answer.status_code == 503
    assert answer.json()["code"] == "unavailable"
    assert "clock is wrong" in answer.json()["detail"]
    assert not Submission.objects.exists()
    assert not Period.objects.filter(submissions__isnull=False).exists()
