"""Verify that Redis and SQL have the same standings, and repair the differences.

A run compares SQL's rows with Redis, Redis's members with SQL, and the distinct scores of a dense period, in chunks.
What differs is checked again, since it may be changing: on hybrid boards the player must not be announced and the row
not change meanwhile; on redis boards a script must find the same score, not dirty. What Redis lost without a removal is
restored from SQL. Every difference is stored, and counts as repaired only if a second look finds it gone.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from math import inf
from typing import Any

from django.db.models import Max

from foundation import clock
from foundation.conf import is_cluster
from foundation.redis import client as redis
from foundation.redis.client import RedisAway, RedisSilent
from foundation.sync.redis_state import StaleGeneration
from leaderboards.core.erased_ids import ERASED_PREFIX
from leaderboards.core.ranking.rules import Ties
from leaderboards.models import Difference, Part, Partition, Period, Standing, Storage, standings_of
from leaderboards.selectors.catalog.parts import parts_of
from leaderboards.selectors.monitoring.comparable import comparable_periods
from leaderboards.selectors.monitoring.resync_progress import describe_resync
from leaderboards.services.sync.mirror import is_dropped, mirror_part
from leaderboards.services.sync.reconcile import publish_current
from leaderboards.services.sync.restore_lost import reassign_member, restore_lost
from leaderboards.services.sync.resync_periods import PeriodResync
from leaderboards.services.sync.verify_result import MAX_REPORTED, FoundDifference, VerifyResult
from leaderboards.stores.redis.stored_states import stored_state_text, stores_state
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.redis.writes import Lookup, ZsetWriter
from leaderboards.stores.sql.writes import state_of

logger = logging.getLogger(__name__)

CHUNK = 500
STANDING = "a player's standing differs"
LOST = "Redis lost a player's standing, and SQL gives it back"
RECLAIMED_MEMBER = "Redis has a member that its player lost, and gives it back"
ORPHAN_MEMBER = "Redis has a member that stands for nobody"
DISTINCT = "a distinct score is missing, or nobody has it"
MEMORY = "Redis's memory is older than SQL's"

_Difference = tuple[Standing | None, float | None]  # the row in SQL, the score in Redis


def verify_all(at: datetime, seconds: float, repair: bool = True, seq: int | None = None) -> list[VerifyResult]:
    """Verify every active period (of board ``seq``), the one longest unverified first, for ``seconds`` in all.

    Raises what the client raises.
    """
    until = clock.monotonic() + seconds
    parts = parts_of(comparable_periods(at, seq).select_related("board").order_by("pk"))
    results = []
    for part in sorted(parts, key=lambda part: part.verified_at.timestamp() if part.verified_at else -inf):
        if clock.monotonic() >= until:
            break
        results.append(verify(part, until, repair))
    return results


def verify(period: Part, until: float, repair: bool) -> VerifyResult:
    """Compare a family of a period until ``until`` on the monotonic clock; the next run goes on where this one stopped.

    A period that is stale, or becomes stale, is ``skipped`` and left to the resync. A run without ``repair`` leaves the
    cursor as it is.
    """
    run, skipped, finished = _Verification(period, repair, period.verify_cursor if until < inf else ""), "", False
    try:
        run.compare_versions()
        finished = all(clock.monotonic() < until for _ in run.steps())
    except StaleGeneration:
        period.refresh_from_db()
        moved = "Redis was given another state of it meanwhile: verify it again"
        skipped = moved if period.stale_since is None else describe_resync(period)
    except (RedisAway, RedisSilent):
        if not is_cluster():
            raise
        skipped = "the Redis server that has it is away"  # others of the cluster may answer
    else:
        done: dict[str, Any] = {"verified_at": clock.now(), "verify_cursor": ""}
        if repair:
            period.as_queryset.update(**done if finished else {"verify_cursor": run.cursor})
            _note_verified_parts(period)
    counts = run.compared, run.differences, run.repaired
    return VerifyResult(period.board_id, period.label, *counts, finished, skipped, tuple(run.found))


def _note_verified_parts(part: Part) -> None:
    """Note on the period of a partition when the one that was compared first was, once all were."""
    if isinstance(part, Partition):
        times = list(Partition.objects.filter(period=part.period_id).values_list("verified_at", flat=True))
        if None not in times:
            Period.objects.filter(pk=part.period_id).update(verified_at=min(filter(None, times)))


class _Verification:
    """A run over a family of a period. ``cursor`` is ``sql:<player>``, ``redis:<cursor>`` or ``distinct:<cursor>``."""

    def __init__(self, period: Part, repair: bool, cursor: str) -> None:
        self.cursor = cursor or "sql:0"
        self._period = period
        self._repair = repair
        self._decided_by_redis = period.board.storage == Storage.REDIS
        self._writer = ZsetWriter(redis.resync_client())
        self._store = ZsetSync(redis.resync_client())
        self.compared = self.differences = self.repaired = 0
        self.found: list[FoundDifference] = []

    def compare_versions(self) -> None:
        """Where Redis decides, resync the period first if its version counter is behind SQL's versions.

        This happens with restored Redis files. Versions would be used twice, and SQL takes only newer ones. Raises
        ``StaleGeneration`` if the period is stale.
        """
        if self._decided_by_redis and self._period.stale_since is None:
            rows = standings_of(self._period)
            if isinstance(self._period, Partition):  # an erased player's version is of the partition of the old id
                rows = rows.exclude(score=None, player__external_id__startswith=ERASED_PREFIX)
            newest = rows.aggregate(newest=Max("version"))["newest"] or 0
            if newest > self._store.read_state(self._period).sequence:
                self._note("(the whole period)", None, None, self._repair and self._resync(), MEMORY)
        if self._period.stale_since is not None:
            raise StaleGeneration(describe_resync(self._period))

    def _resync(self) -> bool:
        resync = PeriodResync(self._period)
        resync.mark_stale(clock.now())
        is_resynced = resync.resync()
        self._period.refresh_from_db()
        return is_resynced

    def steps(self) -> Iterator[None]:
        """Compare one chunk per step."""
        side, _, last = self.cursor.partition(":")
        # Players are prefetched per chunk: with a join, PostgreSQL scans all players before it.
        rows = standings_of(self._period).prefetch_related("player").order_by("player_id")
        while side == "sql" and (chunk := list(rows.filter(player__gt=int(last))[:CHUNK])):
            self._compare_rows(chunk)
            last = str(chunk[-1].player_id)
            self.cursor = f"sql:{last}"
            yield
        if side != "distinct":
            yield from self._scan("redis", last if side == "redis" else "", self._compare_members)
        if self._period.rules.ties is Ties.DENSE:
            yield from self._scan("distinct", last if side == "distinct" else "", self._compare_distinct)

    def _scan(self, side: str, cursor: str, compare: Callable[[str], str]) -> Iterator[None]:
        while cursor != "0":
            cursor = compare(cursor or "0")
            self.cursor = f"{side}:{cursor}"
            yield

    def _compare_rows(self, chunk: Sequence[Standing]) -> None:
        self.compared += len(chunk)
        names = [row.player.external_id for row in chunk]
        rows = zip(names, chunk, self._look_up(names), strict=True)
        self._check_again([name for name, row, in_redis in rows if not self._is_same(row, in_redis)])
        if self._period.rules.ties is Ties.DENSE:
            self._check_distinct({f"{row.score:.17g}" for row in chunk if row.score is not None})

    def _compare_members(self, cursor: str) -> str:
        """Check the members that SQL does not rank; those that it ranks were compared before."""
        next_cursor, members = self._store.scan(self._period, cursor, CHUNK)
        ranked = Standing.objects.filter(period=self._period.period_id, score__isnull=False, member__in=members)
        known = set(ranked.values_list("member", flat=True))
        unknown = {member: self._period.layout.player_of(member) for member in members if member not in known}
        self._check_again([*unknown.values()])
        for member, name in unknown.items():
            self._check_orphan(name, member)
        return next_cursor

    def _compare_distinct(self, cursor: str) -> str:
        next_cursor, scores = self._store.scan_distinct(self._period, cursor, CHUNK)
        self._check_distinct(scores)
        return next_cursor

    def _check_distinct(self, scores: Collection[str]) -> None:
        """Check distinct scores: one too many or too few makes every rank below it wrong."""
        for score in self._store.check_distinct_scores(self._period, sorted(scores), self._repair):
            repaired = self._repair and not self._store.check_distinct_scores(self._period, [score], repair=False)
            self._note(f"(all behind the score {score})", None, None, repaired, DISTINCT)

    def _look_up(self, names: Sequence[str]) -> list[Lookup]:
        return self._writer.look_up(self._period, [(name, None) for name in names])

    def _row(self, name: str) -> Standing | None:
        return Standing.objects.filter(period=self._period.period_id, player__external_id=name).first()

    def _check_orphan(self, name: str, member: str) -> None:
        """Check a member that is not its player's current one: no later write would change or remove it.

        Where Redis decides, a player without any member gets it back; otherwise it is removed.
        """
        if self._decided_by_redis and self._period.layout.in_member:
            reassigned = reassign_member(self._period, name, member, self._repair)
            if reassigned is not None:
                if self._repair:
                    mirror_part(self._period)
                return self._note_each({name: (self._row(name), reassigned)}, RECLAIMED_MEMBER)
        score = self._store.remove_orphan(self._period, name, member, self._repair)
        if score is not None:
            self._note(name, None, score, self._repair, ORPHAN_MEMBER)
        return None

    def _check_again(self, names: Sequence[str]) -> None:
        """Check players that seemed to differ, repair and note those that really do."""
        if not names:
            return
        lost = restore_lost(self._period, names, self._repair) if self._decided_by_redis else {}
        self._note_each({name: (row, None) for name, row in lost.items()}, LOST)
        names = [name for name in names if name not in lost]
        differing = self._differing_in_redis(names) if self._decided_by_redis else self._differing_from_sql(names)
        if self._repair and differing and self._decided_by_redis:
            mirror_part(self._period)
        elif self._repair and differing:
            publish_current(self._period, [*differing])
        self._note_each(differing, STANDING)

    def _note_each(self, differences: dict[str, _Difference], what: str) -> None:
        for (name, (row, score)), in_redis in zip(differences.items(), self._look_up([*differences]), strict=True):
            self._note(name, row, score, self._repair and self._is_same(self._row(name), in_redis), what)

    def _differing_from_sql(self, names: Sequence[str]) -> dict[str, _Difference]:
        """SQL decides: return the players that differ, except those that a writer or a resync is changing.

        What was announced before may be committed and not published yet; what is announced later changes the row.
        """
        differing: dict[str, _Difference] = {}
        for name in names:
            before = self._row(name)
            if self._store.is_announced(self._period, name):
                continue
            [in_redis] = self._look_up([name])
            row = self._row(name)
            moved = (row and row.version) != (before and before.version)
            if not (moved or (row and row.pending_publish) or self._is_same(row, in_redis)):
                differing[name] = row, in_redis.score
        return differing

    def _differing_in_redis(self, names: Sequence[str]) -> dict[str, _Difference]:
        """Redis decides: return the players that differ and are not dirty; with repair, fix or mark them.

        Dropped dead letters stay as they are until the player's next score. Players without a standing in Redis are
        left to ``restore_lost``.
        """
        differing: dict[str, _Difference] = {}
        for name in names:
            row = self._row(name)
            [in_redis] = self._look_up([name])
            if in_redis.score is None or self._is_same(row, in_redis) or self._store.is_dirty(self._period, name):
                continue
            if is_dropped(self._period.period, name, row.version if row else 0):
                continue
            if not self._repair or self._repair_standing(name, row, in_redis):
                differing[name] = row, in_redis.score
        return differing

    def _repair_standing(self, name: str, row: Standing | None, in_redis: Lookup) -> bool:
        """Restore a lost stored state from SQL; mark any other difference dirty, so that the mirror copies it."""
        if row is not None and row.score is not None and (row.score, row.member) == (in_redis.score, in_redis.member):
            return self._store.restore_stored_state(self._period, name, row.score, self._stored_state(row))
        return self._store.mark_dirty(self._period, name, in_redis.score)

    def _is_same(self, row: Standing | None, in_redis: Lookup) -> bool:
        if row is None or row.score is None:
            return in_redis.score is None
        if (in_redis.score, in_redis.member) != (row.score, row.member):
            return False
        return not self._decided_by_redis or in_redis.stored_state == self._stored_state(row)

    def _stored_state(self, row: Standing) -> str:
        if not stores_state(self._period):
            return ""
        return stored_state_text(self._period, state_of(row.points, row.fields, row.at))

    def _note(self, name: str, row: Standing | None, in_redis: float | None, repaired: bool, what: str) -> None:
        """Count, store and log a difference. The log names no player, since they may be erased and it stays."""
        self.differences += 1
        self.repaired += repaired
        difference = Difference.objects.create(
            period=self._period.period,
            player=name,
            in_sql=None if row is None else row.score,
            in_redis=in_redis,
            repaired=repaired,
            found_at=clock.now(),
        )
        if len(self.found) < MAX_REPORTED:
            self.found.append(FoundDifference(what, difference))
        board, label = self._period.board, self._period.label
        logger.warning("board %s (%r), period %s: %s; repaired: %s", board.pk, board.name, label, what, repaired)
