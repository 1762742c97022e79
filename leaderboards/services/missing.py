"""Putting what Redis lacks of a hybrid period: everything, whom unsure tokens name, and who is marked ``unput``.

The trap: only what is read under a row lock may clear a mark. Everything is read without, and may be too old
by the time it is put; but nobody else puts meanwhile, whoever changes a standing marks it, and marks come
last (docs/decisions/0014).
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from django.db import transaction

from foundation import redis
from foundation.failpoints import failpoint
from leaderboards.core.instants import milliseconds
from leaderboards.models import Period, Standing
from leaderboards.services.put import token_time_ms
from leaderboards.stores import barrier
from leaderboards.stores.zset_settling import ZsetSettler
from leaderboards.stores.zset_writes import ENTRIES_PER_CALL, Put, ZsetWriter

CHUNK = 5000
TOKEN_AGE = timedelta(seconds=25)  # what a dead writer put is gone within 30 s, the worker's own round included

GoOn = Callable[[int], None]
_Row = tuple[int, float | None, str]  # as ``_ROW`` names it: the player's number, score, member
_ROW = ("player_id", "score", "member")


def put_missing(period: Period, go_on: GoOn) -> None:
    """Put all of it while ``whole``, who is named by a token, then whoever is ``unput``.

    ``go_on`` is called after each chunk, with how many more of the whole are put.
    """
    settler = ZsetSettler(redis.settling())
    if period.whole:
        _put_all(period, go_on)
    _put_named(settler, period, settler.tokens(period))
    while _put_marked(period, go_on) >= CHUNK:
        pass


def _put_all(period: Period, go_on: GoOn) -> None:
    """Put everybody as SQL has him, by player number, without a lock and without a write for each row."""
    rows = Standing.objects.filter(period=period, score__isnull=False).order_by("player_id").values_list(*_ROW)
    last = 0
    while chunk := list(rows.filter(player__gt=last)[:CHUNK]):
        _put(period, chunk)
        last = chunk[-1][0]
        go_on(len(chunk))
        failpoint("settle.after_rebuilt_chunk")


def _put_marked(period: Period, go_on: GoOn) -> int:
    """Put whoever is ``unput``, by player number; returns how many there were."""
    last, count = 0, 0
    while chunk := put_marked_chunk(period, last):
        last, count = chunk[-1][0], count + len(chunk)
        go_on(0)
    return count


def put_marked_chunk(period: Period, last: int) -> Sequence[_Row]:
    """Put one chunk after player ``last`` and clear its marks, under row locks sorted as writers sort them."""
    marked = Standing.objects.filter(period=period, unput=True)
    with transaction.atomic():
        rows = marked.filter(player__gt=last).select_for_update().order_by("player_id")
        if chunk := list(rows.values_list(*_ROW)[:CHUNK]):
            _put(period, chunk)
            marked.filter(player__in=[player for player, _, _ in chunk]).update(unput=False)
        failpoint("settle.before_chunk_commit")
    failpoint("settle.after_chunk_commit")
    return chunk


def _put(period: Period, rows: Sequence[_Row]) -> None:
    writer = ZsetWriter(redis.settling())
    for start in range(0, len(rows), ENTRIES_PER_CALL):
        part = rows[start : start + ENTRIES_PER_CALL]
        writer.put(period, [Put(player_named(period, score, member), score, member) for _, score, member in part])


def player_named(period: Period, score: float | None, member: str) -> str:
    """The player of a standing, whose own row need not be read: a member ends with him; unranked, it is his id."""
    return member if score is None else period.layout.player_of(member)


def clear_tokens(period: Period, at: datetime) -> int:
    """Look after tokens whose writers must be dead by now; returns how many there were."""
    settler = ZsetSettler(redis.settling())
    oldest = milliseconds(at - TOKEN_AGE)
    tokens = {token: names for token, names in settler.tokens(period).items() if token_time_ms(token) <= oldest}
    if tokens:
        with transaction.atomic():
            barrier.hold_exclusive(period.pk)
            period = Period.objects.select_related("board").get(pk=period.pk)
            _put_named(settler, period, tokens)
    return len(tokens)


def _put_named(settler: ZsetSettler, period: Period, tokens: Mapping[str, Sequence[str]]) -> None:
    """Put the players that unsure tokens stand for as SQL has them; one without a standing is taken out."""
    writer = ZsetWriter(redis.settling())
    for token, names in tokens.items():
        with transaction.atomic():
            rows = Standing.objects.select_for_update(of=("self",)).filter(period=period, player__external_id__in=names)
            found = {row.player.external_id: row for row in rows.select_related("player").order_by("player_id")}
            puts = [
                Put(name, row.score, row.member) if (row := found.get(name)) else Put(name, None, name)
                for name in names
            ]
            writer.put(period, puts)
        failpoint("settle.after_named")
        settler.forget_tokens(period, [token])
