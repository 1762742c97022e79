"""The demo's series: points by place over its finals and tournaments. Creates what is missing."""

from datetime import datetime

from competitions.models import Competition, Series, SeriesEvent
from competitions.services.series.settings import make, put_in
from leaderboards.choices import Visibility
from leaderboards.models import Board

NAME = "League season"
DESCRIPTION = "Points by place in every final and tournament. The best three results of each player count."
TABLE = [25, 18, 15, 12, 10, 8, 6, 4, 2, 1]


def make_series(board: Board, names: tuple[str, ...], at: datetime) -> None:
    """Put the published competitions of these names on ``board`` into the series, the earliest first.

    Raises ``BadBoard`` if a board of its name exists.
    """
    series = Series.objects.filter(name=NAME).first()
    if series is None:
        series = make(Series(name=NAME, description=DESCRIPTION, table=TABLE, best=3), Visibility.PUBLIC, at)
    new = Competition.objects.filter(board=board, name__in=names, series_event=None).exclude(published_at=None)
    there = series.events.count()
    for position, competition in enumerate(new.defer("picture").order_by("starts_at", "pk"), start=there + 1):
        put_in(SeriesEvent(series=series, competition=competition, position=position))
