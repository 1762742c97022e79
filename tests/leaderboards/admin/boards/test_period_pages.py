"""The acts on a period's page: each is previewed, needs a reason and the permission, and is in the audit log."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.admin.wording.periods import period_in_words
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Board, Period, PeriodState
from leaderboards.services.submit.pipeline import submit
from tests.leaderboards.admin.typed import make_board, page
from tests.staff import chief, staff

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def running(board: Board) -> Period:
    """The period that a score was just sent to."""
    submit([read_entry({"board": board.seq, "player": "ann", "points": 5}, 0)], Caller("game"), clock.now())
    return Period.objects.get(board=board, starts_at__lte=clock.now(), ends_at__gt=clock.now())


def address(period: Period, slug: str = "change") -> str:
    return f"/admin/leaderboards/period/{period.pk}/{slug}/"


def confirm(client: Client, where: str, **typed: str) -> Any:
    """Look at what an act does, then do it; the page that was looked at, and the answer."""
    looked = client.post(where, typed)
    seal = re.findall(r'name="shown" value="(\w+)"', looked.content.decode())[0]
    done = client.post(where, {**typed, "shown": seal, "confirmed": "1", "reason": "Looks odd."}, follow=True)
    return looked.content.decode(), done.content.decode()


def offered(client: Client, period: Period) -> list[str]:
    return [slug for slug in ("verify", "rebuild", "close") if f'href="../{slug}/"' in page(client, address(period))]


def test_a_period_is_compared_with_redis_and_the_log_says_what_was_found(admin: Client) -> None:
    period = running(make_board(storage="hybrid"))

    looked, done = confirm(admin, address(period, "verify"))

    assert offered(admin, period) == ["verify", "rebuild"]
    assert "Compares up to 1 standings" in looked
    assert "Nothing is repaired." in looked
    assert "Compared: 1. Differences: 0. Repaired: 0." in done
    entry = AuditEntry.objects.get(act="period.verified")
    assert (entry.reason, entry.after) == ("Looks odd.", {"compared": 1, "differences": 0, "repaired": 0})


def test_a_rebuild_is_asked_for_and_the_worker_finds_it(admin: Client) -> None:
    period = running(make_board(storage="hybrid"))

    looked, done = confirm(admin, address(period, "rebuild"))

    period.refresh_from_db()
    assert "puts 1 standings" in looked
    assert "Asked for." in done
    assert period.stale_since is not None
    assert period.needs_full_rebuild
    assert AuditEntry.objects.get(act="period.rebuild_asked").reason == "Looks odd."
    assert "It is being brought up to date already" in admin.post(address(period, "rebuild"), {}).content.decode()


def test_a_period_is_closed_once_it_is_past_its_grace_and_not_before(admin: Client) -> None:
    period = running(make_board(storage="sql", period="day"))
    early = admin.post(address(period, "close"), {"confirmed": "1", "reason": "Now."})

    assert period.ends_at is not None
    with clock.freeze_at(period.ends_at + timedelta(hours=1)):
        later = chief(name="later")  # the session from before is over
        ways = offered(later, period)
        looked, done = confirm(later, address(period, "close"))

    period.refresh_from_db()
    assert early.status_code == 404
    assert ways == ["close"]
    assert "its ranks become final" in looked
    assert "Closed: its ranks are final." in done
    assert period.state == PeriodState.FINAL
    assert AuditEntry.objects.get(act="period.closed_by_hand").reason == "Looks odd."


def test_nothing_is_done_without_a_reason_or_without_the_permission(admin: Client) -> None:
    period = running(make_board(storage="hybrid"))
    reader = staff("view_period")
    looked = admin.post(address(period, "rebuild"), {}).content.decode()
    seal = re.findall(r'name="shown" value="(\w+)"', looked)[0]

    unsaid = admin.post(address(period, "rebuild"), {"shown": seal, "confirmed": "1", "reason": " "})
    denied = [reader.post(address(period, slug), {"confirmed": "1", "reason": "Mine."}) for slug in ("verify", "close")]

    period.refresh_from_db()
    assert "Give a reason of 1 to" in unsaid.content.decode()
    assert [each.status_code for each in denied] == [403, 403]
    assert offered(reader, period) == []
    assert period.stale_since is None
    assert not AuditEntry.objects.filter(act__startswith="period.").exists()


def test_what_sql_alone_keeps_is_not_compared_and_a_board_leads_to_its_periods(admin: Client) -> None:
    board = make_board(storage="sql")
    period = running(board)

    assert offered(admin, period) == []
    assert admin.get(address(period, "verify")).status_code == 404
    way = f"/admin/leaderboards/period/?board__seq__exact={board.pk}"
    assert way in page(admin, f"/admin/leaderboards/board/{board.pk}/change/")
    assert period_in_words(period) in page(admin, way)
