"""What tests have children do with boards: make them, bring them to rest, close them, and show what is there."""

import os
import signal
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from math import inf
from pathlib import Path
from typing import Any

from django.db import OperationalError, connection, transaction

from foundation import clock
from foundation.errors import Unavailable
from foundation.redis import client as redis
from foundation.sync import barrier, resyncing
from leaderboards import selectors
from leaderboards.core.input.entries import read_entry
from leaderboards.core.ranking.rules import Ties
from leaderboards.models import (
    ACTIVE_STATES,
    OVER_STATES,
    Board,
    FinalStanding,
    Period,
    PeriodState,
    Standing,
    Storage,
    Submission,
)
from leaderboards.services.board_files import apply_boards
from leaderboards.services.periods import close
from leaderboards.services.submit import pipeline as submit
from leaderboards.services.sync import mirror, resync_periods, verify
from leaderboards.stores.redis.publish import Publisher
from leaderboards.stores.redis.sync import ZsetSync
from tests.faults.load import CALLER, now
from tests.faults.trying import at_last


def make(settings: Sequence[Mapping[str, Any]], shift: float = 0.0) -> dict[str, int]:
    """New boards of a day that turns half a day from now, so that no test meets its end by chance; by their names."""
    far, nth = f"{now(shift) + timedelta(hours=12):%H:%M}", Board.objects.count()
    common = {"period": "day", "cutoff": far, "update": "increment"}
    wanted = [{**common, **each, "name": f"{each['name']} {nth}"} for each in settings]
    found = apply_boards(wanted, now(shift))
    at_last(lambda: resync_periods.resync_due(now(shift)))
    return {name.rpartition(" ")[0]: number for name, number in found.items()}


def hold_standing(seq: int, player: str, told: str) -> None:
    """Lock a player's standing as a submission does, write a file, and freeze."""
    period = Period.objects.get(board=seq, starts_at__lte=clock.now(), ends_at__gt=clock.now())
    with transaction.atomic():
        barrier.hold_shared(period.pk)
        assert list(Standing.objects.select_for_update().filter(period=period, player__external_id=player))
        Path(told).touch()
        os.kill(os.getpid(), signal.SIGSTOP)


def score_once(seq: int, players: Sequence[str]) -> list[list[Any]]:
    """Each scores in a request of his own, one after the other: what became of it, and how many seconds it took."""
    told = []
    for player in players:
        entry = read_entry({"board": seq, "player": player, "points": 1}, 0)
        began = time.monotonic()
        [outcome] = submit.submit([entry], CALLER, clock.now())
        told.append([outcome.code or outcome.status.value, time.monotonic() - began])
    return told


def score_together(seq: int, players: Sequence[str]) -> None:
    """All score in one request."""
    entries = [read_entry({"board": seq, "player": player, "points": 1}, n) for n, player in enumerate(players)]
    submit.submit(entries, CALLER, clock.now())


def score_when(seq: int, players: Sequence[str], ready: str, go: str) -> list[list[Any]]:
    """``score_once`` with all connections open, from the moment that the file ``go`` is there."""
    score_once(seq, ["warm"])
    Path(ready).touch()
    while not Path(go).exists():
        time.sleep(0.005)
    return score_once(seq, players)


def day_ends_at(seq: int) -> float:
    period = Period.objects.get(board=seq, starts_at__lte=clock.now(), ends_at__gt=clock.now())
    assert period.ends_at is not None
    return period.ends_at.timestamp()


def bring_to_rest(boards: Collection[int] = (), shift: float = 0.0, seconds: float = 60.0) -> list[dict[str, Any]]:
    """Settle and mirror until nothing is left to do, as the worker would in time; shows these boards then."""
    resyncing.LEASE, resync_periods.WATERMARK_SECONDS = timedelta(seconds=1), 1
    until = time.monotonic() + seconds
    while left := _left_to_do(shift):
        assert time.monotonic() < until, f"no rest after {seconds} s: {left}"
        time.sleep(0.02)
    return show(boards)


def _left_to_do(shift: float) -> str:
    """One round of the worker's; what remained, or nothing."""
    try:
        resync_periods.resync_due(now(shift))
        mirror.mirror_all()
        settler = ZsetSync(redis.boards())
        for period in _living():
            in_redis = period.board.storage != Storage.SQL
            for part in period.parts:
                dirty = period.board.storage == Storage.REDIS and settler.dirty(part, 1)[0]
                if (
                    part.stale_since is not None
                    or dirty
                    or (in_redis and any(Publisher(redis.boards()).inflight(part)))
                ):
                    return f"{part} is stale, dirty or has announcements"
            if period.stale_since is not None:
                return f"{period} is stale, and its partitions are not"
    except Unavailable as error:
        return error.detail
    return ""


def _living() -> list[Period]:
    return list(Period.objects.filter(state__in=ACTIVE_STATES).select_related("board"))


def close_until_final(boards: Collection[int], shift: float, seconds: float = 60.0) -> list[list[Any]]:
    """Close what is due, again and again until all of it is final; what each period of these boards ended with."""
    until = time.monotonic() + seconds
    while not _closed_all(shift):
        assert time.monotonic() < until, "not final in time"
        resyncing.LEASE = timedelta(seconds=1)
        resync_periods.resync_due(now(shift))
        time.sleep(0.02)
    rows = Period.objects.filter(board__in=boards, state=PeriodState.FINAL).order_by("pk")
    return [[row.board_id, row.label, row.players, row.content_hash] for row in rows]


def _closed_all(shift: float) -> bool:
    """Whether all that is due is final. Whom SQL ended for resting, on a busy machine, comes again as a task does."""
    try:
        return all(each.final for each in close.close_due(now(shift)))
    except OperationalError as error:
        if "idle-in-transaction" not in str(error):
            raise
        connection.close()
        return False


def close_again(boards: Collection[int], shift: float) -> list[list[Any]]:
    """Take what is final back to its closing, and close it once more; what each period ended with."""
    for period in Period.objects.filter(board__in=boards, state=PeriodState.FINAL):
        FinalStanding.objects.filter(period=period).delete()
        Period.objects.filter(pk=period.pk).update(state=PeriodState.CLOSING, players=0, content_hash="")
    return close_until_final(boards, shift)


def show(boards: Collection[int]) -> list[dict[str, Any]]:
    """Every period of these boards: what SQL has, what was submitted, and how Redis differs from SQL."""
    return [_shown(period) for period in Period.objects.filter(board__in=boards).select_related("board").order_by("pk")]


def _shown(period: Period) -> dict[str, Any]:
    rows = Standing.objects.filter(period=period, score__isnull=False).select_related("player")
    kept = Submission.objects.filter(period=period, voided_at=None).select_related("player").order_by("pk")
    finals = FinalStanding.objects.filter(period=period).select_related("player").order_by("place")
    return {
        "board": period.board_id,
        "storage": period.board.storage,
        "label": period.label,
        "state": period.state,
        "points": {row.player.external_id: row.points for row in rows},
        "pending_publish": Standing.objects.filter(period=period, pending_publish=True).count(),
        "submissions": [[row.external_id, row.player.external_id, row.points] for row in kept],
        "final": [row.player.external_id for row in finals],
        "differences": _differences(period, {row.member: row.score for row in rows}),
    }


def seen() -> dict[str, Any]:
    """What readers see of every period that has begun: whether it is live, its hash once it is final, and its rows."""
    told = {}
    for period in Period.objects.filter(starts_at__lte=clock.now()).select_related("board"):
        found = selectors.standings(period.board, period.label, offset=0, limit=1000)
        rows = [[row.rank, row.player, int(row.points or 0), str(row.achieved_at)] for row in found.rows]
        told[str(period)] = {"live": found.live, "hash": period.content_hash, "rows": rows}
    return told


def differences(repair: bool = False) -> int:
    """How many standings verifying finds different; it leaves them as they are unless asked to repair them."""
    return sum(each.differences for each in verify.verify_all(clock.now(), inf, repair))


def redis_points() -> dict[str, dict[str, float]]:
    return {str(period): _ranked(period) for period in _living() if period.board.storage != Storage.SQL}


def came_uncommitted(before: Mapping[str, Mapping[str, float]]) -> list[str]:
    """What Redis shows now and not before (``redis_points``), and SQL has decided at no time, of boards that add up.

    SQL may be ahead of what is shown, so what it has now is not enough.
    """
    found = []
    for period in _living():
        if period.board.storage == Storage.SQL:
            continue
        shown, ever = _ranked(period).items(), _ever_committed(period)
        unpacked = [period.layout.unpack(score, member) for member, score in shown - before[str(period)].items()]
        found += [f"{period}: {each}" for each in unpacked if (each.player, *each.value) not in ever]
    return found


def _ever_committed(period: Period) -> set[tuple[str, int]]:
    """Each player with each of their sums, of a board that SQL decides over."""
    sums: Counter[str] = Counter()
    ever = set()
    rows = Submission.objects.filter(period=period, period__board__storage=Storage.HYBRID).order_by("pk")
    for player, points in rows.values_list("player__external_id", "points"):
        sums[player] += points or 0
        ever.add((player, sums[player]))
    return ever


def _ranked(period: Period) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in period.parts:
        cells = redis.resync_client().call("ZRANGE", part.family.zset, 0, -1, "WITHSCORES")
        if not (cells and isinstance(cells[0], list | tuple)):  # a driver gives rows flat or in pairs
            cells = list(zip(cells[::2], cells[1::2], strict=True))
        found |= {member.decode(): float(score) for member, score in cells}
    return found


def _differences(period: Period, in_sql: Mapping[str, float | None]) -> list[str]:
    """How the whole family in Redis differs from SQL, in words; nothing for what Redis does not keep."""
    if period.board.storage == Storage.SQL or period.state in OVER_STATES:
        return []
    families, link = [part.family for part in period.parts], redis.resync_client()
    in_redis = _ranked(period)
    found = [f"{member} has {score} in one of the two" for member, score in in_sql.items() ^ in_redis.items()]
    if period.layout.in_member:
        members = {member.decode() for family in families for member in link.call("HVALS", family.members)}
        found += [f"{member} is in one of set and :members" for member in members ^ in_redis.keys()]
    if period.rules.ties is Ties.DENSE and not period.is_divided:
        family = period.family
        scores = {float(score) for score in link.call("ZRANGE", family.scores, 0, -1)}
        found += [f"{score} is in one of set and :scores" for score in scores ^ set(in_redis.values())]
    return found
