"""Reading series: which there are, what they have counted, and their standings with the points of each competition.

The trap: a competition may be private while its series is not, or hidden by a freeze. Nothing is counted of what is
hidden; what is private is left out by the caller, who alone knows the visitor (``shown``).
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from competitions.errors import UnknownSeries
from competitions.models import Competition, Series, SeriesEvent, SeriesResult, SeriesTotal, VacatedPlaces
from competitions.selectors.competitions import LARGEST_NUMBER
from competitions.selectors.results.revisions import latest_revision
from leaderboards import selectors
from leaderboards.choices import Visibility
from leaderboards.errors import NotRanked
from leaderboards.models import PeriodState
from leaderboards.selectors import Row, Standings
from leaderboards.selectors.catalog.periods import period_by_label
from leaderboards.selectors.exports.period_rows import standard_places
from leaderboards.selectors.visibility.hidden import hidden_now
from leaderboards.selectors.visibility.restrictions import banned_from


@dataclass(frozen=True, slots=True)
class SeriesRow:
    """A player in the standings, with the result of each competition (by its number); ``row.points`` is the total."""

    row: Row
    results: Mapping[int, SeriesResult]


@dataclass(frozen=True, slots=True)
class SeriesStandings:
    """A page of the standings; ``counting`` says that results came in which the totals do not have yet."""

    standings: Standings
    rows: list[SeriesRow]
    counting: bool


def is_countable(competition: Competition, at: datetime) -> bool:
    """Whether its result is final, and everybody may know it."""
    is_over = competition.final_at is not None and competition.cancelled_at is None
    return is_over and not competition.is_hidden(at)


def published_places(competition: Competition) -> Iterator[tuple[int, int]]:
    """The player (internal number) and the place of everybody in the result as it is published, best first; as it is
    shown where it never was.

    A place is one more than the number of better players, whatever the board calls ranks: 1 1 1 4.
    """
    period = period_by_label(competition.board, competition.label)
    if period is None or period.state not in (PeriodState.FINAL, PeriodState.EXPIRED):
        return
    last = latest_revision(competition)
    excluded_players = hidden_now(period) if last is None else last.excluded_players
    yield from standard_places(period, excluded_players, competition.vacated_places == VacatedPlaces.STAY_EMPTY)


def totals_due() -> QuerySet[SeriesTotal]:
    """The totals that boards do not have yet; those of the banned wait until they are let in again."""
    return SeriesTotal.objects.filter(~banned_from("series__board"), due=True)


def series_of_boards(boards: Collection[int]) -> dict[int, str]:
    """The boards of these numbers on which totals stand, each with what to call its series."""
    rows = Series.objects.filter(board__in=boards).values_list("board", "pk")
    return {board: f"series {number}" for board, number in rows}


def series_by_id(number: int) -> Series:
    """The series of this number. Raises ``UnknownSeries``."""
    found = Series.objects.select_related("board").filter(pk=number).first() if 0 < number <= LARGEST_NUMBER else None
    if found is None:
        raise UnknownSeries(f"There is no series {number}.")
    return found


def series_known() -> list[Series]:
    """All series, the youngest first; those of private boards too."""
    return list(Series.objects.select_related("board"))


def is_private(series: Series) -> bool:
    """Whether only those who are in it, and keys, may know of it."""
    return series.board.visibility == Visibility.PRIVATE


def events_of(several: Collection[Series]) -> dict[int, list[SeriesEvent]]:
    """The published competitions of each series, by its number and in their order; private ones too."""
    rows = SeriesEvent.objects.filter(series__in=several).exclude(competition__published_at=None)
    found: dict[int, list[SeriesEvent]] = defaultdict(list)
    for event in rows.select_related("competition__board").defer("competition__picture"):
        found[event.series_id].append(event)
    return found


def series_of(competition: Competition) -> Series | None:
    """The series that the competition is in."""
    return Series.objects.filter(events__competition=competition).select_related("board").first()


def series_entered(user: int, several: Collection[Series]) -> set[int]:
    """The series of these in which the player of a user takes part in a competition, disqualified or not."""
    rows = SeriesEvent.objects.filter(
        series__in=several, competition__participants__player__user=user, competition__participants__left_at=None
    )
    return set(rows.values_list("series_id", flat=True))


def is_counting(series: Series) -> bool:
    """Whether results came in which the totals do not have yet."""
    return totals_due().filter(series=series).exists()


def standings(series: Series, shown: Collection[int], offset: int = 0, limit: int = 10) -> SeriesStandings:
    """A page of the standings, with points of the ``shown`` competitions (by number) alone."""
    found = selectors.standings(series.board, offset=offset, limit=limit)
    counting = is_counting(series)
    return SeriesStandings(found, with_results(series, found.rows, shown), counting)


def own_row(series: Series, player: str, shown: Collection[int]) -> SeriesRow | None:
    """The row of one player (by the game's id); None without a total."""
    try:
        found = selectors.player_row(series.board, player)
    except NotRanked:
        return None
    return with_results(series, [found.row], shown)[0]


def with_results(series: Series, rows: Collection[Row], shown: Collection[int]) -> list[SeriesRow]:
    """Rows of the board, in their order, with the results of the ``shown`` competitions (by number)."""
    names = [row.player for row in rows]
    results = SeriesResult.objects.filter(series=series, competition__in=shown, player__external_id__in=names)
    by_player: dict[str, dict[int, SeriesResult]] = defaultdict(dict)
    for each in results.select_related("player"):
        by_player[each.player.external_id][each.competition_id] = each
    return [SeriesRow(row, by_player.get(row.player, {})) for row in rows]
