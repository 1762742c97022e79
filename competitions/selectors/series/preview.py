"""Preview who would lead a series if it were changed, from results and final rankings. Nothing is written."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from heapq import nsmallest

from competitions.core.series import Scoring
from competitions.models import Competition, Series, SeriesResult
from competitions.selectors.series.series import is_countable, published_places
from leaderboards import selectors
from leaderboards.models import Player
from leaderboards.selectors.catalog.periods import find_period_row
from leaderboards.selectors.visibility.restrictions import visible_q

LEADERS = 10


@dataclass(frozen=True, slots=True)
class SeriesPlan:
    """The intended scoring of a series, and its competitions in order."""

    scoring: Scoring
    competitions: tuple[Competition, ...]


@dataclass(frozen=True, slots=True)
class Leader:
    """A leading player, with rank and total."""

    rank: int | None
    player: str
    points: int


def leaders_now(series: Series) -> list[Leader]:
    """Return the leaders of the present standings."""
    rows = selectors.standings(series.board, limit=LEADERS).rows
    return [Leader(row.rank, row.player, int(row.points or 0)) for row in rows]


def leaders(series: Series, plan: SeriesPlan, at: datetime) -> list[Leader]:
    """Return the leaders by the plan, with every competition that can be counted at ``at``."""
    points: dict[int, list[int]] = defaultdict(list)
    for competition in plan.competitions:
        for player, place in _places(series, competition, at):
            points[player].append(plan.scoring.points_of(place))
    totals = {player: plan.scoring.total(several) for player, several in points.items()}
    period = find_period_row(series.board, "current", at)
    visible = visible_q(series.board_id, "", period.pk if period else None)
    hidden = set(Player.objects.filter(~visible).values_list("pk", flat=True))
    first = nsmallest(LEADERS, ((-total, player) for player, total in totals.items() if player not in hidden))
    names = dict(Player.objects.filter(pk__in=[player for _, player in first]).values_list("pk", "external_id"))
    best_first = [(-negative, names[player]) for negative, player in first]
    ranks = {total: nth for nth, (total, _) in reversed(list(enumerate(best_first, start=1)))}
    return [Leader(ranks[total], player, total) for total, player in sorted(best_first, key=lambda row: -row[0])]


def _places(series: Series, competition: Competition, at: datetime) -> list[tuple[int, int]]:
    """Return players and places: as counted, else from the published result; empty if it cannot be counted."""
    counted = SeriesResult.objects.filter(series=series, competition=competition).values_list("player", "place")
    return list(counted) or (list(published_places(competition)) if is_countable(competition, at) else [])
