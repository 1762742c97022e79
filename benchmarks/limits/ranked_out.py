"""Reading a whole sorted set in order and copying it into a bare table: no comparing, no ranks, no keys, no hash."""

from typing import Any

import psycopg
import redis

CHUNK = 10_000


def copy_out(client: redis.Redis, key: str, dsn: str) -> None:
    """Read members and scores best first, by chunks, and COPY them. The table goes again."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE limit_ranked (member text, score float8)")
        with connection.cursor() as cursor, cursor.copy("COPY limit_ranked FROM STDIN") as out:
            for start in range(0, int(client.zcard(key)), CHUNK):
                rows: Any = client.zrevrange(key, start, start + CHUNK - 1, withscores=True)
                out.write("".join(f"{member.decode()}\t{score!r}\n" for member, score in rows))
        connection.execute("DROP TABLE limit_ranked")
