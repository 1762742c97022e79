"""Daylight saving, leap days and the turn of the year with a moved clock; a process whose own clock is off."""

from datetime import datetime, timedelta
from itertools import cycle

import pytest
from django.test import Client

from foundation import clock
from leaderboards.models import Period, Submission
from leaderboards.services.sync.mirror import mirror_all
from tests.foundation.factories import KeyFactory
from tests.leaderboards.services.site import make_board, period_of, points, score
from tests.links import links

__all__ = ["links"]

pytestmark = pytest.mark.django_db(transaction=True)

SECOND = timedelta(seconds=1)

BERLIN, NEW_YORK, SEOUL = ({"timezone": zone} for zone in ("Europe/Berlin", "America/New_York", "Asia/Seoul"))

# Board's settings, the instant at which a period turns, the labels before and after it.
BOUNDARIES: dict[str, tuple[dict[str, str], str, str, str]] = {
    "a day of 23 hours begins": (BERLIN, "2026-03-28 23:00Z", "2026-03-28", "2026-03-29"),
    "a day of 23 hours ends": (BERLIN, "2026-03-29 22:00Z", "2026-03-29", "2026-03-30"),
    "a cut-off that the night skips": (BERLIN | {"cutoff": "02:30"}, "2026-03-29 01:00Z", "2026-03-28", "2026-03-29"),
    "a cut-off that comes twice": (BERLIN | {"cutoff": "02:30"}, "2026-10-25 00:30Z", "2026-10-24", "2026-10-25"),
    "a day of 25 hours ends": (NEW_YORK, "2026-11-02 05:00Z", "2026-11-01", "2026-11-02"),
    "a leap day begins": ({}, "2028-02-29 00:00Z", "2028-02-28", "2028-02-29"),
    "a month with a leap day": ({"period": "month"}, "2028-03-01 00:00Z", "2028-02", "2028-03"),
    "the year turns, in Seoul first": (SEOUL | {"period": "year"}, "2026-12-31 15:00Z", "2026", "2027"),
    "the year turns within a week": ({"period": "week"}, "2027-01-04 00:00Z", "2026-53", "2027-01"),
}


@pytest.mark.parametrize(("name", "storage"), [*zip(BOUNDARIES, cycle(("hybrid", "redis", "sql")), strict=False)])
def test_a_boundary_parts_what_came_before_from_what_came_after(
    links: None, monkeypatch: pytest.MonkeyPatch, name: str, storage: str
) -> None:
    settings, turns_at, before, after = BOUNDARIES[name]
    turn = datetime.fromisoformat(turns_at)
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


@pytest.mark.parametrize("off", [timedelta(hours=1), timedelta(hours=-1), timedelta(seconds=2.5)])
def test_a_process_whose_clock_is_off_takes_no_submissions(
    links: None, monkeypatch: pytest.MonkeyPatch, off: timedelta
) -> None:
    board = make_board("hybrid", clock.now())
    headers = {"authorization": f"Bearer {KeyFactory.create()}"}
    entry = {"entries": [{"board": board.seq, "player": "a", "points": 1}]}
    monkeypatch.setattr(clock, "_comparison", clock._Comparison())
    true_now = clock.now
    monkeypatch.setattr(clock, "now", lambda: true_now() + off)

    answer = Client().post("/api/v1/scores", entry, "application/json", headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert "clock is wrong" in answer.json()["detail"]
    assert not Submission.objects.exists()
    assert not Period.objects.filter(submissions__isnull=False).exists()
