"""Rows of some players of a period, with their ranks on the whole board: those that a viewer names, or of a country.

What it costs is bounded. Named players are asked for in one round trip. Of a country with at most ``MOST_NAMED``
players all are named; of a larger one those among the first ``SEARCHED`` rows are found, and the result says so.
Where SQL answers, its ranks are counted for ``LIST_PATIENCE_MS`` in all; those that it had no time for are None.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from foundation import clock
from foundation.db.resilience import ask
from leaderboards.models import Board, Player
from leaderboards.selectors.catalog.periods import find_period_row, period_info_or_window
from leaderboards.selectors.player_data.names import countries_of
from leaderboards.selectors.rankings.standings import NEIGHBOURS, NO_PLAYERS, Answers, BoardPage, Row, row_of
from leaderboards.selectors.rankings.store_routing import read_in_time
from leaderboards.stores.base import Around, ForPlayers, Page, Query, QueryResult

SEARCHED = 1000
MOST_NAMED = 500


@dataclass(frozen=True, slots=True)
class FilteredPage:
    """All rows that were found, best first, as a page; ``searched`` is how many rows were looked at, None for all.

    The page's total is that of the whole board; 0 if SQL answered, which does not count it here.
    """

    page: BoardPage
    searched: int | None = None


def page_of_players(board: Board, period: str, players: Sequence[str], viewer: str | None) -> FilteredPage:
    """Return those of the players who are ranked, and the viewer with neighbours. Raises ``UnknownPeriod``."""
    return FilteredPage(_read(board, period, ForPlayers(tuple(dict.fromkeys(players))), viewer))


def page_of_country(board: Board, period: str, country: str, viewer: str | None) -> FilteredPage:
    """Return the ranked players of the country (ISO 3166, two capital letters), and the viewer with neighbours.

    Raises ``UnknownPeriod``, and ``SqlAway``: only SQL knows countries.
    """
    compatriots = Player.objects.filter(country=country).order_by("pk").values_list("external_id", flat=True)
    ids = ask(lambda: list(compatriots[: MOST_NAMED + 1]))
    if len(ids) <= MOST_NAMED:
        return page_of_players(board, period, ids, viewer)
    found = _read(board, period, Page(0, SEARCHED), viewer)
    countries = ask(lambda: _countries([row.player for row in found.standings.rows]))
    rows = [row for row in found.standings.rows if countries.get(row.player) == country]
    looked_at = len(found.standings.rows)
    page = replace(found, standings=replace(found.standings, rows=rows))
    return FilteredPage(page, looked_at if looked_at == SEARCHED else None)


def places_among(rows: Sequence[Row]) -> dict[str, int]:
    """Return the place of each player among these rows, best first; who shares a rank of the board shares a place."""
    places: dict[str, int] = {}
    for nth, row in enumerate(rows):
        before = rows[nth - 1] if nth else None
        is_level = before is not None and row.rank is not None and before.rank == row.rank
        places[row.player] = places[before.player] if before is not None and is_level else nth + 1
    return places


def _read(board: Board, name: str, wanted: Query, viewer: str | None) -> BoardPage:
    as_of = clock.now()
    stored = find_period_row(board, name, as_of)
    shown = period_info_or_window(board, name, stored, as_of)
    # The viewer is asked for first: while SQL answers, those after them may be left without a rank.
    questions: list[Query] = [Around(viewer, NEIGHBOURS) if viewer else NO_PLAYERS, wanted]
    result = (QueryResult(0, [[], []]), True) if stored is None else read_in_time(stored, questions)
    answers = Answers(board, stored, shown, result, as_of)
    near = answers.standings(0).rows if viewer else []
    return BoardPage(answers.standings(1, in_order=True), row_of(viewer, near), near, stored)


def _countries(players: Sequence[str]) -> dict[str, str]:
    known = countries_of(players)
    missing = [player for player in players if player not in known]
    rows = Player.objects.filter(external_id__in=missing).exclude(country="").values_list("external_id", "country")
    return {**known, **dict(rows)} if missing else known
