"""Read the sorted set of another program once, as a whole, to import it.

It is read in batches under ``WATCH``: if it changes while it is read, none of its rows may be used.
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
from leaderboards.import_errors import BadTable

BATCH_SIZE = 5_000
WAIT_SECONDS = 10.0


class ExternalRow(NamedTuple):
    """A member as bytes, its score as decimal text, and its name.

    ``name`` is "" if there is none, and None if its data in the hash of names is no JSON object.
    """

    member: bytes
    points: str
    name: str | None


class ExternalZset(NamedTuple):
    """Where a sorted set is: ``address`` in the form of ``REDIS_URL``, ``key``, and optionally ``names``.

    ``names`` is the key of a hash from member to name; with ``name_field`` its values are JSON objects and the name is
    in that field. If the other program packs something below the points, points are ``score // points_divisor``.
    """

    address: str
    key: str
    names: str = ""
    name_field: str = ""
    points_divisor: int = 1


def read_external_zset(source: ExternalZset) -> Iterator[ExternalRow]:
    """Yield all members, the greatest score first.

    Raises ``BadTable`` if there is no such sorted set, or if it changed while it was read (the rows yielded before must
    not be used), and ``Unavailable`` if its server does not answer.
    """
    with _translate_errors(source), Redis.from_url(source.address, socket_timeout=WAIT_SECONDS) as client:
        if client.type(source.key) != b"zset":
            raise BadTable(f"That Redis has no sorted set {source.key!r}: check the key and the database.")
        with client.pipeline() as watched:
            watched.watch(source.key)
            for begin in range(0, watched.zcard(source.key), BATCH_SIZE):
                yield from _read_batch(watched, source, begin)
            watched.multi()
            watched.ping()
            watched.execute()


def _read_batch(watched: Pipeline, source: ExternalZset, begin: int) -> Iterator[ExternalRow]:
    answer = watched.zrevrange(source.key, begin, begin + BATCH_SIZE - 1, withscores=True)
    rows = cast(list[tuple[bytes, float]], answer)
    members = [member for member, _ in rows]
    names: list[bytes | None] = [None] * len(members)
    if source.names and members:
        names = cast(list[bytes | None], watched.hmget(source.names, members))
    for (member, score), name in zip(rows, names, strict=True):
        yield ExternalRow(member, _points(score, source.points_divisor), _name(name, source.name_field))


def _points(score: float, points_divisor: int) -> str:
    if math.isinf(score):
        return str(score)  # every board refuses it with a message
    if points_divisor > 1:
        return str(math.floor(Fraction(score) / points_divisor))
    return str(int(score)) if score.is_integer() else repr(score)


def _name(text: bytes | None, field: str) -> str | None:
    if text is None:
        return ""
    if not field:
        return text.decode(errors="replace")
    try:
        name = json.loads(text).get(field, "")
    except (ValueError, AttributeError):
        return None
    return "" if name is None else str(name)


@contextmanager
def _translate_errors(source: ExternalZset) -> Iterator[None]:
    try:
        yield
    except WatchError:
        raise BadTable(f"{source.key!r} changed while it was read: stop what writes to it, and read again.") from None
    except ValueError as error:
        raise BadTable(f"Write the address as redis://host:6379/0: {error}") from None
    except RedisError as error:
        raise Unavailable(f"Redis did not return {source.key!r}; see that it runs, and try again: {error}") from error
