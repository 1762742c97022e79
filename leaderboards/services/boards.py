"""Making and changing boards: by the admin, by a file, or by "Save as new".

What never changes once a period exists is refused here; what waits for the next period is saved
at once and given to periods that have not begun.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from foundation import clock
from foundation.audit import record
from foundation.audit.rows import differing, sayable
from leaderboards.core.names import refusal_of
from leaderboards.core.periods import PeriodKind, window_at
from leaderboards.core.points import points_text
from leaderboards.core.settings import FIXED, WAITING, sample_layout
from leaderboards.errors import BadBoard
from leaderboards.models import Board, Period
from leaderboards.selectors.boards import forget_boards
from leaderboards.selectors.periods import forget_periods
from leaderboards.services.open import open_board
from leaderboards.services.upcoming import refresh_rules

SETTINGS = (
    *("name", "period", "timezone", "week_start", "cutoff", "order", "update", "ties", "tie_break", "criteria"),
    *("decimals", "minimum", "maximum", "total_maximum", "grace_seconds", "retention_days"),
    *("keep_submissions_days", "storage", "unit", "format", "visibility"),
)


def apply_boards(settings: Sequence[Mapping[str, Any]], at: datetime) -> dict[str, int]:
    """Make or update boards by name, all or none; returns name → seq. Raises ``BadBoard`` naming the board."""
    with transaction.atomic():
        boards = [_apply(each, at) for each in settings]
    for board in boards:
        open_board(board, at)
    return {board.name: board.seq for board in boards}


def _apply(settings: Mapping[str, Any], at: datetime) -> Board:
    name = settings.get("name")
    if not isinstance(name, str) or not name.strip():
        raise BadBoard("Each board needs a name of 1 to 100 characters.", "name")
    unknown = sorted(set(settings) - set(SETTINGS))
    if unknown:
        raise BadBoard(f"{name}: there is no setting {unknown[0]!r}; there are {', '.join(SETTINGS)}.", unknown[0])
    board = Board.objects.select_for_update().filter(name=name, retired_at=None).first() or Board()
    for field, value in settings.items():
        setattr(board, field, value)
    try:
        save_board(board, at)
    except BadBoard as error:
        raise BadBoard(f"{name}: {error.detail}", error.field) from error
    return board


def save_board(board: Board, at: datetime | None = None) -> None:
    """Check and save a new or changed board. Raises ``BadBoard``, or what ``refresh_rules`` raises; then nothing has
    changed. What changed stays in the audit log, as of ``at`` (now).

    The caller opens its periods afterwards (``open_board``), outside the transaction.
    """
    check_board(board)
    with transaction.atomic():
        stored = Board.objects.filter(pk=board.pk).first() if board.pk else None
        board.save()
        _record_change(board, stored, at or clock.now())
        refresh_rules(board)
        _tell_this_process()


def _record_change(board: Board, stored: Board | None, at: datetime) -> None:
    after = settings_of(board)
    if stored is None:
        record("board.made", at=at, subjects=[("board", board.pk)], after=after)
        return
    before = settings_of(stored)
    if changed := differing(before, after):
        was, now = ({name: each[name] for name in changed} for each in (before, after))
        record("board.changed", at=at, subjects=[("board", board.pk)], before=was, after=now)


def settings_of(board: Board) -> dict[str, Any]:
    """All settings of a board as the audit log keeps them."""
    return {name: sayable(name, getattr(board, name)) for name in SETTINGS}


def check_board(board: Board) -> None:
    """Raise ``BadBoard`` where settings cannot work, or may not change any more."""
    if refused := refusal_of(board.name):
        raise BadBoard(refused, "name")
    try:
        board.full_clean()
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise BadBoard(f"`{field}`: {messages[0]}" if field != "__all__" else messages[0], field) from error
    sample_layout(board)
    _check_change(board)


def _check_change(board: Board) -> None:
    stored = Board.objects.filter(pk=board.pk).first() if board.pk else None
    if stored is None or not stored.periods.exists():
        return
    never = [*FIXED, *(WAITING if stored.period == PeriodKind.ALL_TIME else ())]
    for field in never:
        if getattr(stored, field) != getattr(board, field):
            raise BadBoard(
                f'`{field}` cannot change once a period exists: use "Save as new", which makes a new board '
                "and retires this one.",
                field,
            )


def changes_waiting(board: Board, at: datetime) -> dict[str, Any]:
    """The settings that the running period does not have yet, as they will be; empty if there are none."""
    running = (
        None
        if board.is_event
        else Period.objects.filter(board=board, label=window_at(board.calendar, at).label).first()
    )
    if running is None:
        return {}
    now, then = running.rules.to_json(), board.rules.to_json()
    return {field: then[field] for field in then if now[field] != then[field]}


def cancel_changes(board: Board, at: datetime) -> None:
    """Give the board back the rules of its running period."""
    running = Period.objects.get(board=board, label=window_at(board.calendar, at).label)
    stored = running.rules_json
    for field in ("order", "update", "ties", "tie_break", "criteria", "decimals"):
        setattr(board, field, stored[field])
    for field in ("minimum", "maximum", "total_maximum"):
        setattr(board, field, points_text(stored[field], stored["decimals"]))
    board.full_clean()
    save_board(board, at)


def save_as_new(board: Board, changed: Mapping[str, Any], at: datetime) -> Board:
    """Make a new board with ``changed`` settings and retire this one. Raises ``BadBoard``."""
    fresh = Board(**{field: getattr(board, field) for field in SETTINGS} | dict(changed))
    with transaction.atomic():
        retire(board, at)
        save_board(fresh, at)
    open_board(fresh, at)
    return fresh


def retire(board: Board, at: datetime) -> None:
    """Let the running period be the board's last one; its history stays."""
    if board.retired_at is None:
        ends_at = None if board.is_event else window_at(board.calendar, at).ends_at
        board.retired_at = ends_at or at
        with transaction.atomic():
            board.save(update_fields=["retired_at"])
            record("board.retired", at=at, subjects=[("board", board.pk)], after={"retired_at": board.retired_at})
            _tell_this_process()


def delete(board: Board, at: datetime) -> None:
    """Delete a board that nobody has played on, with its empty periods; its settings stay in the audit log."""
    with transaction.atomic():
        record("board.deleted", at=at, subjects=[("board", board.pk)], before=settings_of(board))
        board.periods.all().delete()
        board.delete()


def _tell_this_process() -> None:
    """Other processes know within seconds (docs/decisions/0010)."""
    transaction.on_commit(forget_boards)
    transaction.on_commit(forget_periods)
