"""Compact periods that no database knows, plain ones of the same numbers, and what both are asked."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import product
from typing import Any

from foundation.redis import client as redis
from leaderboards.core.periods import Calendar, PeriodKind, window_at
from leaderboards.core.ranking.board_settings import board_rules
from leaderboards.core.ranking.gaps import Gap
from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import Board, Partition, Period
from leaderboards.stores.base import Around, AroundGap, ForPlayers, Page, Query, RankedRow
from leaderboards.stores.redis.compact import CompactStore
from leaderboards.stores.redis.partitioned import PartitionedStore
from leaderboards.stores.redis.publish import Publisher, new_token
from leaderboards.stores.redis.reads import ZsetStore
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.redis.writes import ZsetRow

GENERATION = 3


def opened(encoding: str, ties: Ties, order: Order = Order.DESC, partitions: int = 1, seq: int = 7) -> Period:
    """A period that no database knows."""
    board = Board(period="all_time", ties=ties.value, order=order.value, total_maximum=1000, maximum=1000)
    board.encoding = encoding
    if ties.by_time:
        board.criteria = [
            {"name": "stage", "bits": 20, "order": order.value},
            {"name": "achieved_at", "unit": "s", "order": "asc"},
        ]
    window = window_at(Calendar(PeriodKind("all_time")), datetime(2026, 3, 4, tzinfo=UTC))
    period = Period(board_id=seq, label=window.label, generation=GENERATION, partitions=partitions)
    period.rules_json = board_rules(board).to_json()
    if partitions > 1:
        period.set_parts([Partition(period=period, number=n, generation=GENERATION) for n in range(partitions)])
    for part in period.parts:
        sync = ZsetSync(redis.boards())
        sync.set_generation(part, GENERATION, sync.read_state(part), empty=True)
    return period


Scores = dict[str, int | None]


def rows(period: Period, numbers: dict[str, int], scores: Scores) -> list[ZsetRow]:
    """What to publish. A plain period knows the players by the texts of their numbers."""
    found = []
    for name, score in scores.items():
        player = name if period.is_compact else f"{numbers[name]:012d}"
        if score is None:
            found.append(ZsetRow(player, None, player))
            continue
        packed = period.layout.pack((score,), 1_000_000 + 1000 * (score % 2), player, numbers[name])
        found.append(ZsetRow(player, packed.score, packed.member))
    return found


def publish(period: Period, numbers: dict[str, int], scores: Scores) -> None:
    """Announce and publish, as a writer does."""
    publisher, token = Publisher(redis.boards()), new_token()
    for part, own in period.by_part(rows(period, numbers, scores), lambda row: row.player):
        publisher.announce(part, [row.player for row in own], token)
        assert publisher.publish(part, {token: own}) == set()


def drawn(chance: random.Random, numbers: dict[str, int], before: Scores, kind: str) -> Scores:
    """Scores that some players get next; None for those who leave."""
    many = chance.choice((1, 2, 3, 30, 200))
    chosen, leaving = chance.sample(sorted(numbers), many), chance.choice((0.1, 0.1, 0.7))
    if kind == "+1":
        found = {name: min((before.get(name) or 0) + 1, 1000) for name in chosen}
    else:
        found = {name: chance.randrange({"many": 1000, "few": 3, "equal": 1}[kind]) for name in chosen}
    return {name: None if chance.random() < leaving else score for name, score in found.items()}


def store_of(period: Period) -> Any:
    if period.is_divided:
        return PartitionedStore(redis.boards())
    return CompactStore(redis.boards()) if period.is_compact else ZsetStore(redis.boards())


def asked(names: Sequence[str], chance: random.Random, total: int) -> list[Query]:
    offsets = {0, 1, 5, total // 2, max(0, total - 3), total, total + 9}
    return [
        *(Page(offset, limit) for offset, limit in product(sorted(offsets), (0, 1, 7, 60))),
        *(Around(name, radius) for name, radius in product(chance.sample(sorted(names), 4), (0, 1, 5))),
        Around("nobody", 2),
        ForPlayers((*chance.sample(sorted(names), 5), "nobody")),
        *(
            AroundGap(Gap((value,), 1_000_000, name, after), 4, 5)
            for value, after in product((0, 1, 7, 500, 1000), (False, True))
            for name in chance.sample(sorted(names), 1)
        ),
    ]


def compare(period: Period, plain: Period, numbers: dict[str, int], chance: random.Random, total: int) -> None:
    """Every question is answered as the plain period answers it."""
    queries, by_number = asked([*numbers], chance, total), {number: name for name, number in numbers.items()}
    found, expected = (
        store_of(period).read(period, queries),
        ZsetStore(redis.boards()).read(plain, [_numbered(query, numbers) for query in queries]),
    )

    def named(row: RankedRow) -> RankedRow:
        return row._replace(member=f"{row.member}_{by_number[int(row.member)]}")

    assert (found.total, found.complete) == (expected.total, True)
    for query, one, other in zip(queries, found.answers, expected.answers, strict=True):
        wanted = [named(row) for row in other]
        if isinstance(query, ForPlayers):
            assert sorted(one) == sorted(wanted), query
        else:
            assert one == wanted, query


def _numbered(query: Query, numbers: dict[str, int]) -> Query:
    def text(name: str) -> str:
        return f"{numbers.get(name, 0):012d}"

    match query:
        case Around(player, radius):
            return Around(text(player), radius)
        case ForPlayers(players, ranked):
            return ForPlayers(tuple(map(text, players)), ranked)
        case AroundGap(Gap(value, at_ms, player, is_after), ahead, behind):
            return AroundGap(Gap(value, at_ms, text(player), is_after), ahead, behind)
    return query
