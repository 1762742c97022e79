"""Creating and changing boards: in the admin, from a file (``board_files.py``), or by "Save as new".

Changes of settings that are fixed once a period exists are refused here. Settings that apply from the next period on
are saved at once, and written to periods that have not begun.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import transaction

from foundation import clock
from foundation.audit import record
from foundation.audit.row_values import changed_names, to_json_value
from foundation.messages import Message
from leaderboards import selectors
from leaderboards.core.input.names import unprintable_reason
from leaderboards.core.input.points import points_text
from leaderboards.core.periods import PeriodKind, window_open_at
from leaderboards.core.plausibility import check_limits
from leaderboards.core.ranking.board_settings import (
    IMMUTABLE_SETTINGS,
    NEXT_PERIOD_SETTINGS,
    read_operators,
    sample_layout,
    schedule_at,
)
from leaderboards.core.ranking.rules import Encoding, Operator
from leaderboards.core.schedule_changes import past_schedules
from leaderboards.errors import BadBoard
from leaderboards.models import Board, Period, Standing, Storage, Submission, Visibility
from leaderboards.selectors.catalog.boards import clear_board_cache
from leaderboards.selectors.catalog.periods import clear_period_cache
from leaderboards.services.board_encoding import check_encoding, check_place_of_encoding
from leaderboards.services.board_own_tables import check_own_tables
from leaderboards.services.board_partitions import check_partitions
from leaderboards.services.board_score_ranges import check_score_ranges
from leaderboards.services.dynamodb_settings import refuse_what_dynamodb_lacks
from leaderboards.services.periods.delete_replaced import delete_replaced_periods, delete_with_other_tables
from leaderboards.services.periods.open import open_board
from leaderboards.services.periods.upcoming_rules import refresh_rules
from leaderboards.services.sync.invalidate import invalidate_readers_of, outlast_recent_answers

SETTINGS = (
    *("name", "period", "timezone", "week_start", "cutoff", "schedule", "open_minutes"),
    *("order", "update", "ties", "tie_break", "criteria"),
    *("decimals", "minimum", "maximum", "total_maximum", "operators", "grace_seconds", "retention_days"),
    *("keep_submissions_days", "keep_periods_days", "storage", "encoding", "partitions", "score_ranges"),
    *("own_tables", "unit", "format", "hue", "visibility"),
    *("plausible_least", "plausible_most", "submissions_per_minute", "points_per_minute"),
    *("own_jump", "own_jump_against", "own_jump_last", "field_jump", "field_jump_players"),
)


def save_board(board: Board, at: datetime | None = None) -> None:
    """Check and save a new or changed board, and record the change in the audit log, as of ``at`` (default: now).

    The caller opens its periods afterwards (``open_board``), outside the transaction. Raises ``BadBoard``, or as
    ``refresh_rules``; nothing has changed then.
    """
    check_board(board)
    with transaction.atomic():
        stored, at = Board.objects.filter(pk=board.pk).first() if board.pk else None, at or clock.now()
        if stored and stored.periods.exists():
            board.past_schedules = past_schedules(board, stored, at)
        board.save(force_insert=stored is None)  # a chosen number never overwrites another board
        has_changed = _record_change(board, stored, at)
        delete_replaced_periods(board, at)
        if stored and stored.own_tables != board.own_tables:
            delete_with_other_tables(board, at)
        refresh_rules(board)
        _clear_caches_on_commit()
        is_private = board.visibility == Visibility.PRIVATE
        invalidate_readers_of(board, wait_for_expiry=has_changed and is_private)
        if stored and is_private and stored.visibility != Visibility.PRIVATE:
            outlast_recent_answers()


def _record_change(board: Board, stored: Board | None, at: datetime) -> bool:
    """Record the change; whether any setting has changed."""
    after = settings_of(board)
    if stored is None:
        record("board.made", at=at, subjects=[("board", board.pk)], after=after)
        return True
    before = settings_of(stored)
    if changed := changed_names(before, after):
        was, now = ({name: each[name] for name in changed} for each in (before, after))
        record("board.changed", at=at, subjects=[("board", board.pk)], before=was, after=now)
    return bool(changed)


def settings_of(board: Board) -> dict[str, Any]:
    """All settings of a board as JSON values for the audit log."""
    values = {name: getattr(board, name) for name in SETTINGS}
    values["operators"] = [each.value for each in Operator if each in board.operators]  # older rows have any order
    return {name: to_json_value(name, value) for name, value in values.items()}


def _bad_setting(error: ValidationError) -> BadBoard:
    """Say what is wrong with the first setting that Django refuses; of a choice also what there is to choose from."""
    field, [first, *_] = next(iter(error.error_dict.items()))
    [why] = first.messages
    if field == NON_FIELD_ERRORS:
        return BadBoard(why, field)
    if first.code == "invalid_choice":
        choices = ", ".join(str(value) for value, _ in getattr(Board._meta.get_field(field), "flatchoices", ()))
        return BadBoard(
            Message("`%(field)s`: %(why)s It is one of %(choices)s.", field=field, why=why, choices=choices), field
        )
    return BadBoard(Message("`%(field)s`: %(why)s", field=field, why=why), field)


def check_board(board: Board) -> None:
    """Raise ``BadBoard`` if settings are invalid, or may not change any more."""
    board.schedule = " ".join(str(board.schedule or "").split())
    if refused := unprintable_reason(board.name):
        raise BadBoard(refused, "name")
    try:
        board.full_clean()
    except ValidationError as error:
        raise _bad_setting(error) from error
    check_place_of_encoding(board)
    layout = sample_layout(board)
    check_encoding(board, layout)
    check_partitions(board, layout)
    check_score_ranges(board)
    check_own_tables(board)
    board.operators = [operator.value for operator in read_operators(board.operators)]
    check_limits(board)
    if board.storage == Storage.REDIS and board.rules.adds_fields:
        raise BadBoard(
            Message(
                "Redis does not add to criteria: leave `increment` and `decrement` out of `operators`, or choose the "
                "storage `hybrid` or `sql`."
            ),
            "operators",
        )
    if board.storage == Storage.DYNAMODB:
        refuse_what_dynamodb_lacks(board)
    _check_change(board)


def _check_change(board: Board) -> None:
    stored = Board.objects.filter(pk=board.pk).first() if board.pk else None
    if stored is None or not stored.periods.exists():
        return
    never = [*IMMUTABLE_SETTINGS, *(NEXT_PERIOD_SETTINGS if stored.period == PeriodKind.ALL_TIME else ())]
    if stored.storage == Storage.REDIS:
        never.append("partitions")  # ids are kept by partition
    for field in never:
        if getattr(stored, field) != getattr(board, field):
            raise BadBoard(
                Message(
                    '`%(field)s` cannot change once a period exists: use "Save as new", which makes a new board '
                    "and retires this one.",
                    field=field,
                ),
                field,
            )


def pending_changes(board: Board, at: datetime) -> dict[str, Any]:
    """The settings that apply from the next period on, with their new values; empty if there are none."""
    if board.is_event:
        return {}
    schedule = {} if schedule_settings_at(board, at) == schedule_settings_at(board) else schedule_settings_at(board)
    running = _running_row(board, at)
    if running is None:
        return schedule
    now, then = ({**each.rules.to_json(), "partitions": each.partitions} for each in (running, board))
    now["own_tables"], then["own_tables"] = running.has_own_tables, board.own_tables
    return schedule | {field: then[field] for field in then if now[field] != then[field]}


def schedule_settings_at(board: Board, at: datetime | None = None) -> dict[str, Any]:
    """The schedule that holds at ``at``, by default the last one that was saved; empty without schedule."""
    if board.period != PeriodKind.SCHEDULE:
        return {}
    schedule = schedule_at(board.calendar, at) if at else board.calendar.schedules[-1]
    return {"schedule": schedule.expression, "open_minutes": schedule.open_minutes} if schedule else {}


def _running_row(board: Board, at: datetime) -> Period | None:
    """The row of the running period; None between two windows."""
    window = window_open_at(board.calendar, at)
    return Period.objects.filter(board=board, label=window.label).first() if window else None


def cancel_changes(board: Board, at: datetime) -> None:
    """Give the board back the rules of its running period, and the schedule that holds."""
    for field, value in schedule_settings_at(board, at).items():
        setattr(board, field, value)
    if running := _running_row(board, at):
        stored = running.rules_json
        for field in ("order", "update", "ties", "tie_break", "criteria", "decimals"):
            setattr(board, field, stored[field])
        for field in ("minimum", "maximum", "total_maximum"):
            setattr(board, field, points_text(stored[field], stored["decimals"]))
        board.operators = stored.get("operators", [])  # rules of older releases have none
        board.encoding = stored.get("encoding", Encoding.PLAIN)
        board.score_ranges = stored.get("score_ranges", False)
        board.partitions, board.own_tables = running.partitions, running.has_own_tables
    board.full_clean()
    save_board(board, at)


def save_as_new(board: Board, changed: Mapping[str, Any], at: datetime) -> Board:
    """Create a new board with ``changed`` settings and retire this one. Raises ``BadBoard``."""
    new_board = Board(**{field: getattr(board, field) for field in SETTINGS} | dict(changed))
    with transaction.atomic():
        retire(board, at)
        save_board(new_board, at)
    open_board(new_board, at)
    return new_board


def has_scores(board: Board) -> bool:
    """Whether the board has scores, in SQL or, not mirrored yet, in Redis."""
    in_sql = Submission.objects.filter(board=board).exists() or Standing.objects.filter(period__board=board).exists()
    return in_sql or (not board.is_event and selectors.standings(board, limit=1).total > 0)


def retire(board: Board, at: datetime) -> None:
    """Retire the board: the running period is its last one, and its history stays."""
    if board.retired_at is None:
        running = None if board.is_event else window_open_at(board.calendar, at)
        board.retired_at = (running.ends_at if running else None) or at
        with transaction.atomic():
            board.save(update_fields=["retired_at"])
            record("board.retired", at=at, subjects=[("board", board.pk)], after={"retired_at": board.retired_at})
            _clear_caches_on_commit()
            invalidate_readers_of(board)


def delete(board: Board, at: datetime) -> None:
    """Delete a board without scores and its periods; the audit log keeps its settings. Raises ``ProtectedError``."""
    with transaction.atomic():
        record("board.deleted", at=at, subjects=[("board", board.pk)], before=settings_of(board))
        _clear_caches_on_commit()
        invalidate_readers_of(board)
        board.periods.all().delete()
        board.delete()


def _clear_caches_on_commit() -> None:
    """Clear this process's caches; other processes see the change within seconds (docs/decisions/0010)."""
    transaction.on_commit(clear_board_cache)
    transaction.on_commit(clear_period_cache)
