"""Series: the list, their competitions, and their standings with the points of each competition.

A series on a private board is only for keys. Competitions that the caller may not read are left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja import Router

from competitions.api.parameters import SERIES
from competitions.api.schemas.series import SeriesListed, SeriesShown, StandingsOfSeries
from competitions.models import Series, SeriesEvent
from competitions.selectors.series import series as selectors
from competitions.selectors.series.series import SeriesRow
from foundation import clock
from foundation.http.encoding import Volatile, when
from leaderboards.api.http.access import OptionalKey, admit_reader, may_list
from leaderboards.api.http.downloads import CSV, Download
from leaderboards.api.http.paging import PAGE, PageAsked, refuse_too_many_rows
from leaderboards.api.http.parameters import LISTED, OFFSET, RAW, Bounded, WholeNumber
from leaderboards.api.http.responses import etag_response
from leaderboards.selectors import CURRENT, Row, export_rows
from leaderboards.selectors.exports.standings_csv import MoreColumns, csv_parts
from leaderboards.selectors.rankings.row_json import row_json

router = Router(tags=["series"], auth=OptionalKey())


@router.get("/series", response=SeriesListed)
def list_series(request: HttpRequest, offset: Bounded = OFFSET, limit: Bounded = LISTED) -> HttpResponse:
    """Series that the caller may read, the youngest first."""
    refuse_too_many_rows(request, limit)
    found = [each for each in selectors.series_known() if may_list(request, each.board)]
    page = found[offset : offset + limit]
    events = selectors.events_of(page)
    rows = [_summary_json(each, _readable_events(request, events.get(each.pk, []))) for each in page]
    return etag_response(request, {"total": len(found), "rows": rows}, private=any(map(selectors.is_private, found)))


@router.get("/series/{series}", response=SeriesShown)
def read_series(request: HttpRequest, series: WholeNumber = SERIES) -> HttpResponse:
    """One series with its competitions."""
    found = _series_to_read(request, series)
    events, at = _events(request, found), clock.now()
    content = {
        **_summary_json(found, events),
        "description": found.description,
        "table": found.table,
        "taking_part": found.taking_part,
        "best": found.best,
        "competitions": [
            {
                "competition": event.competition_id,
                "name": event.competition.name,
                "state": event.competition.phase(at),
                "starts_at": when(event.competition.starts_at),
                "ends_at": when(event.competition.ends_at),
                "counted": event.revision_counted is not None,
            }
            for event in events
        ],
    }
    return etag_response(request, content, selectors.is_private(found))


@router.get("/series/{series}/standings", response=StandingsOfSeries)
def read_series_standings(request: HttpRequest, series: WholeNumber = SERIES, page: PageAsked = PAGE) -> HttpResponse:
    """A page of the totals, best first, with what each player earned in each competition."""
    paging = page.of(request, f"s{series}")
    found = _series_to_read(request, series)
    order = [event.competition_id for event in _events(request, found)]
    totals = selectors.standings(found, order, paging.page)
    content = {
        "series": found.pk,
        "board": found.board_id,
        "total": totals.standings.total,
        "counting": totals.counting,
        "as_of": Volatile(when(totals.standings.as_of)),
        "live": totals.standings.live,
        "rows": [_row_json(row, order) for row in totals.rows],
        **paging.cursors(totals.standings.ends),
    }
    return etag_response(request, content, selectors.is_private(found))


@router.get("/series/{series}/standings.csv")
def export_series(request: HttpRequest, series: WholeNumber = SERIES, raw: bool = RAW) -> HttpResponseBase:
    """All totals as CSV, as of a board; behind them the place in each competition, what it earned, and whether that
    counts. The header ``Counting`` is as ``counting`` in JSON."""
    found = _series_to_read(request, series)
    order = [event.competition_id for event in _events(request, found)]
    names = [f"{column}_{number}" for number in order for column in ("place", "points", "counts")]

    def texts(rows: Sequence[Row]) -> list[list[str]]:
        return [_result_cells(each, order) for each in selectors.with_results(found, rows, order)]

    def read() -> tuple[datetime, Iterator[bytes]]:
        as_of, rows = export_rows(found.board, CURRENT)
        untimed = (replace(row, achieved_at=None) for row in rows)  # the time at which the total was written
        return as_of, csv_parts((), untimed, raw, MoreColumns(names, texts))

    # Checked before and after the totals are read: results that are counted in between may be in a part of the file.
    counting = selectors.is_counting(found)
    response = Download(f"series-{found.pk}.csv", CSV, selectors.is_private(found), read).open()
    response["Counting"] = "true" if counting or selectors.is_counting(found) else "false"
    return response


def _series_to_read(request: HttpRequest, number: int) -> Series:
    """Return the series. Raises ``UnknownSeries``, and for a private one ``Unauthenticated`` or ``Forbidden``."""
    series = selectors.series_by_id(number)
    admit_reader(request, series.board)
    return series


def _events(request: HttpRequest, series: Series) -> list[SeriesEvent]:
    return _readable_events(request, selectors.events_of([series]).get(series.pk, []))


def _readable_events(request: HttpRequest, events: Sequence[SeriesEvent]) -> list[SeriesEvent]:
    return [event for event in events if may_list(request, event.competition.board)]


def _summary_json(series: Series, events: Sequence[SeriesEvent]) -> dict[str, Any]:
    return {
        "id": series.pk,
        "name": series.name,
        "board": series.board_id,
        "events": len(events),
        "counted": sum(event.revision_counted is not None for event in events),
    }


def _result_cells(row: SeriesRow, order: Sequence[int]) -> list[str]:
    """Return place, points and whether they count (`true`, `false`) for each competition; empty without a result."""
    results = [row.results.get(number) for number in order]
    cells = [
        ("", "", "") if each is None else (str(each.place), str(each.points), str(each.counted).lower())
        for each in results
    ]
    return [cell for triple in cells for cell in triple]


def _row_json(row: SeriesRow, order: Sequence[int]) -> dict[str, Any]:
    """Return a row without ``achieved_at``, which is only the time at which the total was written."""
    results = [row.results[number] for number in order if number in row.results]
    content = {name: value for name, value in row_json(row.row).items() if name != "achieved_at"}
    return content | {
        "results": [
            {"competition": each.competition_id, "place": each.place, "points": each.points, "counts": each.counted}
            for each in results
        ]
    }
