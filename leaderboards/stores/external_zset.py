"""A sorted set that some other program keeps, read once and whole: to move from it.

It is read in order, in parts, under ``WATCH``: if anything changed it meanwhile, nothing of it may be used.
"""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import NamedTuple, cast

from redis import Redis
from redis.client import Pipeline
from redis.exceptions import RedisError, WatchError

from foundation.errors import Unavailable
from leaderboards.errors import BadTable

BATCH_SIZE = 5_000
WAIT_SECONDS = 10.0


class ExternalRow(NamedTuple):
    """A member as its bytes, its score as a decimal text, and the name beside it ("" where there is none)."""

    member: bytes
    points: str
    name: str


class ExternalZset(NamedTuple):
    """Where a sorted set is: ``address`` as of ``REDIS_URL``, ``key``, and perhaps ``names``, a hash by member.

    A value of the hash is a name, or with ``name_field`` a JSON object whose field has it. ``points_divisor``: points
    are the whole part of score ÷ so much, where something is packed behind them; 1 for scores as they are.
    """

    address: str
    key: str
    names: str = ""
    name_field: str = ""
    points_divisor: int = 1


def read_external_zset(source: ExternalZset) -> Iterator[ExternalRow]:
    """All members, the greatest score first.

    Raises ``BadTable`` where there is no such sorted set, or where it changed while it was read (after rows that
    must not be used), and ``Unavailable`` where its server does not answer.
    """
    with _told(source), Redis.from_url(source.address, socket_timeout=WAIT_SECONDS) as client:
        if client.type(source.key) != b"zset":
            raise BadTable(f"There is no sorted set {source.key!r} there.")
        with client.pipeline() as watched:
            watched.watch(source.key)
            for begin in range(0, watched.zcard(source.key), BATCH_SIZE):
                yield from _part(watched, source, begin)
            watched.multi()
            watched.ping()
            watched.execute()


def _part(watched: Pipeline, source: ExternalZset, begin: int) -> Iterator[ExternalRow]:
    found = cast(
        list[tuple[bytes, float]], watched.zrevrange(source.key, begin, begin + BATCH_SIZE - 1, withscores=True)
    )
    members = [member for member, _ in found]
    told: list[bytes | None] = [None] * len(members)
    if source.names and members:
        told = cast(list[bytes | None], watched.hmget(source.names, members))
    for (member, score), text in zip(found, told, strict=True):
        yield ExternalRow(member, _points(score, source.points_divisor), _name(text, source.name_field))


def _points(score: float, points_divisor: int) -> str:
    if math.isinf(score):
        return str(score)  # no board takes it, and says so
    if points_divisor > 1:
        return str(math.floor(Fraction(score) / points_divisor))
    return str(int(score)) if score.is_integer() else repr(score)


def _name(text: bytes | None, field: str) -> str:
    if text is None:
        return ""
    if not field:
        return text.decode(errors="replace")
    try:
        found = json.loads(text).get(field, "")
    except (ValueError, AttributeError):
        raise BadTable(f"The hash of names holds {text[:40]!r}, which is no JSON object.") from None
    return "" if found is None else str(found)


@contextmanager
def _told(source: ExternalZset) -> Iterator[None]:
    try:
        yield
    except WatchError:
        raise BadTable(f"{source.key!r} changed while it was read: stop what writes to it, and read again.") from None
    except ValueError as error:
        raise BadTable(f"The address is none of a Redis: {error}") from None
    except RedisError as error:
        raise Unavailable(f"The Redis did not tell {source.key!r}: {error}") from error
