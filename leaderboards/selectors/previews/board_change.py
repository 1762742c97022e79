"""Preview what saving a board's settings would do, for the form in the admin and for ``apply_boards --dry-run``.

Nothing is written. Counts come from SQL, and are None if it did not count in time. The trap: the running period keeps
the rules that it opened with, so a changed rule takes effect with the next one.
"""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

from django.db.models import QuerySet

from leaderboards.core.periods import PeriodKind, next_opening, window_open_at
from leaderboards.core.ranking.board_settings import IMMUTABLE_SETTINGS, NEXT_PERIOD_SETTINGS, SCHEDULE_SETTINGS
from leaderboards.core.schedule_changes import past_schedules
from leaderboards.models import WITHOUT_SUBMISSIONS, Board, Period, PeriodState, Standing, Storage, Submission
from leaderboards.stores.sql.reads import run_with_timeout

PATIENCE_MS = 300  # for each count
RANKING = frozenset({"order", "update", "ties", "tie_break", "criteria"})  # settings that change ranks


class Begins(StrEnum):
    """When a changed setting takes effect."""

    AT_ONCE = "at_once"
    NEXT_PERIOD = "next_period"
    NEXT_COMPETITION = "next_competition"


@dataclass(frozen=True, slots=True)
class Change:
    """A changed setting: its old value (None for a new board), its new value, and when it takes effect."""

    setting: str
    old: Any
    new: Any
    begins: Begins


@dataclass(frozen=True, slots=True)
class BoardChange:
    """The effects of saving ``board``.

    ``is_new``: whether saving makes the board; it may have a number already that a file chose.
    ``next_at``: the start of the next period, None without one.
    ``players``: how many are ranked in the running period, if the next one ranks by other rules; else 0.
    ``submissions``: how many are deleted sooner (on all-time boards, compacted into one for each player).
    ``periods``: how many lose their keys in Redis sooner. Neither can be undone.
    ``fixed``: the settings that cannot be changed any more after saving.
    """

    board: Board
    changes: tuple[Change, ...]
    next_at: datetime | None = None
    players: int | None = 0
    submissions: int | None = 0
    periods: int | None = 0
    fixed: tuple[str, ...] = ()
    is_new: bool = False

    def change_of(self, setting: str) -> Change | None:
        """Return the change of one setting, if it changes."""
        return next((each for each in self.changes if each.setting == setting), None)


def board_change(board: Board, settings: tuple[str, ...], at: datetime) -> BoardChange:
    """Preview saving the validated, unsaved ``board`` at ``at``; only ``settings`` are compared."""
    stored = Board.objects.filter(pk=board.pk).first() if board.pk else None
    changes = tuple(_changes(stored, board, settings))
    has_periods = stored is not None and stored.periods.exists()
    fixed = () if has_periods or board.is_event else tuple(name for name in IMMUTABLE_SETTINGS if name in settings)
    if stored is None:
        return BoardChange(board, changes, fixed=fixed, is_new=True)
    changed = {each.setting for each in changes}
    return BoardChange(
        board,
        changes,
        next_at=_next_start(stored, board, at),
        players=_players(stored, at) if changed & RANKING else 0,
        submissions=_submissions_deleted(stored, board, at),
        periods=_periods_leaving_redis(stored, board, at),
        fixed=fixed,
    )


def _next_start(stored: Board, board: Board, at: datetime) -> datetime | None:
    """Return when the next period starts, by the changed schedule if there is one."""
    if stored.period != PeriodKind.SCHEDULE:
        return next_opening(stored.calendar, at)
    changed = copy(board)
    changed.past_schedules = past_schedules(board, stored, at)
    return next_opening(changed.calendar, at)


def _changes(stored: Board | None, board: Board, settings: tuple[str, ...]) -> Iterator[Change]:
    for name in settings:
        old, new = getattr(stored, name) if stored else None, getattr(board, name)
        if stored is None or not _is_same(name, old, new):
            yield Change(name, old, new, _begins(stored, name))


def _is_same(setting: str, old: Any, new: Any) -> bool:
    """Whether the values mean the same; the order of operators means nothing."""
    return set(old) == set(new) if setting == "operators" else bool(old == new)


def _begins(stored: Board | None, setting: str) -> Begins:
    waits = setting in (*NEXT_PERIOD_SETTINGS, *SCHEDULE_SETTINGS)
    if stored is None or not waits or not stored.periods.exists():
        return Begins.AT_ONCE
    return Begins.NEXT_COMPETITION if stored.is_event else Begins.NEXT_PERIOD


def _players(board: Board, at: datetime) -> int | None:
    """Count the players ranked in the running period."""
    if board.is_event:
        return 0
    window = window_open_at(board.calendar, at)
    running = Period.objects.filter(board=board, label=window.label if window else "")
    return _count(Standing.objects.filter(period__in=running, score__isnull=False))


def _submissions_deleted(stored: Board, board: Board, at: datetime) -> int | None:
    """Count the submissions that the old retention keeps and the new one does not."""
    if stored.storage in WITHOUT_SUBMISSIONS or board.keep_submissions_days >= stored.keep_submissions_days:
        return 0
    old, new = (at - timedelta(days=each.keep_submissions_days) for each in (stored, board))
    rows = Submission.objects.filter(period__board=stored)
    if stored.period == PeriodKind.ALL_TIME:
        return _count(rows.filter(created_at__gte=old, created_at__lt=new))
    return _count(rows.filter(period__closed_at__gte=old, period__closed_at__lt=new))


def _periods_leaving_redis(stored: Board, board: Board, at: datetime) -> int | None:
    """Count the final periods that the old retention keeps in Redis and the new one does not."""
    if stored.storage == Storage.SQL or board.retention_days >= stored.retention_days:
        return 0
    before = at - timedelta(days=board.retention_days)
    return _count(Period.objects.filter(board=stored, state=PeriodState.FINAL, closed_at__lte=before))


def _count(rows: QuerySet[Any]) -> int | None:
    return run_with_timeout(rows.order_by().count, PATIENCE_MS)


def as_json(change: BoardChange) -> dict[str, Any]:
    """Convert the preview to the output of ``apply_boards --dry-run``: decimals as strings, times for the encoder."""
    return {
        "name": change.board.name,
        "seq": change.board.pk,
        "changes": [
            {
                "setting": each.setting,
                "old": plain_value(each.old),
                "new": plain_value(each.new),
                "begins": each.begins.value,
            }
            for each in change.changes
        ],
        "next_period_at": change.next_at,
        "players_ranked_anew": change.players,
        "submissions_deleted": change.submissions,
        "periods_leaving_redis": change.periods,
        "fixed_from_now_on": list(change.fixed),
    }


def plain_value(value: Any) -> Any:
    """Convert a setting's value for JSON: decimals as strings without trailing zeros."""
    return format(value.normalize(), "f") if isinstance(value, Decimal) else value
