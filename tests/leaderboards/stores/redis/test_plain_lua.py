"""The scripts without a server: what they keep to is plain Lua and commands that every Redis has.

They judge, place and read as the oracle does; SQL takes no part. Every order and storage is the contract's.
"""

import time
from contextlib import suppress
from datetime import UTC, datetime
from itertools import cycle
from typing import Any
from unittest.mock import patch

import pytest

from foundation.redis.client import RedisRefused
from foundation.sync.redis_state import RedisState, StaleGeneration
from leaderboards.core.id_buckets import bucketed_id
from leaderboards.core.periods import Calendar, PeriodKind, window_at
from leaderboards.core.ranking.board_settings import board_rules
from leaderboards.errors import OutOfRange
from leaderboards.models import Board, Period
from leaderboards.stores.base import Around, ForPlayers, Page, Query, RankedRow
from leaderboards.stores.redis.reads import ZsetStore
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.redis.writes import EntryToEvaluate, Verdict, ZsetWriter
from tests.contracts.forms import FORMS, Form
from tests.fake_link import FakeLink
from tests.oracle import OracleBoard, Row

NOON = int(datetime(2026, 3, 4, 12, tzinfo=UTC).timestamp() * 1000)
A_DAY_MS = 86_400_000
HISTORY = (
    *(("a", 5, 9000), ("b_", 5, 8000), ("가", 5, 8000), ("b_", 7, 7000), ("a", 5, 9500), ("0", 2, 10)),
    *(("가", 0, 6000), ("a", 1, 12_000), ("b_", 3, 0), ("0", 2, 11), ("z", 9, 1), ("z", 9, 1), ("z", 2, 1)),
    *(("early", 6, 5000), ("late", 6, 4000), ("early", 6, 3000), ("late", 6, 4500), ("late", 6, 2000)),
)


def opened(link: FakeLink, form: Form, **rules: Any) -> Period:
    """A period that no database knows, in a Redis that has nothing else."""
    board = Board(**form.settings, **rules)
    window = window_at(Calendar(PeriodKind(board.period)), datetime(2026, 3, 4, tzinfo=UTC))
    period = Period(board_id=7, label=window.label, starts_at=window.starts_at, ends_at=window.ends_at, generation=3)
    period.rules_json = board_rules(board).to_json()
    link.reset()
    ZsetSync(link).set_generation(period, 3, RedisState(0, 0), empty=True)
    return period


@pytest.fixture
def link() -> FakeLink:
    return FakeLink()


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_entries_are_judged_and_placed_as_by_the_oracle(link: FakeLink, form: Form) -> None:
    def rows_of(placed: list[RankedRow]) -> list[tuple[Any, ...]]:
        unpacked = [(each, period.layout.unpack(each.score, each.member)) for each in placed]
        return [(each.rank, found.player, found.value, each.tied) for each, found in unpacked]

    def listed(rows: list[Row]) -> list[tuple[Any, ...]]:
        return [(row.rank, row.player, row.value, row.tied) for row in rows]

    for update, ties in zip(form.updates, cycle(form.ties), strict=False):
        period = opened(link, form, update=update.value, ties=ties.value)
        oracle = OracleBoard(period.rules, period.window)
        sent = [
            EntryToEvaluate(name, form.value(n), period.layout.quantize(NOON - ago), None) for name, n, ago in HISTORY
        ]
        for each in sent:
            with suppress(OutOfRange):
                oracle.submit(each.player, each.value, each.at_ms)

        ZsetWriter(link).submit(period, sent[:4])
        ZsetWriter(link).submit(period, sent[4:])

        questions: list[Query] = [Page(0, 3), Page(3, 50), Around("a", 1), ForPlayers(("z", "nobody"))]
        top, rest, around, named = ZsetStore(link).read(period, questions).answers
        assert rows_of(top + rest) == listed(oracle.rows())
        assert rows_of(around) == listed(oracle.around("a", 1))
        assert rows_of(named) == listed(oracle.named(["z"]))


FIVE = EntryToEvaluate("a", (5,), NOON, None)
WITH_ID = EntryToEvaluate("a", (5,), NOON, bucketed_id("game", "m1", "five"))


class TestGuards:
    @pytest.fixture
    def period(self, link: FakeLink) -> Period:
        return opened(link, FORMS[0])

    def test_an_id_is_known_again_and_its_reuse_told(self, link: FakeLink, period: Period) -> None:
        other = EntryToEvaluate("a", (6,), NOON, bucketed_id("game", "m1", "six"))
        later = Period(board_id=7, label="2026-11", rules_json=period.rules_json, generation=3)
        later.starts_at, later.ends_at = period.starts_at, period.ends_at
        ZsetSync(link).set_generation(later, 3, RedisState(0, 0), empty=True)

        judged = ZsetWriter(link).submit(period, [WITH_ID, WITH_ID, other])
        with patch.object(FakeLink, "timeout_ms", A_DAY_MS):
            tomorrow = ZsetWriter(link).submit(period, [WITH_ID, other])
        in_another = ZsetWriter(link).submit(later, [WITH_ID, other])

        assert [each.verdict for each in judged] == [Verdict.UPDATED, Verdict.DUPLICATE, Verdict.REUSED]
        assert [each.verdict for each in tomorrow] == [Verdict.DUPLICATE, Verdict.REUSED]
        assert [each.verdict for each in in_another] == [Verdict.OTHER_PERIOD, Verdict.REUSED]
        assert ZsetStore(link).read(later, []).total == 0

    def test_who_said_today_just_before_midnight_meets_the_id_of_whom_tomorrow_was_near(
        self, link: FakeLink, period: Period
    ) -> None:
        midnight = NOON / 1000 + A_DAY_MS / 2000

        with patch.object(time, "time", return_value=midnight - 0.3):
            with patch.object(FakeLink, "timeout_ms", 400):
                first = ZsetWriter(link).submit(period, [WITH_ID])
            with patch.object(FakeLink, "timeout_ms", 200):
                second = ZsetWriter(link).submit(period, [WITH_ID])

        assert [each.verdict for each in first + second] == [Verdict.UPDATED, Verdict.DUPLICATE]

    def test_a_generation_only_grows_and_another_one_is_neither_read_nor_written(
        self, link: FakeLink, period: Period
    ) -> None:
        settler = ZsetSync(link)

        judged = settler.read_state(period)
        assert [settler.set_generation(period, number, judged, empty=True) for number in (4, 5)] == [0, None]
        with pytest.raises(StaleGeneration):
            ZsetStore(link).read(period, [Page(0, 1)])
        with pytest.raises(StaleGeneration):
            ZsetWriter(link).submit(period, [FIVE])

    def test_a_write_whose_deadline_is_past_does_nothing(
        self, link: FakeLink, period: Period, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(FakeLink, "timeout_ms", -1)

        with pytest.raises(RedisRefused, match="LATE"):
            ZsetWriter(link).submit(period, [FIVE])

        assert ZsetStore(link).read(period, []).total == 0

    def test_a_closed_period_takes_nothing_new_and_knows_what_it_has(self, link: FakeLink, period: Period) -> None:
        ZsetWriter(link).submit(period, [WITH_ID])
        ZsetSync(link).close(period)

        judged = ZsetWriter(link).submit(period, [WITH_ID, FIVE])

        assert [each.verdict for each in judged] == [Verdict.DUPLICATE, Verdict.CLOSED]

    def test_a_dirty_mark_goes_only_while_it_is_of_the_version_read(self, link: FakeLink, period: Period) -> None:
        writer, settler = ZsetWriter(link), ZsetSync(link)
        writer.submit(period, [FIVE, EntryToEvaluate("b", (5,), NOON, None)])
        total, read = settler.dirty(period, 10)
        writer.submit(period, [EntryToEvaluate("a", (6,), NOON, None)])

        left = settler.clear_dirty(period, read)

        assert (total, left) == (2, 1)
        assert [(row.player, row.version) for row in settler.dirty(period, 10)[1]] == [("a", 3)]
