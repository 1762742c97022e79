"""What the stores take beside plain clients of the same servers: submits, a page's reading, a rank, memory.

    python -m benchmarks.store [--players 1000000] [--seconds 1] [--passes 5] [--json FILE]

Two weekly boards with the time in the score, each entry a move: one in redis storage, and one of a fifth of the
players in hybrid storage.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

import redis

from benchmarks.harness.command import run_sized
from benchmarks.harness.figures import Figure, Sample, Size, at_least, in_turns, median_rate, over, ratio, spend, under

A_CALL = 1000
HYBRID_SHARE = 5
IDS = 20_000  # so many that their small hashes hold more than one each


def measure(size: Size) -> dict[str, Any]:
    """All figures of one run."""
    from benchmarks.harness.boards import MOVING, filled_board, forget_redis, settle

    in_redis = filled_board(size.players, "redis", **MOVING)
    hybrid = filled_board(max(1, size.players // HYBRID_SHARE), "hybrid", **MOVING)
    forget_redis()
    settle(in_redis)
    settle(hybrid)
    board = _Board(in_redis, size)
    figures: dict[str, Any] = {"players": size.players}
    figures |= _memory(board)
    figures |= _submits(board)
    figures |= _reads(board)
    return figures | _in_sql(hybrid, board)


@dataclass(frozen=True, slots=True)
class _Names:
    """Players to choose from, and their numbers in SQL."""

    names: list[str]
    numbers: dict[str, int]

    def some(self, many: int) -> list[str]:
        return random.sample(self.names, min(many, len(self.names)))

    def one(self) -> tuple[int, str]:
        return 1, random.choice(self.names)


class _Board:
    """The product's redis board, and beside it the same members and scores in a bare sorted set."""

    KEY = "limit"

    def __init__(self, period: Any, size: Size) -> None:
        from django.conf import settings

        from benchmarks.limits import sorted_sets
        from config.components import redis_urls
        from leaderboards.models import Player, Standing

        self.period, self.size = period, size
        url = settings.CACHES["boards"]["LOCATION"]
        self.client = redis.Redis.from_url(url)
        self.bare = redis.Redis.from_url(redis_urls.with_database(url, 3))
        players = dict(Player.objects.values_list("external_id", "pk"))
        self.players = _Names(list(players), players)
        ranked = Standing.objects.filter(period=period).order_by("player").values_list("member", "score")
        rows = ((member, score or 0.0) for member, score in ranked.iterator(chunk_size=10_000))
        sorted_sets.fill(self.bare, self.KEY, rows)

    def turns(self, ours: Callable[[], Sample], theirs: Callable[[], Sample]) -> tuple[list[Sample], list[Sample]]:
        return in_turns(self.size.passes, ours, theirs)


def _memory(board: _Board) -> dict[str, Any]:
    """Of a board that rests: mirrored, no ids. Then what each id adds."""
    from benchmarks.limits.sorted_sets import memory
    from leaderboards.stores.redis.writes import ENTRIES_PER_CALL

    keys = list(board.client.scan_iter(match=f"*{board.period.family.zset}*", count=10_000))
    ours = Sample(sum(memory(board.client, key) for key in keys), board.size.players)
    theirs = Sample(memory(board.bare, board.KEY), board.size.players)
    for _ in range(0, IDS, ENTRIES_PER_CALL):
        _submit(board, _to_judge(board, ENTRIES_PER_CALL, with_ids=True)[1])
    ids = list(board.client.scan_iter(match=f"*{{{board.period.id_namespace}}}:ids:*", count=10_000))
    kept, used = sum(board.client.hlen(key) for key in ids), sum(memory(board.client, key) for key in ids)
    return {
        "memory_overhead": over([ours], [theirs], under(1.05)),
        "memory_per_player": round(ours.rate, 1),
        "memory_per_id": round(used / kept, 1),
    }


def _submits(board: _Board) -> dict[str, Any]:
    seconds = board.size.seconds
    ours = partial(spend, seconds, partial(_to_judge, board, A_CALL), partial(_submit, board))
    with_ids = partial(spend, seconds, partial(_to_judge, board, A_CALL, with_ids=True), partial(_submit, board))
    service = partial(spend, seconds, partial(_entries, board.players, board.period), _through_service)
    theirs = _zadd_loop(board)
    redis_store, loop = board.turns(ours, theirs)
    service_rates, service_loop = in_turns(board.size.beside, service, theirs)
    return {
        "submit_store_redis": over(redis_store, loop, at_least(0.7)),
        "submit_store_redis_with_ids": over(*in_turns(board.size.beside, with_ids, theirs)),
        "submit_store_redis_through_service": over(service_rates, service_loop),
        "submit_store_redis_per_second": median_rate(redis_store),
        "zadd_loop_per_second": median_rate(loop),
    }


def _zadd_loop(board: _Board) -> Callable[[], Sample]:
    from benchmarks.limits.sorted_sets import pipelined_zadd

    def prepare() -> tuple[int, list[tuple[str, float]]]:
        return A_CALL, [(name, float(random.getrandbits(50))) for name in board.players.some(A_CALL)]

    return partial(spend, board.size.seconds, prepare, partial(pipelined_zadd, board.bare, board.KEY))


def _to_judge(board: _Board, many: int, with_ids: bool = False) -> tuple[int, Sequence[Any]]:
    """Entries as the service gives them to the store."""
    from foundation import clock
    from leaderboards.core.id_buckets import bucketed_id
    from leaderboards.core.instants import milliseconds
    from leaderboards.stores.redis.writes import EntryToEvaluate

    at_ms = board.period.layout.quantize(milliseconds(clock.now()))
    made = []
    for name in board.players.some(many):
        points = random.randrange(1_000_000)
        own = bucketed_id("bench", f"{random.getrandbits(96):x}", f"{name} {points}") if with_ids else None
        made.append(EntryToEvaluate(name, (points,), at_ms, own))
    return len(made), made


def _submit(board: _Board, entries: Sequence[Any]) -> None:
    from foundation.redis import client as links
    from leaderboards.stores.redis.writes import ENTRIES_PER_CALL, Verdict, ZsetWriter

    writer = ZsetWriter(links.boards())
    for start in range(0, len(entries), ENTRIES_PER_CALL):
        judged = writer.submit(board.period, entries[start : start + ENTRIES_PER_CALL])
        if not all(each.verdict is Verdict.UPDATED for each in judged):
            raise SystemExit("an entry changed nothing")


def _entries(players: _Names, period: Any) -> tuple[int, list[Any]]:
    """Entries as the API reads them."""
    from leaderboards.core.input.entries import Entry

    names = players.some(A_CALL)
    return len(names), [
        Entry(place, period.board_id, None, name, Decimal(random.randrange(1_000_000)), None, None, None)
        for place, name in enumerate(names)
    ]


def _through_service(entries: list[Any]) -> None:
    from foundation import clock
    from leaderboards.core.submissions import Caller
    from leaderboards.services.submit.pipeline import submit

    outcomes = submit(entries, Caller("bench"), clock.now())
    if not all(outcome.status.is_accepted for outcome in outcomes):
        raise SystemExit(f"an entry was refused: {next(o.detail for o in outcomes if not o.status.is_accepted)}")


def _reads(board: _Board) -> dict[str, Figure]:
    from benchmarks.limits.sorted_sets import three_calls
    from foundation.redis import client as links
    from leaderboards.stores.base import Around, Page
    from leaderboards.stores.redis.reads import ZsetStore

    store = ZsetStore(links.boards())
    return {
        "read_one_call": ratio(
            board.size.passes,
            partial(
                spend,
                board.size.seconds,
                board.players.one,
                lambda name: store.read(board.period, [Page(0, 10), Around(name, 4)]),
            ),
            partial(
                spend, board.size.seconds, board.players.one, lambda name: three_calls(board.bare, board.KEY, name)
            ),
            at_least(2),
        )
    }


def _in_sql(period: Any, board: _Board) -> dict[str, Any]:
    """The hybrid submit, and a rank, beside what PostgreSQL does at best."""
    from django.db import connection

    from benchmarks.limits.ledger import Ledger
    from foundation.redis import client as links
    from leaderboards.stores.redis.single_rank import plain_rank

    size, players = board.size, board.players
    options = connection.settings_dict
    dsn = f"host={options['HOST']} user={options['USER']} dbname={options['NAME']}"
    there = _Names([f"player-{n}" for n in range(1, max(1, size.players // HYBRID_SHARE) + 1)], players.numbers)

    def rows() -> tuple[int, list[tuple[int, str, int, float]]]:
        points = ((name, random.randrange(1_000_000)) for name in there.some(A_CALL))
        made = sorted((players.numbers[name], name, each, float(each << 30)) for name, each in points)
        return len(made), made

    ledger = Ledger(dsn, period.pk)
    ours, theirs = board.turns(
        partial(spend, size.seconds, partial(_entries, there, period), _through_service),
        partial(spend, size.seconds, rows, ledger.submit),
    )
    ledger.close()
    ledger = Ledger(dsn, board.period.pk)
    rank = partial(spend, size.seconds, players.one, lambda name: plain_rank(links.boards(), board.period, name))
    counted = partial(spend, size.seconds, players.one, lambda name: ledger.rank(players.numbers[name]))
    ranks = ratio(size.passes, rank, counted, at_least(500))
    ledger.close()
    return {
        "submit_store_hybrid": over(ours, theirs, at_least(0.6)),
        "submit_store_hybrid_per_second": median_rate(ours),
        "rank_vs_sql": ranks,
    }


if __name__ == "__main__":
    run_sized(__doc__, measure)
