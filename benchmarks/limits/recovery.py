"""The limits of settling and closing: a plain pipelined ZADD loop, and a plain copy of rows inside PostgreSQL."""

import time
from collections.abc import Iterable, Iterator, Sequence

import psycopg
import redis

CHUNK = 1000


def zadd_loop(url: str, chunks: Iterable[Sequence[tuple[str, float]]]) -> float:
    """Seconds to ZADD all (member, score) rows into a new sorted set, a pipeline for each chunk."""
    client, seconds = redis.Redis.from_url(url), 0.0
    for chunk in chunks:
        begun = time.perf_counter()
        pipeline = client.pipeline(transaction=False)
        for member, score in chunk:
            pipeline.zadd("limit", {member: score})
        pipeline.execute()
        seconds += time.perf_counter() - begun
    client.unlink("limit")
    client.close()
    return seconds


def ranked(url: str, period_id: int) -> Iterator[list[tuple[str, float]]]:
    """A period's (member, score) rows in the order of players, a chunk at a time."""
    with psycopg.connect(url) as connection, connection.cursor("ranked") as rows:
        rows.execute(
            "SELECT member, score FROM leaderboards_standing WHERE period_id = %s ORDER BY player_id", [period_id]
        )
        while chunk := rows.fetchmany(CHUNK):
            yield chunk


def sorted_copy(url: str, period_id: int) -> float:
    """Seconds to read a period's rows in order and copy them into a bare table: no ranks, no keys, no indexes."""
    with psycopg.connect(url, autocommit=True) as connection:
        begun = time.perf_counter()
        connection.execute(
            "CREATE TABLE limit_copy AS SELECT player_id, member, score FROM leaderboards_standing"
            " WHERE period_id = %s ORDER BY score DESC, member DESC",
            [period_id],
        )
        seconds = time.perf_counter() - begun
        connection.execute("DROP TABLE limit_copy")
    return seconds
