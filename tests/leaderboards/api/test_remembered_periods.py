"""What a process remembers of a period: a change that another process makes of it is seen by the next read."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.utils import timezone

from foundation import clock
from leaderboards.models import Period, PeriodState
from leaderboards.selectors.catalog.cache_versions import MAX_READ_STALENESS_SECONDS
from leaderboards.services.periods import (
    close,
    open,  # noqa: A004 - our service has that name
)
from leaderboards.services.sync import publish, rebuild, resync_periods
from tests.leaderboards.api.conftest import Caller
from tests.playing import running, score
from tests.remembered import elsewhere

pytestmark = pytest.mark.django_db(transaction=True)


IN_REDIS = pytest.mark.parametrize("storage", ["hybrid", "redis"])


@IN_REDIS
def test_each_state_of_a_period_that_is_closed_elsewhere_is_shown_at_once(
    anybody: Caller, known: Callable[..., int], storage: str
) -> None:
    number = known(storage, period="day")
    period = running(number)
    path, told = f"/boards/{number}/standings?period={period.label}", []

    for step in (close.stop_accepting, lambda each: close.close_period(each, clock.now())):
        for _ in range(3):
            told.append(anybody.get(path).json()["period"]["state"])
        with elsewhere():
            step(period)
    answer = anybody.get(path).json()

    assert told == [PeriodState.OPEN] * 3 + [PeriodState.CLOSING] * 3
    assert (answer["period"]["state"], [row["player"] for row in answer["rows"]]) == (PeriodState.FINAL, ["ann", "bob"])


def test_an_end_that_follows_its_zone_elsewhere_is_shown_at_once(anybody: Caller, known: Callable[..., int]) -> None:
    number = known(period="day", tie_break="member")
    period = running(number)
    window, ends_at = period.window, period.ends_at or clock.now()
    Period.objects.filter(pk=period.pk).update(ends_at=ends_at + timedelta(hours=1))
    period.refresh_from_db()
    with elsewhere():
        open._follow_calendar(period, window, clock.now())

    shown = anybody.get(f"/boards/{number}/standings").json()["period"]

    assert shown["ends_at"] == f"{ends_at:%Y-%m-%dT%H:%M:%S}Z"


@IN_REDIS
def test_a_period_that_is_settled_elsewhere_is_read_by_its_new_course(
    anybody: Caller, known: Callable[..., int], storage: str
) -> None:
    number = known(storage)
    with elsewhere():
        Period.objects.filter(board=number).update(stale_since=timezone.now(), needs_full_rebuild=storage == "hybrid")
        resync_periods.resync_due(clock.now())

    answer = anybody.get(f"/boards/{number}/standings").json()

    assert (answer["live"], [row["player"] for row in answer["rows"]]) == (True, ["ann", "bob"])


def test_a_period_that_is_rebuilt_elsewhere_is_read_from_sql_from_the_mark_on(
    anybody: Caller, known: Callable[..., int]
) -> None:
    number = known()
    with elsewhere():
        rebuild.mark_for_rebuild(running(number), clock.now())

    assert anybody.get(f"/boards/{number}/standings").json()["live"] is False


def test_a_score_that_redis_did_not_hear_of_is_shown_by_the_next_read(
    anybody: Caller, known: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    number = known()
    with elsewhere(), patch.object(publish, "_announce", list):
        score(number, {"cyd": 9})

    answer = anybody.get(f"/boards/{number}/standings").json()

    assert (answer["live"], [row["player"] for row in answer["rows"]]) == (False, ["cyd", "ann", "bob"])


@pytest.mark.parametrize(
    ("change", "seen"),
    [({"stale_since": timezone.now()}, {"live": False}), ({"state": "closing"}, {"period": {"state": "closing"}})],
    ids=["stale", "state"],
)
def test_what_nobody_was_told_of_is_seen_after_a_moment(
    anybody: Caller,
    known: Callable[..., int],
    change: dict[str, Any],
    seen: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    number, now = known(), clock.monotonic()
    Period.objects.filter(board=number).update(**change)
    monkeypatch.setattr(clock, "monotonic", lambda: now + MAX_READ_STALENESS_SECONDS)

    answer = anybody.get(f"/boards/{number}/standings").json()

    assert {key: (answer[key] | value if isinstance(value, dict) else value) for key, value in seen.items()} == {
        key: answer[key] for key in seen
    }
