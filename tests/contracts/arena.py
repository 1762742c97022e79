"""A board and its oracle side by side: what is done to the one is done to the other, and both must then agree.

The clock is fixed at ``NOW``. Times are given as milliseconds before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest

from foundation.errors import NotAvailable
from leaderboards import selectors
from leaderboards.core.input.entries import read_entry
from leaderboards.core.instants import from_milliseconds, milliseconds
from leaderboards.core.periods import window_at
from leaderboards.core.ranking import ranks
from leaderboards.core.ranking.rules import Operator, Order, Rules, Ties, Update
from leaderboards.core.submissions import Caller, Outcome, Status
from leaderboards.errors import NotRanked, OutOfRange
from leaderboards.models import Board, Period, Standing
from leaderboards.selectors import Row
from leaderboards.services.boards import save_board
from leaderboards.services.moderation.remove import remove_player
from leaderboards.services.periods.close import close_period
from leaderboards.services.periods.open import open_period
from leaderboards.services.submit.pipeline import submit
from leaderboards.services.sync.mirror import mirror
from leaderboards.stores.redis.partitioned import PartitionedStore
from tests.compact_trees import members_of, number_of
from tests.contracts.forms import Form
from tests.contracts.storages import can
from tests.dynamodb import empty_table
from tests.leaderboards.services.ranges import let_ranges_follow
from tests.oracle import OracleBoard
from tests.raw import boards_redis

NOW = datetime(2026, 3, 4, 12, 0, 0, 500_000, tzinfo=UTC)


class Sent(NamedTuple):
    """One entry of a test: ``ago_ms`` before ``NOW``, saying ``n`` in the board's form."""

    player: str
    n: int
    ago_ms: int
    id: str | None = None
    operator: str | None = None


@dataclass
class Arena:
    form: Form
    storage: str
    board: Board
    period: Period
    oracle: OracleBoard
    ids: dict[str, Sent]

    @classmethod
    def open(
        cls,
        form: Form,
        storage: str,
        order: Order,
        update: Update,
        ties: Ties,
        operators: Sequence[str] = (),
        partitions: int = 1,
        encoding: str = "plain",
        own_tables: bool = False,
        score_ranges: bool = False,
    ) -> "Arena":
        """A new board, with its running period open; of the boards before it DynamoDB keeps nothing."""
        if storage == "dynamodb":
            empty_table()
        rules = {"order": order.value, "update": update.value, "ties": ties.value}
        board = Board(name=f"{form}, {storage}, {order}, {update}, {ties}", storage=storage, **form.settings, **rules)
        board.operators, board.partitions, board.encoding = list(operators), partitions, encoding
        board.own_tables = own_tables
        board.score_ranges = score_ranges
        save_board(board)
        period = open_period(board, window_at(board.calendar, NOW))
        oracle = OracleBoard(period.rules, period.window, number_of if period.is_compact else None)
        return cls(form, storage, board, period, oracle, {})

    @property
    def rules(self) -> Rules:
        return self.period.rules

    def send(self, *sent: Sent, ranks: bool = False) -> list[Outcome]:
        """Submit in one request, compare each outcome with the oracle's, and return them."""
        before = self._ranks()
        entries = [read_entry(self._raw(each), position) for position, each in enumerate(sent)]
        outcomes = submit(entries, Caller("tests"), NOW, ranks=ranks)
        expected = [self._expect(each) for each in sent]
        assert [self._told(outcome) for outcome in outcomes] == expected
        for outcome in outcomes if ranks else ():
            if outcome.status.is_accepted:
                told = before.get(str(outcome.player)), self._ranks().get(str(outcome.player))
                assert (outcome.previous_rank, outcome.rank) == told
        return outcomes

    def remove(self, player: str) -> None:
        """Take a player out of both, or be refused by both."""
        try:
            self.oracle.remove(player)
        except NotRanked:
            with pytest.raises(NotRanked):
                remove_player(self.board, player, NOW)
        else:
            remove_player(self.board, player, NOW)

    def mirror(self) -> None:
        """Let SQL follow, where Redis decides."""
        if self.storage == "redis":
            self.period.refresh_from_db()
            mirror(self.period)

    def follow(self) -> None:
        """Let score ranges follow, if there are any, and agree on the list that they alone tell."""
        if self.period.has_score_ranges:
            let_ranges_follow(self.period, NOW)
            with patch.object(
                PartitionedStore, "_read_partitions", side_effect=AssertionError("the partitions were asked")
            ):
                self.agree_on_the_list()

    def bring_to_sql(self) -> None:
        """Let SQL get what it gets: from DynamoDB only with the end of the period."""
        self.mirror()
        if self.storage == "dynamodb":
            with pytest.raises(NotAvailable):
                selectors.export_rows(self.board, self.period.label)
            assert close_period(self.period, NOW).final

    def agree_on_the_list(self, live: bool = True) -> None:
        """The whole list, and nobody after it."""
        expected = self._rows()
        found = selectors.standings(self.board, self.period.label, 0, len(expected) + 6)
        assert (found.total, found.live) == (len(expected), live)
        assert [_told(row) for row in found.rows] == expected

    def agree(self, live: bool = True) -> None:
        """Every way of reading says what the oracle says."""
        expected = self._rows()
        if live:
            self.follow()
        self._agree_on_pages(expected, live)
        if expected:
            self._agree_on_players(expected)
        self._agree_distribution(expected)

    def agree_in_sql(self) -> None:
        """SQL's rows are the oracle's, and where Redis shows them they are the same to the last bit."""
        _, exported = selectors.export_rows(self.board, self.period.label)
        assert [_told(row) for row in exported] == self._rows()
        if self.storage in ("hybrid", "redis"):
            self._agree_to_the_bit()

    def _agree_on_pages(self, expected: list[tuple[Any, ...]], live: bool) -> None:
        """Page by page, each with a viewer who stands at its head; the last is empty, and its viewer has no row."""
        size = max(5, len(expected) // 2 + 1)
        for offset in range(0, len(expected) + size, size):
            viewer, beside = "nobody", slice(0)
            if offset < len(expected):
                viewer, beside = expected[offset][1], slice(max(0, offset - 3), offset + 4)
            page = selectors.board_page(self.board, self.period.label, offset, size, viewer)
            assert (page.standings.total, page.standings.live) == (len(expected), live)
            assert [_told(row) for row in page.standings.rows] == expected[offset : offset + size]
            assert [_told(row) for row in page.neighbours] == expected[beside]
            assert page.me == next((row for row in page.neighbours if row.player == viewer), None)

    def _agree_on_players(self, expected: list[tuple[Any, ...]]) -> None:
        """The last with those before them, the one in the middle alone, and every other by name."""
        near = selectors.around(self.board, expected[-1][1], 2, self.period.label)
        assert [_told(row) for row in near.rows] == expected[-3:]
        middle = expected[len(expected) // 2]
        mine = selectors.player_row(self.board, middle[1], self.period.label)
        assert _told(mine.row) == middle
        assert mine.percentile == ranks.percentile(len(expected), sum(row[0] > middle[0] for row in expected))
        wanted = [row[1] for row in expected][::-2]
        found = selectors.rows_of_players(self.board, [*wanted, "nobody"], self.period.label)
        assert [_told(row) for row in found.rows] == [row for row in expected if row[1] in wanted]

    def _agree_distribution(self, expected: list[tuple[Any, ...]]) -> None:
        spread = selectors.distribution(self.board, self.period.label)
        if not can(self.storage, "distribution"):
            assert (spread.total, spread.histogram, spread.percentiles) == (len(expected), [], {})
            return
        leading = [row[2] if self.rules.of_points else next(iter(row[3].values())) for row in expected]
        assert spread.total == len(leading)
        for each in spread.histogram:
            assert each.count == sum(each.from_ <= number <= each.to for number in leading)
        for percent, number in spread.percentiles.items():
            place = min(len(leading) * (1000 - 10 * int(percent)) // 1000, len(leading) - 1)
            assert number == leading[place]

    def _agree_to_the_bit(self) -> None:
        rows = Standing.objects.filter(period=self.period, score__isnull=False).select_related("player")
        in_sql = {row.player.external_id: (row.member, row.score) for row in rows}
        descending = self.rules.order is Order.DESC
        in_redis, members, distinct = list[tuple[str, float]](), dict[str, str](), set[float]()
        with boards_redis() as client:
            for part in self.period.parts:
                family = part.family
                own = members_of(client, part, descending)
                in_redis += own
                if not family.is_compact:
                    found = client.hgetall(family.members).items()
                    members |= {name.decode(): member.decode() for name, member in found}
                distinct |= _levels(client.get(family.scores)) if family.has_levels else _scores(client, family.scores)
                assert {self.period.part_of(self.period.layout.player_of(each)) for each, _ in own} <= {part}
        in_order = sorted(in_sql.values(), key=lambda cell: (cell[1], cell[0].encode()), reverse=descending)
        assert (in_redis if len(self.period.parts) == 1 else {*in_redis}) == (
            in_order if len(self.period.parts) == 1 else {*in_order}
        )
        assert len(in_redis) == len(in_order)
        if self.period.layout.in_member:
            assert members == {name: member for name, (member, _) in in_sql.items()}
        if self.rules.ties is Ties.DENSE:
            assert distinct == {score for _, score in in_redis}

    def _raw(self, sent: Sent) -> dict[str, Any]:
        at = NOW - timedelta(milliseconds=sent.ago_ms)
        raw = {"board": self.board.seq, "player": sent.player, **self.form.entry(sent.n), "at": at.isoformat()}
        named = {"id": sent.id, "operator": sent.operator}
        return raw | {name: value for name, value in named.items() if value is not None}

    def _expect(self, sent: Sent) -> tuple[str, str | None, Any]:
        """What the oracle makes of an entry: status, code, and the standing's value after it."""
        if sent.id is not None and sent.id in self.ids:
            if self.ids[sent.id] != sent:
                return Status.REJECTED, "id_reused", None
            state = self.oracle.state(sent.player)
            return Status.DUPLICATE, None, None if state is None else self.rules.shown(state.value)
        at_ms = self.period.layout.quantize(milliseconds(NOW - timedelta(milliseconds=sent.ago_ms)))
        try:
            value, operator = self.form.value(sent.n), Operator(sent.operator) if sent.operator else None
            if operator is Operator.DECREMENT:
                value = _taken_off(value)
            status, state = self.oracle.submit(sent.player, value, at_ms, operator)
        except OutOfRange:
            return Status.REJECTED, "out_of_range", None
        if sent.id is not None:
            self.ids[sent.id] = sent
        return status, None, self.rules.shown(state.value)

    def _told(self, outcome: Outcome) -> tuple[str, str | None, Any]:
        shown = (outcome.points, outcome.fields)
        return outcome.status.value, outcome.code, None if shown == (None, None) else shown

    def _ranks(self) -> dict[str, int]:
        return {row.player: row.rank for row in self.oracle.rows()}

    def _rows(self) -> list[tuple[Any, ...]]:
        shown, rows = [], self.oracle.rows()
        for row in rows:
            at = from_milliseconds(row.at_ms) if self.period.layout.shows_time else None
            ahead = sum(other.rank < row.rank for other in rows)
            shown.append((row.rank, row.player, *self.rules.shown(row.value), at, row.tied, ahead))
        return shown


def _scores(client: Any, key: str) -> set[float]:
    return {score for _, score in client.zrange(key, 0, -1, withscores=True)}


def _levels(bits: bytes | None) -> set[float]:
    text = "".join(f"{byte:08b}" for byte in bits or b"")
    return {float(at) for at, bit in enumerate(text) if bit == "1"}


def _taken_off(value: tuple[int, ...]) -> tuple[int, ...]:
    if min(value) < 0:
        raise OutOfRange("a decrement takes something off")
    return tuple(-part for part in value)


def _told(row: Row) -> tuple[Any, ...]:
    return row.rank, row.player, row.points, row.fields, row.achieved_at, row.tied, row.ahead


def mixed(players: Sequence[str]) -> list[list[Sent]]:
    """Three requests with ties of value, of time and of both, out of order, again, and worse."""
    a, b, c, d, e, f, g, h = players
    first = [
        *(Sent(a, 5, 1_000_000), Sent(b, 5, 2_000_000), Sent(c, 5, 2_000_000), Sent(d, 7, 500_250)),
        *(Sent(e, 7, 500_250), Sent(f, 1, 10_000), Sent(g, 3, 3_600_000), Sent(h, 3, 3_600_499, "h1")),
    ]
    second = [
        *(Sent(a, 5, 3_000_000), Sent(b, 9, 1), Sent(c, 2, 2_500_000), Sent(f, 4, 20_000, "f1")),
        *(Sent(g, 3, 3_600_000), Sent(h, 3, 3_600_499, "h1"), Sent(h, 3, 3_600_498, "h1"), Sent(d, 0, 400_000)),
        *(Sent(e, 6, 500_250), Sent(f, 4, 20_000, "f1"), Sent(g, 8, 0), Sent(c, 9, 1)),
    ]
    third = [
        *(Sent(a, 6, 5_000), Sent(b, 3, 0), Sent(d, 7, 500_249), Sent(e, 0, 499_000), Sent(f, 4, 15_000)),
        *(Sent(g, 4, 7_000_000), Sent(h, 9, 1), Sent(c, 2, 1)),
    ]
    return [first, second, third]
