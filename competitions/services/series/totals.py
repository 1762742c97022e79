"""Write the totals of a series to its board, some hundred in each transaction, together with the total rows.

The board is decided by SQL, so a total, its submission and its standing are written atomically. A player without
results is removed from the board. The trap: the board keeps the latest submission by time, so each write must use a
later time than the one before, even in a process whose clock is behind.
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
from foundation.messages import Message
from foundation.worker.each import for_each
from leaderboards.core.input.entries import Entry
from leaderboards.core.submissions import Caller, Status
from leaderboards.errors import Banned, NotRanked, StorageUnavailable, UnknownPeriod
from leaderboards.selectors import find_period_row
from leaderboards.services.moderation.remove import remove_from_period
from leaderboards.services.submit.pipeline import submit

CHUNK = 500
SERVICE = "series"
RESTS_SECONDS = 10  # the longest time between two statements: adding up a chunk on a busy machine


def write_due_totals(at: datetime, until: float) -> int:
    """Write due totals until ``until`` (monotonic seconds), with an equal share of time and at least one chunk for each
    series; returns how many were written."""
    waiting = list(Series.objects.filter(board__retired_at=None, pk__in=totals_due().values("series")).order_by("pk"))
    if not waiting:
        return 0
    share = max(0.0, until - clock.monotonic()) / len(waiting)
    return sum(for_each(waiting, lambda series: _write_series(series, at, share)))


def _write_series(series: Series, at: datetime, seconds: float) -> int:
    until, total = clock.monotonic() + seconds, 0
    while written := _write_chunk(series.pk, at):
        total += written
        if written < CHUNK or clock.monotonic() >= until:
            break
    return total


@transaction.atomic
def _write_chunk(number: int, at: datetime) -> int:
    """Write a chunk of due totals; returns how many were due. Raises ``StorageUnavailable``."""
    allow_idle_in_transaction(RESTS_SECONDS)
    series = Series.objects.select_for_update(of=("self",), no_key=True).select_related("board").get(pk=number)
    due = list(totals_due().filter(series=series).select_related("player").order_by("pk")[:CHUNK])
    results = _mark_counted(series, due)
    moment = max([at, *(total.put_at for total in due if total.put_at)])
    changed, removed, unchanged = [], [], []
    for total in due:
        points = _total_points(series.scoring, results.get(total.player_id, ()))
        if points == total.points:
            unchanged.append(total)
        elif points is None:
            removed.append(total)
        else:
            changed.append(total)
        total.points = points
    failpoint("series.before_put")
    accepted = _submit_totals(series, changed, moment)
    for total in removed:
        _remove_from_board(series, total, moment)
    _save_totals([*unchanged, *removed, *accepted], {*(each.pk for each in (*removed, *accepted))}, moment)
    failpoint("series.after_put")
    return len(due)


def _mark_counted(series: Series, due: Sequence[SeriesTotal]) -> Mapping[int, list[SeriesResult]]:
    """Return the results by player, in the order of the competitions, and store which of them count."""
    rows: QuerySet[SeriesResult] = SeriesResult.objects.filter(
        series=series, player__in=[total.player_id for total in due]
    )
    by_player: dict[int, list[SeriesResult]] = {}
    for row in rows.order_by("competition__series_event__position", "competition"):
        by_player.setdefault(row.player_id, []).append(row)
    to_update: dict[bool, list[int]] = {True: [], False: []}
    for results in by_player.values():
        for row, counted in zip(results, series.scoring.counted([each.points for each in results]), strict=True):
            if row.counted is not counted:
                to_update[counted].append(row.pk)
    for counted, numbers in to_update.items():
        if numbers:
            SeriesResult.objects.filter(pk__in=numbers).update(counted=counted)
    return by_player


def _total_points(scoring: Scoring, results: Sequence[SeriesResult]) -> int | None:
    """Return the total of the results; None without any."""
    return scoring.total([each.points for each in results]) if results else None


def _submit_totals(series: Series, totals: Sequence[SeriesTotal], at: datetime) -> list[SeriesTotal]:
    """Submit totals to the board; returns those that it has now. Totals of banned players stay due.

    Raises ``StorageUnavailable`` or ``Conflict``.
    """
    entries = [
        Entry(
            nth, series.board_id, None, each.player.external_id, each.points, None, None, _submission_id(series, each)
        )
        for nth, each in enumerate(totals)
    ]
    accepted = []
    for total, outcome in zip(totals, submit(entries, Caller(SERVICE, may_write_reserved=True), at), strict=True):
        if outcome.status in (Status.UPDATED, Status.UNCHANGED):
            accepted.append(total)
        elif outcome.code == StorageUnavailable.code:
            raise StorageUnavailable(outcome.detail or "")
        elif outcome.code != Banned.code:
            raise Conflict(
                Message(
                    "Board %(board)s refuses a total of series %(series)s: %(reason)s",
                    board=series.board_id,
                    series=series.pk,
                    reason=outcome.detail or outcome.status,
                )
            )
    return accepted


def _remove_from_board(series: Series, total: SeriesTotal, at: datetime) -> None:
    period = find_period_row(series.board, "current", at)
    if period is None:
        raise UnknownPeriod(
            Message("Board %(board)s has no period yet: the worker opens one within a minute.", board=series.board_id)
        )
    with suppress(NotRanked):
        remove_from_period(period, total.player.external_id, at)


def _save_totals(totals: Sequence[SeriesTotal], written: set[int], at: datetime) -> None:
    """Save totals that match the board. ``written`` are the numbers of those that were written to it."""
    for total in totals:
        total.due = False
        if total.pk in written:
            total.puts, total.put_at = total.puts + 1, at
    SeriesTotal.objects.bulk_create(  # an upsert of existing rows, ten times as fast as ``bulk_update``
        totals,
        update_conflicts=True,
        unique_fields=["series", "player"],
        update_fields=["points", "due", "puts", "put_at"],
    )


def _submission_id(series: Series, total: SeriesTotal) -> str:
    return f"series-{series.pk}-{total.puts + 1}-{total.player.external_id}"
