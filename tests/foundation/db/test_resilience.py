"""Asking SQL when it may be away."""

from collections.abc import Collection
from contextlib import suppress
from types import ModuleType
from unittest.mock import Mock

import pytest
from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet

import leaderboards.tasks
import likes.tasks
from foundation import clock
from foundation.db import resilience as sql
from foundation.db.back_off import BackOff
from foundation.db.resilience import MAX_STALE_SECONDS, SqlAway, SqlBusy, StaleIfErrorCache
from foundation.models import KnownRedis
from foundation.sync import barrier
from foundation.worker.each import for_each
from tests.locked import locked, only_postgresql

pytestmark = pytest.mark.django_db(transaction=True)


class Source:
    """A table that can be away, and counts how often it is asked."""

    def __init__(self) -> None:
        self.rows = {"a": 1}
        self.is_away = False
        self.asked = 0

    def load(self, keys: Collection[str]) -> dict[str, int]:
        self.asked += 1
        if self.is_away:
            raise OperationalError("the server closed the connection")
        return {key: self.rows[key] for key in keys if key in self.rows}


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture(autouse=True)
def time(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    monkeypatch.setattr(sql._Breaker, "silent_until", 0.0)
    return now


class TestRemembered:
    def test_an_answer_is_as_old_as_the_question_however_long_sql_took(self, time: list[float]) -> None:
        def slow(keys: Collection[str]) -> dict[str, int]:
            time[0] += 3
            return dict.fromkeys(keys, 1)

        remembered = StaleIfErrorCache(slow)
        asked = time[0]
        remembered.get("a")

        kept = remembered.peek("a", 4)
        assert kept
        assert (kept.answer, kept.since) == (1, asked)
        assert remembered.peek("a", 3) is None

    def test_the_last_answer_serves_while_sql_is_silent_and_for_ten_minutes(
        self, source: Source, time: list[float]
    ) -> None:
        remembered = StaleIfErrorCache(source.load)
        assert remembered.get("a") == 1
        source.is_away = True

        time[0] += MAX_STALE_SECONDS - 1

        assert remembered.get("a") == 1

        time[0] += 2
        asked = source.asked
        for _ in range(3):
            with pytest.raises(SqlAway):
                remembered.get("a")
        assert source.asked == asked + 1  # and again after a second

        source.is_away = False
        time[0] += sql.BREAK_SECONDS
        assert remembered.get("a") == 1

    def test_what_is_gone_is_forgotten(self, source: Source) -> None:
        remembered = StaleIfErrorCache(source.load)
        remembered.get("a")

        source.rows.clear()

        assert remembered.get("a") is None
        source.is_away = True
        with pytest.raises(SqlAway):
            remembered.get("a")

    def test_an_answer_is_asked_for_again_when_it_is_older_than_its_reader_wants(
        self, source: Source, time: list[float]
    ) -> None:
        remembered = StaleIfErrorCache(source.load, fresh=2.0)
        assert [remembered.get("a") for _ in range(3)] == [1, 1, 1]
        source.rows["a"] = 2

        time[0] += 2

        assert [remembered.get("a", fresh=5.0), remembered.get("a"), remembered.get("a", fresh=5.0)] == [1, 2, 2]
        assert source.asked == 2

    def test_one_asks_a_little_ahead_and_the_others_go_on_with_what_is_young_enough(
        self, source: Source, time: list[float]
    ) -> None:
        inside: list[int | None] = []

        def load(keys: Collection[str]) -> dict[str, int]:
            if source.asked == 1 and not inside:
                inside.append(remembered.get("a"))  # as another thread meanwhile
                time[0] += 0.5  # what was remembered is too old now
                inside.append(remembered.get("a"))
            return source.load(keys)

        remembered = StaleIfErrorCache(load, fresh=2.0)
        remembered.get("a")
        source.rows["a"] = 2
        time[0] += 1.9

        assert (remembered.get("a"), inside) == (2, [1, 2])
        assert source.asked == 3

        time[0] += 1.0
        assert (remembered.get("a"), source.asked) == (2, 3)

    def test_who_asks_ahead_in_vain_has_the_answer_that_is_young_enough(
        self, source: Source, time: list[float]
    ) -> None:
        remembered = StaleIfErrorCache(source.load, fresh=2.0)
        remembered.get("a")
        source.is_away = True

        time[0] += 1.9
        assert (remembered.get("a"), source.asked) == (1, 2)

        source.is_away = False
        source.rows.clear()
        time[0] += sql.BREAK_SECONDS
        assert remembered.get("a") is None

    def test_a_row_is_read_again_when_its_stamp_is_another_or_a_minute_old_and_only_then(
        self, source: Source, time: list[float]
    ) -> None:
        stamps = {"a": "1"}
        remembered = StaleIfErrorCache(
            source.load, stamps=lambda keys: {key: stamps[key] for key in keys if key in stamps}
        )
        assert [remembered.get("a") for _ in range(3)] == [1, 1, 1]
        assert source.asked == 1

        source.rows["a"], stamps["a"] = 2, "2"
        assert [remembered.get("a"), remembered.refresh("a")] == [2, 2]
        assert source.asked == 2

        time[0] += sql.VERSION_TRUST_SECONDS
        assert [remembered.get("a"), source.asked] == [2, 3]

        source.rows.clear()
        stamps.clear()
        assert [remembered.get("a"), source.asked] == [None, 4]

    def test_a_row_whose_stamp_was_the_same_is_as_young_as_that_look(self, source: Source, time: list[float]) -> None:
        looks: list[float] = []

        def stamps(keys: Collection[str]) -> dict[str, str]:
            looks.append(time[0])
            return dict.fromkeys(keys, "1")

        remembered = StaleIfErrorCache(source.load, stamps=stamps)
        remembered.get("a")
        for _ in range(4):
            time[0] += sql.CACHE_TTL
            assert [remembered.get("a", fresh=sql.CACHE_TTL) for _ in range(3)] == [1, 1, 1]

        assert [len(looks), source.asked] == [5, 1]

    def test_who_changes_a_row_between_its_stamp_and_its_reading_is_seen_by_the_next(self, source: Source) -> None:
        stamps = {"a": "1"}

        def overtaken(keys: Collection[str]) -> dict[str, int]:
            found = source.load(keys)
            source.rows["a"], stamps["a"] = 2, "2"
            return found

        remembered = StaleIfErrorCache(overtaken, stamps=lambda _keys: dict(stamps))

        assert [remembered.get("a"), remembered.get("a")] == [1, 2]

    def test_what_is_read_inside_a_transaction_is_told_to_nobody_else(self, source: Source) -> None:
        remembered = StaleIfErrorCache(source.load, fresh=2.0)

        with transaction.atomic():
            source.rows["a"] = 3  # and is rolled back
            assert remembered.get("a") == 3
        source.rows["a"] = 1

        assert remembered.get("a") == 1


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
