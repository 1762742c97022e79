"""Verifying: are Redis and SQL the same, standing by standing, and if not, repair what still holds.

Walks over a period, in chunks within a time budget: SQL's rows against Redis, Redis's members against SQL, and the
distinct scores of a dense period. What differs in passing is looked at again: hybrid, when nobody is deciding and the
row did not change meanwhile; redis, by a script that finds the same score, not dirty. What Redis lost without a trace
of a removal is put back from SQL, whoever decides. Each difference is a row, and counts as repaired only if it was then
seen to be gone. A period that waits for settling is told with the reason.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Any, NamedTuple

from django.db.models import F, Max

from foundation import clock
from foundation.redis import client as redis
from foundation.sync.redis_state import StaleGeneration
from leaderboards.core.ranking.rules import Ties
from leaderboards.models import Difference, Period, Standing, Storage
from leaderboards.selectors.monitoring.comparable import comparable_periods
from leaderboards.selectors.monitoring.resync_progress import describe_resync
from leaderboards.services.sync.mirror import is_dropped, mirror
from leaderboards.services.sync.reconcile import publish_current
from leaderboards.services.sync.restore_lost import reassign_member, restore_lost
from leaderboards.services.sync.resync_periods import PeriodResync
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.redis.writes import Lookup, ZsetWriter, stored_state_text, stores_state
from leaderboards.stores.sql.writes import state_of

logger = logging.getLogger(__name__)

CHUNK = 500

MAX_REPORTED = 1000  # differences of a run that are told with it; all of them are rows
STANDING = "a player's standing differs"
LOST = "Redis lost a player's standing, and SQL gives it back"
RECLAIMED_MEMBER = "Redis has a member that its player lost, and gives it back"
ORPHAN_MEMBER = "Redis has a member that stands for nobody"
DISTINCT = "a distinct score is missing, or nobody has it"
MEMORY = "Redis's memory is older than SQL's"

_Difference = tuple[Standing | None, float | None]  # the row in SQL, the score in Redis


class FoundDifference(NamedTuple):
    """A difference, and in words what it is about."""

    what: str
    row: Difference


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """What a run over one period found; ``finished`` is False where its time was up first.

    ``skipped`` says why the period was not compared, or not to its end; ``found`` are the first of the differences.
    """

    board: int
    label: str
    compared: int
    differences: int
    repaired: int
    finished: bool
    skipped: str = ""
    found: tuple[FoundDifference, ...] = ()


def verify_all(at: datetime, seconds: float, repair: bool = True, seq: int | None = None) -> list[VerifyResult]:
    """Verify every living period (of board ``seq``), the one longest unverified first, for ``seconds`` in all.

    Raises what the link raises: without Redis there is nothing to compare.
    """
    until = clock.monotonic() + seconds
    found = []
    for period in (
        comparable_periods(at, seq).select_related("board").order_by(F("verified_at").asc(nulls_first=True), "pk")
    ):
        if clock.monotonic() >= until:
            break
        found.append(verify(period, until, repair))
    return found


def verify(period: Period, until: float, repair: bool) -> VerifyResult:
    """Compare one period until ``until`` on the monotonic clock; a run that was cut short goes on where it stopped.

    A period that is stale, or becomes so, is left to settling and told as ``skipped``.
    """
    walk, skipped, finished = _Walk(period, repair, period.verify_cursor if until < inf else ""), "", False
    try:
        walk.compare_versions()
        finished = all(clock.monotonic() < until for _ in walk.steps())
    except StaleGeneration:
        period.refresh_from_db()
        moved = "Redis was given another state of it meanwhile: verify it again"
        skipped = moved if period.stale_since is None else describe_resync(period)
    else:
        done: dict[str, Any] = {"verified_at": clock.now(), "verify_cursor": ""}
        if repair:  # who only looks leaves what they found to the next run
            Period.objects.filter(pk=period.pk).update(**done if finished else {"verify_cursor": walk.place})
    counts = walk.compared, walk.differences, walk.repaired
    return VerifyResult(period.board_id, period.label, *counts, finished, skipped, tuple(walk.found))


class _Walk:
    """All walks over one period. ``place`` is how far: ``sql:<player>``, ``redis:<cursor>``, ``distinct:<cursor>``."""

    def __init__(self, period: Period, repair: bool, place: str) -> None:
        self.place = place or "sql:0"
        self._period = period
        self._repair = repair
        self._decided_by_redis = period.board.storage == Storage.REDIS
        self._writer = ZsetWriter(redis.resync_client())
        self._settler = ZsetSync(redis.resync_client())
        self.compared = self.differences = self.repaired = 0
        self.found: list[FoundDifference] = []

    def compare_versions(self) -> None:
        """A memory that Redis was given back may be older than what SQL has of it: then settling brings it up first.

        Its versions would be given out twice, and SQL takes none that is not newer. Raises ``StaleGeneration`` where
        the period waits for settling.
        """
        if self._decided_by_redis and self._period.stale_since is None:
            newest = Standing.objects.filter(period=self._period).aggregate(newest=Max("version"))["newest"] or 0
            if newest > self._settler.read_state(self._period).sequence:
                self._note("(the whole period)", None, None, self._repair and self._bring_up(), MEMORY)
        if self._period.stale_since is not None:
            raise StaleGeneration(describe_resync(self._period))

    def _bring_up(self) -> bool:
        settling = PeriodResync(self._period)
        settling.mark_stale(clock.now())
        settled = settling.resync()
        self._period.refresh_from_db()
        return settled

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
        if side != "distinct":
            yield from self._walk("redis", last if side == "redis" else "", self._compare_members)
        if self._period.rules.ties is Ties.DENSE:
            yield from self._walk("distinct", last if side == "distinct" else "", self._compare_distinct)

    def _walk(self, side: str, cursor: str, compare: Callable[[str], str]) -> Iterator[None]:
        while cursor != "0":
            cursor = compare(cursor or "0")
            self.place = f"{side}:{cursor}"
            yield

    def _compare(self, chunk: Sequence[Standing]) -> None:
        self.compared += len(chunk)
        seen = self._look([row.player.external_id for row in chunk])
        wrong = [row.player.external_id for row, each in zip(chunk, seen, strict=True) if not self._same(row, each)]
        self._look_closer(wrong)
        if self._period.rules.ties is Ties.DENSE:
            self._note_distinct({f"{row.score:.17g}" for row in chunk if row.score is not None})

    def _compare_members(self, cursor: str) -> str:
        """Members of players whom SQL does not rank; those that it ranks were compared before."""
        following, members = self._settler.scan(self._period, cursor, CHUNK)
        ranked = Standing.objects.filter(period=self._period, score__isnull=False, member__in=members)
        known = set(ranked.values_list("member", flat=True))
        strangers = {member: self._period.layout.player_of(member) for member in members if member not in known}
        self._look_closer([*strangers.values()])
        for member, name in strangers.items():
            self._sweep(name, member)
        return following

    def _compare_distinct(self, cursor: str) -> str:
        following, scores = self._settler.scan_distinct(self._period, cursor, CHUNK)
        self._note_distinct(scores)
        return following

    def _note_distinct(self, scores: Collection[str]) -> None:
        """A distinct score too many or too few makes every rank below it wrong."""
        for score in self._settler.check_distinct_scores(self._period, sorted(scores), self._repair):
            repaired = self._repair and not self._settler.check_distinct_scores(self._period, [score], repair=False)
            self._note(f"(all behind the score {score})", None, None, repaired, DISTINCT)

    def _look(self, names: Sequence[str]) -> list[Lookup]:
        return self._writer.look_up(self._period, [(name, None) for name in names])

    def _row(self, name: str) -> Standing | None:
        return Standing.objects.filter(period=self._period, player__external_id=name).first()

    def _sweep(self, name: str, member: str) -> None:
        """A member whose player stands elsewhere: nobody would ever write or remove it again. Where Redis decides, it
        is the player's if they have no other.
        """
        if self._decided_by_redis and self._period.layout.in_member:
            theirs = reassign_member(self._period, name, member, self._repair)
            if theirs is not None:
                if self._repair:
                    mirror(self._period)
                return self._note_each({name: (self._row(name), theirs)}, RECLAIMED_MEMBER)
        score = self._settler.remove_orphan(self._period, name, member, self._repair)
        if score is not None:
            self._note(name, None, score, self._repair, ORPHAN_MEMBER)
        return None

    def _look_closer(self, names: Sequence[str]) -> None:
        if not names:
            return
        lost = restore_lost(self._period, names, self._repair) if self._decided_by_redis else {}
        self._note_each({name: (row, None) for name, row in lost.items()}, LOST)
        names = [name for name in names if name not in lost]
        found = self._differing_in_redis(names) if self._decided_by_redis else self._differing_from_sql(names)
        if self._repair and found and self._decided_by_redis:
            mirror(self._period)
        elif self._repair and found:
            publish_current(self._period, [*found])
        self._note_each(found, STANDING)

    def _note_each(self, found: dict[str, _Difference], what: str) -> None:
        for (name, (row, score)), seen in zip(found.items(), self._look([*found]), strict=True):
            self._note(name, row, score, self._repair and self._same(self._row(name), seen), what)

    def _differing_from_sql(self, names: Sequence[str]) -> dict[str, _Difference]:
        """SQL decides: who differs, and not only because a writer, or settling, is at it.

        What was announced before we look may be committed and not shown yet; what is announced later changes the row.
        """
        found: dict[str, _Difference] = {}
        for name in names:
            before = self._row(name)
            if self._settler.is_announced(self._period, name):
                continue
            [seen] = self._look([name])
            row = self._row(name)
            moved = (row and row.version) != (before and before.version)
            if not (moved or (row and row.pending_publish) or self._same(row, seen)):
                found[name] = row, seen.score
        return found

    def _differing_in_redis(self, names: Sequence[str]) -> dict[str, _Difference]:
        """Redis decides: SQL read again, then Redis; a script marks for the mirror what is still so and not dirty.

        What somebody has given up stays as it is, until the player's next score. That Redis has nothing of a player is
        no word of theirs: ``restore_lost`` has looked at them.
        """
        found: dict[str, _Difference] = {}
        for name in names:
            row = self._row(name)
            [seen] = self._look([name])
            if seen.score is None or self._same(row, seen) or self._settler.is_dirty(self._period, name):
                continue
            if is_dropped(self._period, name, row.version if row else 0):
                continue
            if not self._repair or self._mend(name, row, seen):
                found[name] = row, seen.score
        return found

    def _mend(self, name: str, row: Standing | None, seen: Lookup) -> bool:
        """Have the mirror copy it; or, where Redis lost what it keeps beside the score, give it back from SQL."""
        if row is not None and row.score is not None and (row.score, row.member) == (seen.score, seen.member):
            return self._settler.restore_stored_state(self._period, name, row.score, self._held(row))
        return self._settler.mark_dirty(self._period, name, seen.score)

    def _same(self, row: Standing | None, seen: Lookup) -> bool:
        if row is None or row.score is None:
            return seen.score is None
        placed = (seen.score, seen.member) == (row.score, row.member)
        return placed and (not self._decided_by_redis or seen.stored_state == self._held(row))

    def _held(self, row: Standing) -> str:
        if not stores_state(self._period):
            return ""
        return stored_state_text(self._period, state_of(row.points, row.fields, row.at))

    def _note(self, name: str, row: Standing | None, in_redis: float | None, repaired: bool, what: str) -> None:
        """Count, keep and log a difference. The log names no player: they may be erased, and it stays."""
        self.differences += 1
        self.repaired += repaired
        kept = Difference.objects.create(
            period=self._period,
            player=name,
            in_sql=None if row is None else row.score,
            in_redis=in_redis,
            repaired=repaired,
            found_at=clock.now(),
        )
        if len(self.found) < MAX_REPORTED:
            self.found.append(FoundDifference(what, kept))
        board, label = self._period.board, self._period.label
        logger.warning("board %s (%r), period %s: %s; repaired: %s", board.pk, board.name, label, what, repaired)
