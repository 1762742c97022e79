"""Hits go to SQL once, whoever is killed; what SQL kept of a day comes back to Redis, and nothing is overwritten."""

import os
import subprocess
import sys
from functools import partial

import pytest
from django.conf import settings
from django.db import connection

from likes.core.activity import RETENTION_DAYS
from likes.core.keys import DayKeys
from likes.models import ActivityDay, HitsFlush, PageHits
from likes.services.flush import flush_hits, merge_days, prune_activity
from likes.stores.activity import ActivityStore
from tests.at_once import at_once
from tests.likes.counting import DAY, MINUTE, NOON, client, flush_all, in_sql, visit, visits
from tests.raw import all_keys

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("activity")]

KEYS = DayKeys(NOON.date())
POINTS = ("after_row", "after_move", "before_commit", "after_commit", "after_unlink", "after_merge")
FLUSH = """
from django.db import connection
connection.settings_dict["NAME"] = {database!r}
from datetime import datetime, timedelta
from likes.services.flush import flush_hits, merge_days
at = datetime.fromisoformat({at!r})
for nth in range(3):
    flush_hits(at + timedelta(minutes=nth))
merge_days(at)
"""


def flush_and_be_killed_at(point: str) -> int:
    """The exit status of a worker on this test's own database, which flushes three times."""
    program = FLUSH.format(database=connection.settings_dict["NAME"], at=NOON.isoformat())
    command = [sys.executable, "manage.py", "shell", "-v0", "-c", program]
    environment = {**os.environ, "FAIL_AT": f"flush.{point}"}
    return subprocess.run(command, cwd=settings.BASE_DIR, env=environment, check=False).returncode


class TestHits:
    def test_they_are_moved_by_one_run_and_counted_by_a_later_one_when_the_move_is_on_disk(self) -> None:
        visits(3)
        visits(2, "board:7")

        counted = [flush_hits(NOON + after) for after in (0 * MINUTE, MINUTE / 60, MINUTE / 20, MINUTE)]

        assert counted == [0, 0, 5, 0]
        assert in_sql() == {"home": 3, "board:7": 2}
        assert not HitsFlush.objects.exists()
        assert not client().keys("hits:*")

    def test_they_add_up_over_flushes_each_on_its_own_day_and_go_when_they_are_old(self) -> None:
        for at in (NOON, NOON + MINUTE, NOON + DAY):
            visits(2, at=at)
            flush_hits(at)
        flush_all(NOON + DAY + MINUTE)
        kept = dict(PageHits.objects.values_list("day", "count"))

        prune_activity(NOON + 402 * DAY)

        assert kept == {NOON.date(): 4, (NOON + DAY).date(): 2}
        assert not PageHits.objects.exists()

    def test_two_flushes_at_once_count_each_hit_once(self) -> None:
        visits(40)

        for nth in range(4):
            at_once([partial(flush_hits, NOON + nth * MINUTE)] * 3)
        flush_all(NOON + 9 * MINUTE)

        assert in_sql() == {"home": 40}

    @pytest.mark.long
    @pytest.mark.parametrize("point", POINTS)
    def test_a_flush_killed_anywhere_and_run_again_counts_once(self, point: str) -> None:
        visits(5)

        status = flush_and_be_killed_at(point)
        visits(2)
        flush_all(NOON + 10 * MINUTE)
        merge_days(NOON)

        assert status == 137
        assert in_sql() == {"home": 7}
        assert not client().keys("hits:*")
        assert ActivityDay.objects.get().visitors_count == 5

    def test_a_move_that_redis_forgot_does_not_count_twice(self) -> None:
        visits(5)
        flush_hits(NOON)
        [aside] = all_keys("*hits:*")

        client().rename(aside, KEYS.hits)  # as after a crash that lost the last second
        visits(1)
        flush_all(NOON + MINUTE)

        assert in_sql() == {"home": 6}

    def test_pages_beyond_the_bound_count_together(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("likes.stores.activity.MOST_PAGES", 2)

        for page in ("a", "b", "c", "d", "a"):
            visit(page, "somebody", at=NOON)

        assert client().hgetall(KEYS.hits) == {b"a": b"2", b"b": b"1", b"other": b"2"}


class TestDays:
    def test_a_day_comes_back_from_sql_as_it_was_kept_until_only_its_numbers_stay(
        self, activity: ActivityStore
    ) -> None:
        visits(20)

        kept = merge_days(NOON)

        day = ActivityDay.objects.get()
        assert (kept, day.visitors_count, day.attendance_count) == (1, 20, 20)
        assert bytes(day.visitors) == client().get(KEYS.visitors)
        assert bytes(day.attendance) == client().get(KEYS.attendance)

        client().delete(KEYS.visitors, KEYS.attendance)
        merge_days(NOON + 30 * DAY)

        assert activity.visitors([NOON.date()]) == 20
        assert activity.attended(19, [NOON.date()]) == [True]
        assert 0 < client().ttl(KEYS.attendance) <= (RETENTION_DAYS - 30) * 86_400

        prune_activity(NOON + RETENTION_DAYS * DAY)
        day.refresh_from_db()
        assert (day.visitors_count, bytes(day.visitors), bytes(day.attendance)) == (20, b"", b"")

    def test_what_came_after_the_loss_is_merged_and_not_overwritten_nor_kept_waiting_by_a_day_that_redis_refuses(
        self, activity: ActivityStore
    ) -> None:
        visits(20)
        merge_days(NOON)
        client().delete(KEYS.visitors, KEYS.attendance)
        visit("home", "a late one", 30, at=NOON)
        visits(1, at=NOON - DAY)
        client().set(DayKeys((NOON - DAY).date()).visitors, "no HyperLogLog")

        assert merge_days(NOON) == 1

        day = ActivityDay.objects.get(day=NOON.date())
        assert (day.visitors_count, day.attendance_count) == (21, 21)
        assert activity.attended(30, [NOON.date()]) == activity.attended(3, [NOON.date()]) == [True]

    def test_two_that_keep_a_day_at_once_lose_nobody(self) -> None:
        def work(first: int) -> None:
            for nth in range(first, first + 5):
                visit("home", f"visitor {nth}", nth, at=NOON)
                merge_days(NOON)

        at_once([partial(work, first) for first in (0, 5, 10)])

        assert ActivityDay.objects.get().attendance_count == 15
