"""Boards with players, SQL that refuses one of them, and what Redis has: what tests of the upkeep begin with."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
import redis as driver
from django.db import connection

from foundation.models import DeadLetter, KnownRedis
from foundation.redis import client as redis
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.models import Board, Period, Player, Standing
from leaderboards.services.submit.pipeline import submit
from leaderboards.services.sync.mirror import mirror
from tests.leaderboards.factories import BoardFactory, PeriodFactory
from tests.raw import boards_redis

WHO_DECIDES = pytest.mark.parametrize("storage", ["hybrid", "redis"])  # SQL or Redis; sql boards are decided as hybrid
KEEPING = pytest.mark.parametrize("storage", ["hybrid", "sql"])  # boards that keep submissions
DAY = timedelta(days=1)
# Still to come: a period that was made after its end is taken for one that is being imported.
NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0) + 2 * DAY


def make_board(storage: str, at: datetime = NOON, **wanted: Any) -> Board:
    return BoardFactory.create(storage=storage, at=at, **{"name": f"A {storage} board", "period": "day", **wanted})


def period_of(board: Board, at: datetime = NOON) -> Period:
    return PeriodFactory.create(board=board, at=at)


def score(board: Board, points: dict[str, int], at: datetime = NOON, id_: str = "") -> list[Outcome]:
    """One submission a player; ``id_`` makes their ids."""
    entries = []
    for place, (name, number) in enumerate(points.items()):
        raw = {"board": board.seq, "player": name, "points": number, **({"id": f"{id_}:{name}"} if id_ else {})}
        entries.append(read_entry(raw, place))
    return submit(entries, Caller("tests"), at)


def crowd(board: Board, players: int | dict[str, int], at: datetime = NOON) -> Period:
    """A period with these points, or with players p0, p1, … of 1, 2, … points, mirrored where Redis decides."""
    points = {f"p{number}": number + 1 for number in range(players)} if isinstance(players, int) else players
    assert all(outcome.status.is_accepted for outcome in score(board, points, at))
    period = period_of(board, at)
    follow(period)
    return period


def follow(period: Period) -> None:
    """Let SQL follow, where Redis decides."""
    if period.board.storage == "redis":
        period.refresh_from_db()
        mirror(period)


def redis_client() -> driver.Redis:
    return boards_redis()


def files() -> dict[bytes, bytes]:
    """What Redis would write down now."""
    with redis_client() as client:
        return {key: client.dump(key) or b"" for key in client.scan_iter()}


def restart_with(older: dict[bytes, bytes]) -> None:
    """As a server that was started again with these files: SQL does not know it."""
    with redis_client() as client:
        client.flushdb()
        for key, value in older.items():
            client.restore(key, 0, value)
    KnownRedis.objects.all().delete()
    KnownRedis._seen.clear()
    redis.boards().reset()
    redis.resync_client().reset()
    redis.exclusive_client().reset()


def in_redis(period: Period) -> dict[str, float]:
    with redis_client() as client:
        return {member.decode(): score for member, score in client.zrange(period.family.zset, 0, -1, withscores=True)}


def in_sql(period: Period) -> dict[str, float]:
    rows = Standing.objects.filter(period=period, score__isnull=False)
    return {member: float(score or 0) for member, score in rows.values_list("member", "score")}


def points(board: Board, at: datetime = NOON) -> dict[str, Any]:
    """Who stands with what."""
    rows = Standing.objects.filter(period=period_of(board, at), score__isnull=False)
    return dict(rows.values_list("player__external_id", "points"))


def final(period: Period) -> list[tuple[int, int, str, float]]:
    return list(period.final_standings.order_by("place").values_list("place", "rank", "member", "score"))


def finalists(period: Period) -> list[str]:
    """Who is placed in a final period whose members end with the player, best first."""
    return [member.partition("_")[2] for _, _, member, _ in final(period)]


@contextmanager
def redis_away() -> Iterator[None]:
    """Nobody reaches Redis for as long as the block lasts."""
    with patch.object(redis.RedisClient, "_exchange", side_effect=redis.RedisAway("Redis is away.")):
        yield


@contextmanager
def set_aside(period: Period, player: str, points: int) -> Iterator[DeadLetter]:
    """The player scores, and for as long as the block lasts SQL refuses it: the dead letter."""
    with refused_by_sql(Player.objects.get(external_id=player)):
        score(period.board, {player: points})
        mirror(period)
        yield DeadLetter.objects.get(resolved_at=None)


@contextmanager
def refused_by_sql(player: Player) -> Iterator[None]:
    """SQL takes no standing of this player that has points."""
    name = "refuses_one_player"
    table = "leaderboards_standing"
    if connection.vendor == "postgresql":
        check = f"CHECK (player_id <> {player.pk} OR score IS NULL) NOT VALID"
        made = [f"ALTER TABLE {table} ADD CONSTRAINT {name} {check}"]
        gone = [f"ALTER TABLE {table} DROP CONSTRAINT {name}"]
    else:
        refuse = f"WHEN NEW.player_id = {player.pk} AND NEW.score IS NOT NULL BEGIN SELECT RAISE(ABORT, '{name}'); END"
        made = [f"CREATE TRIGGER {name}_{event} BEFORE {event} ON {table} {refuse}" for event in ("INSERT", "UPDATE")]
        gone = [f"DROP TRIGGER {name}_{event}" for event in ("INSERT", "UPDATE")]
    _run(made)
    try:
        yield
    finally:
        _run(gone)


def _run(statements: list[str]) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
