"""Reconcile a family of a hybrid period: publish what was announced but not published, what is marked, or everything.

Redis is never called here while an SQL lock is held; the tokens, compared when a standing is published, replace the
lock. The traps: a row may be read only while no writer that has announced it is deciding. For a writer's announcement
the row lock shows that (locked rows are left to the next run); our own claim succeeds only without an announcement. And
a row that was read may contain later decisions, so it is published only while there is no later announcement, and a
mark is cleared only where it was.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from django.db import connection

from foundation.failpoints import failpoint
from foundation.redis import client as redis
from leaderboards.core.partitions import hash_range
from leaderboards.models import Part, Partition, Standing, standings_of
from leaderboards.stores.redis.publish import Publisher, new_token
from leaderboards.stores.redis.writes import ZsetRow
from leaderboards.stores.sql.locks import unlocked_standings
from leaderboards.stores.sql.writes import clear_pending_publish

CHUNK = 2500
_MARK_SINCE = """
    UPDATE leaderboards_standing SET pending_publish = true
    WHERE period_id = %s AND id IN (SELECT id FROM leaderboards_standing
    WHERE period_id = %s AND NOT pending_publish AND age(xmin) <= age(%s::xid8::xid) {condition}
    ORDER BY player_id FOR UPDATE {skip_locked})
"""

_IN_PARTITION = """
    AND EXISTS (SELECT 1 FROM leaderboards_player p WHERE p.id = player_id
    AND left(md5(p.external_id), 2) BETWEEN %s AND %s)
"""

OnProgress = Callable[[int], None]


class _Committed(NamedTuple):
    player_id: int
    score: float | None
    member: str
    version: int


_COMMITTED = ("player_id", "score", "member", "version")


def reconcile(part: Part) -> int:
    """Publish announced standings whose rows are not locked, as SQL has them; returns how many were published.

    Rows are found by period and player: the announced player may have a new row since.
    """
    publisher, published = Publisher(redis.resync_client()), 0
    for tokens in publisher.inflight(part):
        rows = _read_unlocked(part, tokens)
        announced: dict[str, list[ZsetRow]] = defaultdict(list)
        for name, row in rows.items():
            announced[tokens[name]].append(_to_zset_row(name, row))
        published += len(rows) - len(publisher.publish(part, announced))
    return published


def publish_current(part: Part, names: Sequence[str]) -> None:
    """Publish the standings of these players as SQL has them, except those that a writer has announced."""
    publisher, token = Publisher(redis.resync_client()), new_token()
    claimed = publisher.claim(part, names, token)
    failpoint("reconcile.after_claim")
    standings = Standing.objects.filter(period=part.period_id, player__external_id__in=claimed)
    rows = {name: _Committed(*row) for name, *row in standings.values_list("player__external_id", *_COMMITTED)}
    others = publisher.publish(part, {token: [_to_zset_row(name, rows.get(name)) for name in claimed]})
    failpoint("reconcile.after_shown")
    clear_pending_publish(part, [(row.player_id, row.version) for name, row in rows.items() if name not in others])


def _read_unlocked(part: Part, names: Collection[str]) -> dict[str, _Committed | None]:
    """Read the standings that are not locked, by player; None for a player without a standing.

    Players without a standing are found first: a writer that announces has created the row before. No lock outlasts its
    statement, since this process may be stopped in between and would block many writers.
    """
    standings = Standing.objects.filter(period=part.period_id, player__external_id__in=names)
    existing = set(standings.values_list("player__external_id", flat=True))
    failpoint("reconcile.after_there")
    unlocked = {name: _Committed(*row) for name, *row in unlocked_standings(part.period, names)}
    failpoint("reconcile.after_read")
    return {name: unlocked.get(name) for name in names if name in unlocked or name not in existing}


def _to_zset_row(name: str, row: _Committed | None) -> ZsetRow:
    return ZsetRow(name, None, name) if row is None else ZsetRow(name, row.score, row.member, row.player_id)


def publish_pending(part: Part, on_progress: OnProgress) -> None:
    """Publish the standings marked ``pending_publish``, in chunks, and clear their marks."""
    last = 0
    marked = standings_of(part).filter(pending_publish=True).order_by("player_id")
    while players := list(marked.filter(player__gt=last).values_list("player_id", "player__external_id")[:CHUNK]):
        publish_current(part, [name for _, name in players])
        last = players[-1][0]
        on_progress(0)
        failpoint("settle.after_marked_chunk")


def fill_emptied(part: Part, on_progress: OnProgress) -> None:
    """Fill an emptied family that ``needs_full_rebuild``; ``end_full_rebuild`` comes next.

    Rows are read without locks or announcements: writers mark the rows that they change meanwhile, and marked rows are
    published afterwards.
    """
    publisher, player_of = Publisher(redis.resync_client()), part.layout.player_of
    rows = standings_of(part).filter(score__isnull=False).order_by("player_id")
    last = 0
    while chunk := list(rows.filter(player__gt=last).values_list("player_id", "score", "member")[:CHUNK]):
        publisher.fill(part, [ZsetRow(player_of(member), score, member) for _, score, member in chunk])
        last = chunk[-1][0]
        on_progress(len(chunk))
        failpoint("settle.after_rebuilt_chunk")


def end_full_rebuild(part: Part) -> bool:
    """Have writers announce again; False if the family has got another generation meanwhile.

    Call it under the exclusive barrier.
    """
    return bool(part.same_generation.update(needs_full_rebuild=False))


def mark_changed_since(part: Part, transaction_number: int) -> int:
    """Mark the family's rows written by that SQL transaction or a later one; returns how many. PostgreSQL only.

    ``xmin`` is the transaction that wrote a row, a number of 32 bits that ``age`` compares. Locked rows are waited for
    at the end, in a second statement.
    """
    marked, condition, limits = 0, "", tuple[str, ...]()
    if isinstance(part, Partition):
        condition, limits = _IN_PARTITION, hash_range(part.number, part.period.partitions)
    for skip_locked in ("SKIP LOCKED", ""):
        with connection.cursor() as cursor:
            statement = _MARK_SINCE.format(condition=condition, skip_locked=skip_locked)
            cursor.execute(statement, [part.period_id, part.period_id, str(transaction_number), *limits])
            marked += cursor.rowcount
    return marked


def watermark() -> int:
    """Return the number of the first transaction that may be open; all below it have ended. 0 on SQLite."""
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text")
        return int(cursor.fetchone()[0])
