"""Reconciling a hybrid period: showing what was announced and not published, what is marked, or everything.

Nobody talks to Redis here while holding a lock of SQL: the token, compared when a standing is shown, stands in for it.
The trap: a row may be read only when nobody is deciding over it who has announced that. Of somebody else's
announcement the row lock tells (a locked row is left to the next run); of our own, that there was none before.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from django.db import connection, transaction

from foundation.failpoints import failpoint
from foundation.redis import client as redis
from foundation.sync import barrier
from leaderboards.models import Period, Standing
from leaderboards.stores.redis.publish import Publisher, new_token
from leaderboards.stores.redis.writes import ZsetRow
from leaderboards.stores.sql.locks import unlocked_standings
from leaderboards.stores.sql.writes import clear_pending_publish

CHUNK = 2500
_MARK_SINCE = """
    UPDATE leaderboards_standing SET pending_publish = true WHERE id IN (SELECT id FROM leaderboards_standing
    WHERE period_id = %s AND NOT pending_publish AND age(xmin) <= age(%s::xid8::xid)
    ORDER BY player_id FOR UPDATE {waits})
"""

OnProgress = Callable[[int], None]


class _Committed(NamedTuple):
    player_id: int
    score: float | None
    member: str
    version: int


_COMMITTED = ("player_id", "score", "member", "version")


def reconcile(period: Period) -> int:
    """Show those as SQL has them whose announcement stands, and nobody is deciding; returns how many were shown."""
    publisher, shown = Publisher(redis.resync_client()), 0
    for tokens in publisher.inflight(period):
        rows = _undecided(period, tokens)
        announced: dict[str, list[ZsetRow]] = defaultdict(list)
        for name, row in rows.items():
            announced[tokens[name]].append(_put(name, row))
        shown += publisher.publish(period, announced)
    return shown


def publish_current(period: Period, names: Sequence[str]) -> None:
    """Show these players as SQL has them, but for whom somebody else is deciding."""
    publisher, token = Publisher(redis.resync_client()), new_token()
    ours = publisher.claim(period, names, token)
    failpoint("reconcile.after_claim")
    standings = Standing.objects.filter(period=period, player__external_id__in=ours)
    rows = {name: _Committed(*row) for name, *row in standings.values_list("player__external_id", *_COMMITTED)}
    publisher.publish(period, {token: [_put(name, rows.get(name)) for name in ours]})
    failpoint("reconcile.after_shown")
    clear_pending_publish(period, [(row.player_id, row.version) for row in rows.values()])


def _undecided(period: Period, names: Collection[str]) -> dict[str, _Committed | None]:
    """The standings that nobody has locked; None for who has none. Others are left out.

    Who has none is asked first: whoever announces has a row by then. No lock outlasts its statement, since we may be
    stopped between two, and these are everybody's who has announced.
    """
    standings = Standing.objects.filter(period=period, player__external_id__in=names)
    there = set(standings.values_list("player__external_id", flat=True))
    failpoint("reconcile.after_there")
    free = {name: _Committed(*row) for name, *row in unlocked_standings(period, names)}
    failpoint("reconcile.after_read")
    return {name: free.get(name) for name in names if name in free or name not in there}


def _put(name: str, row: _Committed | None) -> ZsetRow:
    return ZsetRow(name, None, name) if row is None else ZsetRow(name, row.score, row.member)


def publish_pending(period: Period, on_progress: OnProgress) -> None:
    """Show who is marked ``pending_publish`` as SQL has them, chunk by chunk, and clear the marks of what was shown."""
    last = 0
    marked = Standing.objects.filter(period=period, pending_publish=True).order_by("player_id")
    while players := list(marked.filter(player__gt=last).values_list("player_id", "player__external_id")[:CHUNK]):
        publish_current(period, [name for _, name in players])
        last = players[-1][0]
        on_progress(0)
        failpoint("settle.after_marked_chunk")


def publish_all(period: Period, on_progress: OnProgress) -> bool:
    """Fill a period that is ``needs_full_rebuild``, and whose memory was emptied; False if somebody else has taken it
    over.

    Read without locks and without announcements: meanwhile all who change a standing mark it, and marks come last.
    """
    publisher = Publisher(redis.resync_client())
    rows = Standing.objects.filter(period=period, score__isnull=False).order_by("player_id")
    last = 0
    while chunk := list(rows.filter(player__gt=last).values_list("player_id", "score", "member")[:CHUNK]):
        publisher.fill(period, [ZsetRow(period.layout.player_of(member), score, member) for _, score, member in chunk])
        last = chunk[-1][0]
        on_progress(len(chunk))
        failpoint("settle.after_rebuilt_chunk")
    with transaction.atomic():
        barrier.hold_exclusive(period.pk)  # from here on all who write announce
        mine = Period.objects.filter(pk=period.pk, generation=period.generation)
        return bool(mine.update(needs_full_rebuild=False))


def mark_changed_since(period: Period, transaction_number: int) -> int:
    """Mark whose row changed in that transaction of SQL or a later one; returns how many those are. PostgreSQL only.

    A row knows the transaction that wrote it (``xmin``, a number of 32 bits: ``age`` compares those). Those that
    somebody is deciding are waited for last, so that nobody else is.
    """
    marked = 0
    for statement in (_MARK_SINCE.format(waits="SKIP LOCKED"), _MARK_SINCE.format(waits="")):
        with connection.cursor() as cursor:
            cursor.execute(statement, [period.pk, str(transaction_number)])
            marked += cursor.rowcount
    return marked


def watermark() -> int:
    """The number of the first transaction that may be under way; all before it have ended. 0 where SQL has none."""
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text")
        return int(cursor.fetchone()[0])
