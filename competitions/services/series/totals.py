"""The totals of a series, written to its board: some hundred at a time, in one transaction with the rows that say so.

The board is decided by SQL, so a total, its submission and its standing are kept together or not at all. A player who
has no result left is taken off the board. The trap: the board keeps the latest submission by its time, so a total that
is written later is sent with a later time, also by a process whose clock is behind.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from competitions.core.series import Scoring
from competitions.models import Series, SeriesResult, SeriesTotal
from competitions.selectors.series.series import totals_due
from foundation import clock
from foundation.db.resilience import allow_idle_in_transaction
from foundation.errors import Conflict
from foundation.failpoints import failpoint
from foundation.worker.each import for_each
from leaderboards.core.input.entries import Entry
from leaderboards.core.submissions import Caller, Status
from leaderboards.errors import Banned, NotRanked, StorageUnavailable, UnknownPeriod
from leaderboards.selectors import find_period_row
from leaderboards.services.moderation.remove import remove_from_period
from leaderboards.services.submit.pipeline import submit

CHUNK = 500
SERVICE = "series"
RESTS_SECONDS = 10  # adding up a chunk, between two statements, on a busy machine


def write_due_totals(at: datetime, until: float) -> int:
    """Write the totals that are due until ``until`` (monotonic seconds), each series in its turn; how many those were.

    Each series has at least one chunk written.
    """
    waiting = list(Series.objects.filter(board__retired_at=None, pk__in=totals_due().values("series")).order_by("pk"))
    if not waiting:
        return 0
    share = max(0.0, until - clock.monotonic()) / len(waiting)
    return sum(for_each(waiting, lambda series: _put(series, at, share)))


def _put(series: Series, at: datetime, seconds: float) -> int:
    until, done = clock.monotonic() + seconds, 0
    while written := _put_some(series.pk, at):
        done += written
        if written < CHUNK or clock.monotonic() >= until:
            break
    return done


@transaction.atomic
def _put_some(number: int, at: datetime) -> int:
    """A chunk of the totals of a series; how many were due. Raises ``StorageUnavailable``; then nothing is kept."""
    allow_idle_in_transaction(RESTS_SECONDS)
    series = Series.objects.select_for_update(of=("self",), no_key=True).select_related("board").get(pk=number)
    due = list(totals_due().filter(series=series).select_related("player").order_by("pk")[:CHUNK])
    results = _results(series, due)
    moment = max([at, *(total.put_at for total in due if total.put_at)])
    moved, gone, same = [], [], []
    for total in due:
        points = _added_up(series.scoring, results.get(total.player_id, ()))
        if points == total.points:
            same.append(total)
        elif points is None:
            gone.append(total)
        else:
            moved.append(total)
        total.points = points
    failpoint("series.before_put")
    kept = _submitted(series, moved, moment)
    for total in gone:
        _taken_off(series, total, moment)
    _settle([*same, *gone, *kept], {*(each.pk for each in (*gone, *kept))}, moment)
    failpoint("series.after_put")
    return len(due)


def _results(series: Series, due: Sequence[SeriesTotal]) -> Mapping[int, list[SeriesResult]]:
    """The results of these players, in the order of the competitions; which of them count is written down."""
    rows: QuerySet[SeriesResult] = SeriesResult.objects.filter(
        series=series, player__in=[total.player_id for total in due]
    )
    found: dict[int, list[SeriesResult]] = {}
    for row in rows.order_by("competition__series_event__position", "competition"):
        found.setdefault(row.player_id, []).append(row)
    counts: dict[bool, list[int]] = {True: [], False: []}
    for several in found.values():
        for row, counted in zip(several, series.scoring.counted([each.points for each in several]), strict=True):
            if row.counted is not counted:
                counts[counted].append(row.pk)
    for counted, numbers in counts.items():
        if numbers:
            SeriesResult.objects.filter(pk__in=numbers).update(counted=counted)
    return found


def _added_up(scoring: Scoring, results: Sequence[SeriesResult]) -> int | None:
    """The total of some results; None without any."""
    return scoring.total([each.points for each in results]) if results else None


def _submitted(series: Series, totals: Sequence[SeriesTotal], at: datetime) -> list[SeriesTotal]:
    """Those that the board has now; who was banned meanwhile waits. Raises ``StorageUnavailable`` or ``Conflict``."""
    entries = [
        Entry(nth, series.board_id, None, total.player.external_id, total.points, None, None, _id(series, total))
        for nth, total in enumerate(totals)
    ]
    kept = []
    for total, outcome in zip(totals, submit(entries, Caller(SERVICE, may_write_reserved=True), at), strict=True):
        if outcome.status in (Status.UPDATED, Status.UNCHANGED):
            kept.append(total)
        elif outcome.code == StorageUnavailable.code:
            raise StorageUnavailable(f"{outcome.detail}")
        elif outcome.code != Banned.code:
            raise Conflict(f"The board of series {series.pk} does not take a total: {outcome.detail or outcome.status}")
    return kept


def _taken_off(series: Series, total: SeriesTotal, at: datetime) -> None:
    period = find_period_row(series.board, "current", at)
    if period is None:
        raise UnknownPeriod(f"Board {series.board_id} has no period yet.")
    with suppress(NotRanked):
        remove_from_period(period, total.player.external_id, at)


def _settle(totals: Sequence[SeriesTotal], written: set[int], at: datetime) -> None:
    """These are as the board has them."""
    for total in totals:
        total.due = False
        if total.pk in written:
            total.puts, total.put_at = total.puts + 1, at
    SeriesTotal.objects.bulk_create(  # they are there: this is an update, and a tenth of the work of ``bulk_update``
        totals,
        update_conflicts=True,
        unique_fields=["series", "player"],
        update_fields=["points", "due", "puts", "put_at"],
    )


def _id(series: Series, total: SeriesTotal) -> str:
    return f"series-{series.pk}-{total.puts + 1}-{total.player.external_id}"
