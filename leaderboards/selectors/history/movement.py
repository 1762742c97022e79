"""Earlier ranks of players: from the last snapshot of a running period, else from the end of the period before it.

Snapshots only hold the best players (``services/periods/rank_history.py``); no earlier rank is known for the others.
Event boards are excluded: competitions show their ranks, and may hide them.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import CharField, Q, Value

from foundation.db.resilience import SqlAway, ask
from leaderboards.core.ranking.rules import Rules
from leaderboards.models import Board, PeriodSnapshot, PeriodState, RankHistoryEntry
from leaderboards.selectors.catalog.periods import PeriodInfo
from leaderboards.selectors.history.final_ranks import ranks_before
from leaderboards.selectors.history.shadowed_view import rank_seen, ranks_moved_from, snapshots_seen


@dataclass(frozen=True, slots=True)
class Movement:
    """Earlier ranks by player, as of ``since``; None for the end of the period before.

    ``is_whole`` if players without an entry had no rank then; else their rank is unknown.
    """

    since: datetime | None
    ranks: dict[str, int]
    is_whole: bool


@dataclass(frozen=True, slots=True)
class RankAtTime:
    """A player's rank and value at one moment."""

    at: datetime
    rank: int
    points: int | Decimal | None
    fields: dict[str, int] | None


def movement(board: Board, period: PeriodInfo, players: Collection[str]) -> Movement:
    """Return the earlier ranks of ``players``, with one SQL statement if the period has a snapshot, else with two."""
    if period.state == PeriodState.OPEN and players and not board.is_event:
        with suppress(SqlAway):
            since_snapshot = ask(lambda: _since_last_snapshot(board, period.label, players))
            if since_snapshot is not None:
                return since_snapshot
    ranks = ranks_before(board, period.starts_at, players)
    return Movement(None, ranks, is_whole=bool(ranks))


def _since_last_snapshot(board: Board, label: str, players: Collection[str]) -> Movement | None:
    """Read the snapshot (as a row with an empty player) and the ranks in it with one UNION."""
    snapshots = snapshots_seen().filter(period__board=board, period__label=label)
    last = snapshots.order_by("-due_at").values("pk")[:1]
    no_player = Value("", output_field=CharField())
    snapshot = PeriodSnapshot.objects.filter(pk=last).values_list(no_player, "total", "taken_at", "is_whole")
    ranks = RankHistoryEntry.objects.filter(snapshot=last, player__external_id__in=players)
    rows = ranks.values_list("player__external_id", "rank", "snapshot__taken_at", "snapshot__is_whole")
    by_player = {player: (rank, at, is_whole) for player, rank, at, is_whole in snapshot.union(rows, all=True)}
    if not by_player:
        return None
    _, taken_at, is_whole = by_player.pop("")
    moved_from = next(iter(ranks_moved_from(last).values()), None)
    seen = {player: rank_seen(rank, player, moved_from) for player, (rank, _, _) in by_player.items()}
    return Movement(taken_at, seen, is_whole)


def rank_history(player: str, periods: Sequence[tuple[Board, str, Rules]]) -> dict[int, list[RankAtTime]]:
    """Return a player's rank history in these periods (board, label, rules) by board number, the earliest first.

    One SQL statement; empty while SQL is unavailable.
    """
    in_periods = Q()
    for board, label, _ in periods:
        in_periods |= Q(snapshot__period__board=board, snapshot__period__label=label)
    entries = RankHistoryEntry.objects.filter(in_periods, player__external_id=player).order_by("snapshot__taken_at")
    rows = entries.values_list("snapshot__period__board", "snapshot__taken_at", "rank", "points", "fields")
    rules_of = {board.seq: rules for board, _, rules in periods}
    history: dict[int, list[RankAtTime]] = {board.seq: [] for board, _, _ in periods}
    with suppress(SqlAway):
        for seq, at, rank, points, fields in ask(lambda: list(rows)) if periods else []:
            value = tuple(fields) if fields is not None else (points,)
            history[seq].append(RankAtTime(at, rank, *rules_of[seq].shown(value)))
    return history
