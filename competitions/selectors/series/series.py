"""Series: their competitions, their results, and their standings with the points of each competition.

The trap: a competition of a public series may be private, or hidden by a freeze. Hidden results are not counted.
Private competitions are filtered by the caller, who knows the visitor (parameter ``shown``).
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
from foundation.messages import Message
from foundation.users import UserKey
from leaderboards import selectors
from leaderboards.choices import OVER_STATES, Visibility
from leaderboards.errors import NotRanked
from leaderboards.selectors import Row, Standings
from leaderboards.selectors.catalog.periods import period_by_label
from leaderboards.selectors.exports.period_rows import standard_places
from leaderboards.selectors.rankings.cursor_pages import CursorPage
from leaderboards.selectors.rankings.standings import standings_page
from leaderboards.selectors.visibility.hidden import hidden_now
from leaderboards.selectors.visibility.restrictions import banned_from
from leaderboards.stores.base import Page


@dataclass(frozen=True, slots=True)
class SeriesRow:
    """A row of the standings, with the results by competition number; ``row.points`` is the total."""

    row: Row
    results: Mapping[int, SeriesResult]


@dataclass(frozen=True, slots=True)
class SeriesStandings:
    """A page of the standings; ``counting`` means that the totals do not include all results yet."""

    standings: Standings
    rows: list[SeriesRow]
    counting: bool


def is_countable(competition: Competition, at: datetime) -> bool:
    """Whether its result is final and public."""
    is_over = competition.final_at is not None and competition.cancelled_at is None
    return is_over and not competition.is_hidden(at)


def published_places(competition: Competition) -> Iterator[tuple[int, int]]:
    """Yield player (internal number) and place of the published result, best first; or, without one, of the visible
    ranking.

    A place is one more than the number of better players, whatever the board's tie rule: 1 1 1 4.
    """
    period = period_by_label(competition.board, competition.label)
    if period is None or period.state not in OVER_STATES:
        return
    last = latest_revision(competition)
    excluded_players = hidden_now(period) if last is None else last.excluded_players
    yield from standard_places(period, excluded_players, competition.vacated_places == VacatedPlaces.STAY_EMPTY)


def totals_due() -> QuerySet[SeriesTotal]:
    """Return the totals to write to boards; those of banned players wait until they are unbanned."""
    return SeriesTotal.objects.filter(~banned_from("series__board"), due=True)


def series_of_boards(boards: Collection[int]) -> dict[int, str]:
    """Return board number → a label of the series that owns it, for those of the boards that belong to a series."""
    rows = Series.objects.filter(board__in=boards).values_list("board", "pk")
    return {board: f"series {number}" for board, number in rows}


def series_by_id(number: int) -> Series:
    """Return the series of this number. Raises ``UnknownSeries``."""
    rows = Series.objects.select_related("board")
    series = rows.filter(pk=number).first() if 0 < number <= LARGEST_NUMBER else None
    if series is None:
        raise UnknownSeries(Message("There is no series %(number)s.", number=number))
    return series


def series_known() -> list[Series]:
    """Return all series, newest first, including private ones."""
    return list(Series.objects.select_related("board"))


def is_private(series: Series) -> bool:
    """Whether only its participants, and keys, may see it."""
    return series.board.visibility == Visibility.PRIVATE


def events_of(several: Collection[Series]) -> dict[int, list[SeriesEvent]]:
    """Return series number → its published competitions in order, including private ones."""
    rows = SeriesEvent.objects.filter(series__in=several).exclude(competition__published_at=None)
    by_series: dict[int, list[SeriesEvent]] = defaultdict(list)
    for event in rows.select_related("competition__board").defer("competition__picture"):
        by_series[event.series_id].append(event)
    return by_series


def series_of(competition: Competition) -> Series | None:
    """Return the series of the competition, or None."""
    return Series.objects.filter(events__competition=competition).select_related("board").first()


def series_entered(user: UserKey, several: Collection[Series]) -> set[int]:
    """Return those of the series in which a user's player takes part in a competition, disqualified or not."""
    rows = SeriesEvent.objects.filter(
        series__in=several, competition__participants__player__user=user, competition__participants__left_at=None
    )
    return set(rows.values_list("series_id", flat=True))


def is_counting(series: Series) -> bool:
    """Whether the totals do not include all results yet."""
    return totals_due().filter(series=series).exists()


def standings(series: Series, shown: Collection[int], rows: Page | CursorPage) -> SeriesStandings:
    """Return a page of the standings, with points of only the ``shown`` competitions (numbers).

    Raises ``BadCursor``.
    """
    page = standings_page(series.board, selectors.CURRENT, rows)
    counting = is_counting(series)
    return SeriesStandings(page, with_results(series, page.rows, shown), counting)


def own_row(series: Series, player: str, shown: Collection[int]) -> SeriesRow | None:
    """Return the row of one player (external id); None without a total."""
    try:
        row = selectors.player_row(series.board, player).row
    except NotRanked:
        return None
    return with_results(series, [row], shown)[0]


def with_results(series: Series, rows: Collection[Row], shown: Collection[int]) -> list[SeriesRow]:
    """Return the rows in their order, with the results of the ``shown`` competitions (numbers)."""
    names = [row.player for row in rows]
    results = SeriesResult.objects.filter(series=series, competition__in=shown, player__external_id__in=names)
    by_player: dict[str, dict[int, SeriesResult]] = defaultdict(dict)
    for each in results.select_related("player"):
        by_player[each.player.external_id][each.competition_id] = each
    return [SeriesRow(row, by_player.get(row.player, {})) for row in rows]
