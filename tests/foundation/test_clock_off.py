"""A process whose clock is wrong does nothing that cannot be undone, and says so."""

from datetime import datetime, timedelta
from io import StringIO

import pytest
from celery import current_app
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from foundation import clock
from foundation.tasks import heartbeat
from leaderboards.models import Period, PeriodState
from leaderboards.services.periods.close import close_due
from tests.competitions.site import open_competition
from tests.leaderboards.admin.typed import change, typed_from
from tests.leaderboards.factories import BoardFactory
from tests.links import links

__all__ = ["links"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("links"),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has no clock of its own"),
]

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
FINAL = (
    *(
        f"leaderboards.tasks.{name}"
        for name in ("open_periods", "close_periods", "keep_ranks", "retain", "take_histograms")
    ),
    *(f"competitions.tasks.{name}" for name in ("advance", "tell", "reward", "retain")),
    *("likes.tasks.retain_likes", "likes.tasks.retain_activity", "foundation.tasks.retain_webhooks"),
    *("accounts.tasks.retain", "accounts.tasks.send_mails"),
    *("foundation.tasks.deliver_webhooks", "leaderboards.tasks.fetch_pictures"),  # leases, and times of the next try
)


@pytest.fixture
def today() -> Period:
    """The running day of a board; it ends in half an hour."""
    now = clock.now()
    board = BoardFactory.create(period="day", cutoff=f"{now + 30 * MINUTE:%H:%M}", at=now)
    return board.periods.get(starts_at__lt=now)


@pytest.fixture
def an_hour_fast(today: Period, monkeypatch: pytest.MonkeyPatch) -> None:
    right = clock.now
    monkeypatch.setattr(clock, "now", lambda: right() + HOUR)


@pytest.mark.usefixtures("an_hour_fast")
@pytest.mark.parametrize("name", FINAL)
def test_a_task_whose_work_is_final_refuses(name: str) -> None:
    current_app.loader.import_default_modules()

    with pytest.raises((clock.ClockOff, ExceptionGroup)) as raised:
        current_app.tasks[name]()

    assert "ClockOff" in repr(raised.value)


@pytest.mark.usefixtures("an_hour_fast")
def test_a_day_with_half_an_hour_left_stays_open(today: Period) -> None:
    assert today.ends_at is not None
    with pytest.raises(CommandError, match="clock"):
        call_command("close_periods")

    today.refresh_from_db()
    assert (today.state, close_due(today.ends_at)) == (PeriodState.OPEN, [])  # the grace has not passed


@pytest.mark.usefixtures("an_hour_fast")
def test_an_admin_neither_opens_periods_nor_ends_competitions(today: Period, admin_client: Client) -> None:
    competition = open_competition()
    address = f"/admin/competitions/competition/{competition.pk}"

    saved = admin_client.post(change(today.board), typed_from(today.board, name="Renamed"))
    ended = admin_client.post(f"{address}/cancel/", {"confirmed": "1", "reason": "Rain."})

    today.board.refresh_from_db()
    competition.refresh_from_db()
    assert (today.board.name == "Renamed", competition.cancelled_at) == (False, None)
    assert all("clock is" in answer.content.decode() for answer in (saved, ended))


@pytest.mark.usefixtures("an_hour_fast")
def test_the_worker_tells_of_its_clock(client: Client) -> None:
    heartbeat()

    degraded, out = client.get("/readyz").json()["degraded"], StringIO()
    with pytest.raises(SystemExit):
        call_command("doctor", stdout=out)

    assert any(reason.startswith("the worker's clock is +") for reason in degraded)
    assert any(line.startswith("RED  the worker's clock") for line in out.getvalue().splitlines())


def test_the_agreed_time_is_never_later_than_sqls(monkeypatch: pytest.MonkeyPatch) -> None:
    before = datetime.now().astimezone()

    trusted_now = clock.trusted_now()

    assert before <= trusted_now <= datetime.now().astimezone()
    right = clock.now
    monkeypatch.setattr(clock, "now", lambda: right() - 3 * timedelta(seconds=1))
    with pytest.raises(clock.ClockOff, match=r"-[23]\.\d s off"):
        clock.trusted_now()
