"""Taking histograms of a few players, and asking for percentiles: what tests of histograms begin with."""

from bisect import bisect_left, bisect_right
from datetime import datetime, timedelta

from foundation import clock
from leaderboards import selectors
from leaderboards.core.ranking.histogram import Edge, Histogram, places_of_edges
from leaderboards.models import Board, Period, Player, Standing
from leaderboards.selectors import PlayerPercentile
from leaderboards.selectors.rankings.histograms import clear_histogram_cache
from leaderboards.services.periods.histograms import take_due_histograms
from tests.leaderboards.services.site import NOON, in_sql, period_of

MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
FEW = 5
# Three on 7, two on 0, and a lonely best one.
POINTS = {"ann": 7, "bob": 7, "cleo": 7, "dan": 0, "eve": 0, "finn": 3, "gil": 100, "hana": 12}


def taken(at: datetime = NOON) -> int:
    clear_histogram_cache()
    return take_due_histograms(at, 20)


def told(board: Board, player: str, at: datetime = NOON, *, exact: bool = False) -> PlayerPercentile:
    """What a reader is told at a time."""
    with clock.freeze_at(at):
        return selectors.player_percentile(board, player, exact=exact)


def oracle(period: Period) -> Histogram:
    ordered = sorted(in_sql(period).values())
    edges = {ordered[place] for place in places_of_edges(len(ordered), period.rules.order)}
    below = {score: bisect_left(ordered, score) for score in edges}
    return Histogram.of(
        len(ordered), [Edge(score, below[score], bisect_right(ordered, score) - below[score]) for score in edges]
    )


def filled(board: Board, players: int) -> Period:
    """A board of uneven points, in SQL alone."""
    period = period_of(board)
    names = Player.objects.bulk_create([Player(external_id=f"p{nth}") for nth in range(players)])
    rows = []
    for nth, player in enumerate(names):
        points = nth * nth % 70_001
        packed = period.layout.pack((points,), 0, player.external_id)
        row = Standing(period=period, player=player, points=points, score=packed.score, member=packed.member, at=NOON)
        row.version = 1
        rows.append(row)
    Standing.objects.bulk_create(rows)
    return period
