"""Where players stood before: at the last look at a running period, else at the end of the period before it.

Looks keep the best alone (``services/periods/rank_history.py``), so of others nothing is known, and nothing is told.
The trap: events are left out, since their ranks are shown by competitions, which may hide them.
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


@dataclass(frozen=True, slots=True)
class Movement:
    """Ranks of before, by player. ``since`` is when that was, None for the end of the period before.

    ``is_whole`` if those who are not among them were not ranked then; else nobody knows where they stood.
    """

    since: datetime | None
    ranks: dict[str, int]
    is_whole: bool


@dataclass(frozen=True, slots=True)
class RankAtTime:
    """A player's place at a moment, with what they had."""

    at: datetime
    rank: int
    points: int | Decimal | None
    fields: dict[str, int] | None


def movement(board: Board, period: PeriodInfo, players: Collection[str]) -> Movement:
    """Where ``players`` stood before. One statement once the period was looked at, two until then."""
    if period.state == PeriodState.OPEN and players and not board.is_event:
        with suppress(SqlAway):
            found = ask(lambda: _since_the_last_look(board, period.label, players))
            if found is not None:
                return found
    ranks = ranks_before(board, period.starts_at, players)
    return Movement(None, ranks, is_whole=bool(ranks))


def _since_the_last_look(board: Board, label: str, players: Collection[str]) -> Movement | None:
    looks = PeriodSnapshot.objects.filter(period__board=board, period__label=label, total__gt=0)
    last = looks.order_by("-due_at").values("pk")[:1]
    nobody = Value("", output_field=CharField())
    look = PeriodSnapshot.objects.filter(pk=last).values_list(nobody, "total", "taken_at", "is_whole")
    ranks = RankHistoryEntry.objects.filter(snapshot=last, player__external_id__in=players)
    rows = ranks.values_list("player__external_id", "rank", "snapshot__taken_at", "snapshot__is_whole")
    found = {player: (number, taken_at, is_whole) for player, number, taken_at, is_whole in look.union(rows, all=True)}
    if not found:
        return None
    _, taken_at, is_whole = found.pop("")
    return Movement(taken_at, {player: number for player, (number, _, _) in found.items()}, is_whole)


def rank_history(player: str, periods: Sequence[tuple[Board, str, Rules]]) -> dict[int, list[RankAtTime]]:
    """A player's kept ranks in these periods (board, label, rules), by board, the earliest first; one statement."""
    asked = Q()
    for board, label, _ in periods:
        asked |= Q(snapshot__period__board=board, snapshot__period__label=label)
    kept = RankHistoryEntry.objects.filter(asked, player__external_id=player).order_by("snapshot__taken_at")
    rows = kept.values_list("snapshot__period__board", "snapshot__taken_at", "rank", "points", "fields")
    rules_of = {board.seq: rules for board, _, rules in periods}
    found: dict[int, list[RankAtTime]] = {board.seq: [] for board, _, _ in periods}
    with suppress(SqlAway):
        for seq, at, rank, points, fields in ask(lambda: list(rows)) if periods else []:
            value = tuple(fields) if fields is not None else (points,)
            found[seq].append(RankAtTime(at, rank, *rules_of[seq].shown(value)))
    return found
