"""Asking SQL when it may be away."""

from contextlib import suppress
from types import ModuleType
from unittest.mock import Mock

import pytest
from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet

import leaderboards.tasks
import likes.tasks
from foundation.db import resilience as sql
from foundation.db.back_off import BackOff
from foundation.db.resilience import SqlAway, SqlBusy
from foundation.models import KnownRedis
from foundation.sync import barrier
from foundation.worker.each import for_each
from tests.foundation.db.away import Source
from tests.locked import locked, only_postgresql

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("time")]


def test_inside_a_transaction_an_error_stays_what_it_is(source: Source) -> None:
    source.is_away = True

    with pytest.raises(OperationalError), transaction.atomic():
        sql.ask(lambda: source.load(["a"]))


def test_while_sql_is_away_it_is_asked_less_and_less_and_back_again_always(source: Source, time: list[float]) -> None:
    back_off = BackOff(shortest=0.5, longest=5.0)

    def tries(seconds: int) -> int:
        """How often SQL was asked by a beat of ten times a second."""
        before = source.asked
        for _ in range(10 * seconds):
            with suppress(SqlAway):
                back_off.attempt(lambda: source.load(["a"]))
            time[0] += 0.1
        return source.asked - before

    source.is_away = True
    first, later = tries(5), tries(60)
    source.is_away = False
    found, then = tries(5), tries(1)

    assert 3 <= first <= 6
    assert 60 / 5 - 1 <= later <= 60 / 2.5 + 1
    assert found >= 1
    assert then == 10


@pytest.mark.parametrize(
    ("tasks", "name", "service"),
    [
        (leaderboards.tasks, "mirror", "mirror_service.mirror_all"),
        (leaderboards.tasks, "settle", "resync_periods.resync_due"),
        (likes.tasks, "count", "counting.count_due"),
        (likes.tasks, "mirror_likes", "mirroring.mirror_all"),
        (likes.tasks, "settle_likes", "resyncing.resync_due"),
    ],
)
def test_what_runs_each_second_asks_less_often_while_sql_is_away(
    monkeypatch: pytest.MonkeyPatch, time: list[float], tasks: ModuleType, name: str, service: str
) -> None:
    away = Mock(side_effect=OperationalError("the server closed the connection"))
    monkeypatch.setattr(f"{tasks.__name__}.{service}", away)
    monkeypatch.setattr(tasks, "_back_off", BackOff())

    for _ in range(10):
        getattr(tasks, name)()
    time[0] += 5.0
    getattr(tasks, name)()

    assert away.call_count == 2


def test_no_two_workers_wait_alike(source: Source) -> None:
    source.is_away = True
    workers = [BackOff() for _ in range(10)]
    for worker in workers:
        with pytest.raises(SqlAway):
            worker.attempt(lambda: source.load(["a"]))

    assert len({worker._until for worker in workers}) == 10


@only_postgresql
class TestBusy:
    """A lock that is not had in time: SQL is well, and nothing else waits."""

    @pytest.fixture
    def rows(self) -> QuerySet[KnownRedis]:
        for name in ("held", "free"):
            KnownRedis.objects.create(identity=name)
        return KnownRedis.objects.all()

    @staticmethod
    def touch(row: KnownRedis) -> str:
        row.save(force_update=True)
        return row.identity

    def test_the_next_query_is_asked_and_the_next_run_too(self, rows: QuerySet[KnownRedis]) -> None:
        back_off, held = BackOff(), rows.get(identity="held")

        with locked(rows.filter(identity="held")):
            for attempt in (sql.ask, back_off.attempt):
                with pytest.raises(SqlBusy):
                    attempt(lambda: self.touch(held))
                assert attempt(rows.count) == 2

    def test_in_a_loop_it_is_passed_over(self, rows: QuerySet[KnownRedis]) -> None:
        with locked(rows.filter(identity="held")):
            assert for_each(rows.order_by("pk"), self.touch) == ["free"]

    def test_a_barrier_that_is_not_had_says_so(self) -> None:
        def hold() -> None:
            with transaction.atomic():
                barrier.hold_shared(7)

        with connection.cursor() as cursor, connection.copy().temporary_connection() as other:
            cursor.execute("SET lock_timeout = 50")
            other.execute("SELECT pg_advisory_lock(%s, 7)", [barrier.PERIODS])
            with pytest.raises(SqlBusy):
                hold()
            other.execute("SELECT pg_advisory_unlock(%s, 7)", [barrier.PERIODS])
            hold()
            cursor.execute("RESET lock_timeout")
