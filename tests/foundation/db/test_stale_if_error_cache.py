"""A cache that answers with what it had while SQL is away, and asks again in time."""

from collections.abc import Collection

import pytest
from django.db import transaction

from foundation.db import resilience as sql
from foundation.db.resilience import MAX_CACHED, MAX_STALE_SECONDS, SqlAway, StaleIfErrorCache
from tests.foundation.db.away import Source

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("time")]


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

    def test_the_oldest_answers_make_room_and_the_others_stay(self, source: Source) -> None:
        remembered = StaleIfErrorCache(source.load, fresh=60.0, most=16)
        names = [f"n{each}" for each in range(17)]
        source.rows.update(dict.fromkeys(names, 1))
        for name in names:
            remembered.get(name)

        kept = [name for name in names if remembered.peek(name, 60.0)]

        assert kept == names[3:]  # room for one, and for an eighth more

    def test_many_that_change_leave_the_others_cached(self, source: Source) -> None:
        remembered = StaleIfErrorCache(source.load, fresh=60.0)
        remembered.get("a")

        remembered.drop([f"other{each}" for each in range(MAX_CACHED)])
        remembered.drop(["more"])

        assert remembered.peek("a", 60.0)

    def test_many_that_change_distrust_what_is_being_read(self, source: Source) -> None:
        def read_while_many_change(keys: Collection[str]) -> dict[str, int]:
            remembered.drop(["a"])
            remembered.drop([f"other{each}" for each in range(MAX_CACHED)])
            return dict.fromkeys(keys, 1)

        remembered: StaleIfErrorCache[str, int] = StaleIfErrorCache(read_while_many_change, fresh=60.0)
        remembered.get("a")

        assert remembered.peek("a", 60.0) is None
