"""Create and change series. A series has its own board: all time, decided by SQL, equal totals share a rank.

Changes of the points only mark all results to be counted again; the schedule counts them.
"""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from competitions.core.series import MOST_EVENTS
from competitions.errors import BadSeries, SeriesHasResults
from competitions.models import Competition, Series, SeriesEvent, SeriesResult, SeriesTotal
from competitions.services.series.count_results import lock_series
from foundation.messages import Message
from leaderboards.choices import Storage, Visibility
from leaderboards.core.periods import PeriodKind
from leaderboards.core.ranking.rules import Order, Ties, Update
from leaderboards.models import Board
from leaderboards.selectors.catalog.reserved import clear_reserved_cache
from leaderboards.services.boards import retire, save_board
from leaderboards.services.periods.open import open_board

_BOARD_SETTINGS = {
    "period": PeriodKind.ALL_TIME.value,
    "timezone": "UTC",
    "order": Order.DESC.value,
    "update": Update.LATEST.value,
    "ties": Ties.SHARED.value,
    "storage": Storage.SQL,
}


@transaction.atomic
def make(series: Series, visibility: str, at: datetime) -> Series:
    """Save a new series and create its board. Raises ``BadBoard`` if a board has this name already."""
    series.board = Board(name=series.name, visibility=visibility, **_BOARD_SETTINGS)
    save_board(series.board)
    series.save()
    open_board(series.board, at)
    transaction.on_commit(clear_reserved_cache)
    return series


@transaction.atomic
def change(series: Series, visibility: str) -> Series:
    """Save a changed series and its board; if the points changed, everything is counted again.

    Raises ``BadBoard`` if a board has the new name already.
    """
    before = lock_series(series.pk)
    if (before.board.name, before.board.visibility) != (series.name, visibility):
        before.board.name, before.board.visibility = series.name, visibility
        save_board(before.board)
    series.save()
    if before.scoring != series.scoring:
        count_again(series)
    return series


@transaction.atomic
def count_again(series: Series) -> None:
    """Mark all competitions and totals of a series to be counted again, from the published results."""
    lock_series(series.pk)
    series.events.update(revision_counted=None)
    series.totals.update(due=True)


@transaction.atomic
def put_in(event: SeriesEvent) -> None:
    """Save a competition of a series: a new one, another position, or another competition in its place.

    Of an existing row only the form's fields are written, not what was counted meanwhile.
    """
    series = lock_series(event.series_id)
    before = SeriesEvent.objects.filter(pk=event.pk).first() if event.pk else None
    if before is None:
        event.save()
    elif before.competition_id == event.competition_id:
        event.save(update_fields=["position"])
    else:
        _delete_results(series, before)
        event.revision_counted = None
        event.save(update_fields=["position", "competition", "revision_counted"])
    series.totals.update(due=True)


@transaction.atomic
def remove_event(event: SeriesEvent) -> None:
    """Remove a competition from its series, with its results; the totals are marked as due."""
    series = lock_series(event.series_id)
    _delete_results(series, event)
    event.delete()


def _delete_results(series: Series, event: SeriesEvent) -> None:
    results = SeriesResult.objects.filter(series=series, competition=event.competition_id)
    SeriesTotal.objects.filter(series=series, player__in=results.values("player")).update(due=True)
    results.delete()


@transaction.atomic
def delete(series: Series, at: datetime) -> None:
    """Delete a series without counted results, and retire its board. Raises ``SeriesHasResults``."""
    present = lock_series(series.pk)
    if present.results.exists() or present.totals.exists():
        raise SeriesHasResults(Message("This series has counted results: it stays. Retire its board to end it."))
    present.delete()
    retire(present.board, at)
    transaction.on_commit(clear_reserved_cache)


def check_events(visibility: str, competitions: Collection[Competition]) -> None:
    """Raise ``BadSeries`` if a series of this visibility cannot have these competitions."""
    if len(competitions) > MOST_EVENTS:
        raise BadSeries(Message("A series has at most %(most)s competitions.", most=MOST_EVENTS))
    for competition in competitions:
        if visibility == Visibility.PUBLIC and competition.board.visibility == Visibility.PRIVATE:
            raise BadSeries(
                Message(
                    "“%(competition)s” is private, and the totals tell of it: leave it out, or make the series "
                    "private.",
                    competition=competition.name,
                )
            )
