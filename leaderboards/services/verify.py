"""Verifying: are Redis and SQL the same, standing by standing, and if not, repair what still holds.

Two walks over a period, in chunks within a time budget: SQL's rows against Redis, and Redis's members
against SQL. What differs in passing is looked at again where nobody can move it (hybrid: the standing
locked) or where a script can tell (redis: the same score, not dirty). Each difference is a row.
"""

import logging
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Any

from django.db import transaction
from django.db.models import F

from foundation import clock, redis
from leaderboards.models import Difference, Period, Standing, State, Storage
from leaderboards.services.mirror import is_given_up
from leaderboards.stores import barrier
from leaderboards.stores.zset_settling import ZsetSettler
from leaderboards.stores.zset_writes import Put, Seen, ZsetWriter

logger = logging.getLogger(__name__)

CHUNK = 500
DAYS = ("", "")  # no ids are looked at


@dataclass(frozen=True, slots=True)
class Verified:
    """What a run over one period found; ``finished`` is False where its time was up first."""

    board: int
    label: str
    compared: int
    differences: int
    repaired: int
    finished: bool


def verify_all(at: datetime, seconds: float, repair: bool = True, seq: int | None = None) -> list[Verified]:
    """Verify every living period (of board ``seq``), the one longest unverified first, for ``seconds`` in all.

    Raises what the link raises: without Redis there is nothing to compare.
    """
    until = clock.monotonic() + seconds
    periods = Period.objects.filter(state__in=(State.OPEN, State.CLOSING), stale_since=None)
    periods = periods.exclude(board__storage=Storage.SQL).exclude(starts_at__gt=at).select_related("board")
    if seq is not None:
        periods = periods.filter(board=seq)
    found = []
    for period in periods.order_by(F("verified_at").asc(nulls_first=True), "pk"):
        if clock.monotonic() >= until:
            break
        found.append(verify(period, until, repair))
    return found


def verify(period: Period, until: float, repair: bool) -> Verified:
    """Compare one period until ``until`` on the monotonic clock; a run that was cut short goes on where it stopped."""
    walk = _Walk(period, repair, period.verify_place if until < inf else "")
    finished = all(clock.monotonic() < until for _ in walk.steps())
    done: dict[str, Any] = {"verified_at": clock.now(), "verify_place": ""}
    if repair:  # who only looks leaves what he found to the next run
        Period.objects.filter(pk=period.pk).update(**done if finished else {"verify_place": walk.place})
    return Verified(period.board_id, period.label, walk.compared, walk.differences, walk.repaired, finished)


class _Walk:
    """Both walks over one period. ``place`` is how far they came: ``sql:<player>``, then ``redis:<cursor>``."""

    def __init__(self, period: Period, repair: bool, place: str) -> None:
        self.place = place or "sql:0"
        self._period = period
        self._repair = repair
        self._decided_by_redis = period.board.storage == Storage.REDIS
        self._writer = ZsetWriter(redis.settling())
        self._settler = ZsetSettler(redis.settling())
        self.compared = self.differences = self.repaired = 0

    def steps(self) -> Iterator[None]:
        """One chunk a step."""
        side, _, last = self.place.partition(":")
        # Players are read for each chunk: joined, PostgreSQL walks all players before it.
        rows = Standing.objects.filter(period=self._period).prefetch_related("player").order_by("player_id")
        while side == "sql" and (chunk := list(rows.filter(player__gt=int(last))[:CHUNK])):
            self._compare(chunk)
            last = str(chunk[-1].player_id)
            self.place = f"sql:{last}"
            yield
        cursor = last if side == "redis" else ""
        while cursor != "0":
            cursor, members = self._settler.scan(self._period, cursor or "0", CHUNK)
            self._compare_members(members)
            self.place = f"redis:{cursor}"
            yield

    def _compare(self, chunk: Sequence[Standing]) -> None:
        self.compared += len(chunk)
        seen = self._look([row.player.external_id for row in chunk])
        for row, redis_row in zip(chunk, seen, strict=True):
            if not _same(row, redis_row):
                self._look_closer(row.player.external_id)

    def _compare_members(self, members: Collection[str]) -> None:
        """Members of players whom SQL does not rank; those that it ranks were compared before."""
        ranked = Standing.objects.filter(period=self._period, score__isnull=False, member__in=members)
        known = set(ranked.values_list("member", flat=True))
        for member in members:
            if member not in known:
                name = self._period.layout.player_of(member)
                self._look_closer(name)
                self._sweep(name, member)

    def _look(self, names: Sequence[str]) -> list[Seen]:
        return self._writer.look(self._period, [(name, None) for name in names], DAYS)

    def _sweep(self, name: str, member: str) -> None:
        """A member whose player stands elsewhere: nobody would ever write or remove it again."""
        score = self._settler.sweep(self._period, name, member, self._repair)
        if score is not None:
            self._note(name, None, Seen(b"", score, member, ""), self._repair)

    def _look_closer(self, name: str) -> None:
        if self._decided_by_redis:
            self._look_closer_at_redis(name)
        else:
            self._look_closer_at_sql(name)

    @transaction.atomic
    def _look_closer_at_sql(self, name: str) -> None:
        """SQL decides: with the standing locked (or nobody writing at all), what does Redis show?"""
        standings = Standing.objects.select_for_update(of=("self",)).filter(period=self._period)
        row = standings.filter(player__external_id=name).first()
        if row is None:
            barrier.hold_exclusive(self._period.pk)
            row = standings.filter(player__external_id=name).first()
        [seen] = self._look([name])
        if (row is not None and row.unput) or _same(row, seen) or self._is_unsure(name):
            return
        if self._repair:
            score, member = (row.score, row.member) if row else (None, name)
            self._writer.put(self._period, [Put(name, score, member)])
        self._note(name, row, seen, self._repair)

    def _is_unsure(self, name: str) -> bool:
        """Whether a writer may have died with this player's put uncommitted: settling looks after that."""
        return any(name in names for names in self._settler.tokens(self._period).values())

    def _look_closer_at_redis(self, name: str) -> None:
        """Redis decides: SQL read again, then Redis; a script repairs only what is still so and not dirty.

        What somebody has given up stays as it is, until the player's next score.
        """
        row = Standing.objects.filter(period=self._period, player__external_id=name).first()
        [seen] = self._look([name])
        if _same(row, seen) or self._settler.is_dirty(self._period, name):
            return
        if is_given_up(self._period, name, row.version if row else 0):
            return
        soiled = self._repair and self._settler.soil(self._period, name, seen.score)
        if soiled or not self._repair:
            self._note(name, row, seen, soiled)

    def _note(self, name: str, row: Standing | None, seen: Seen, repaired: bool) -> None:
        self.differences += 1
        self.repaired += repaired
        Difference.objects.create(
            period=self._period,
            player=name,
            in_sql=None if row is None else row.score,
            in_redis=seen.score,
            repaired=repaired,
            found_at=clock.now(),
        )
        logger.warning("period %s differs for one player; repaired: %s", self._period.pk, repaired)


def _same(row: Standing | None, seen: Seen) -> bool:
    if row is None or row.score is None:
        return seen.score is None
    return seen.score == row.score and seen.member == row.member
