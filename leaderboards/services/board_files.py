"""Boards of a file, by name, all or none: for ``apply_boards`` and for uploads in the admin.

A file may choose the number of a new board, so that its address, its keys in Redis and what game servers send are the
same on every installation. Numbers that SQL gives out continue behind it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet

from foundation.messages import Message
from leaderboards.core.input.names import UNPRINTABLE_MESSAGE, is_encodable
from leaderboards.errors import BadBoard
from leaderboards.models import Board
from leaderboards.selectors.previews.board_change import BoardChange, board_change
from leaderboards.services.boards import SETTINGS, check_board, save_board
from leaderboards.services.periods.open import open_board

NUMBER = "seq"
MAX_NUMBER = 999_999  # addresses stay short, and SQL has numbers left to give out
_NAMES = (*SETTINGS, NUMBER)


def apply_boards(settings: Sequence[Mapping[str, Any]], at: datetime) -> dict[str, int]:
    """Create or update boards by name, all or none; returns name → seq. Raises ``BadBoard`` naming the board."""
    boards = save_boards(settings, at)
    for board in boards:
        open_board(board, at)
    return {board.name: board.seq for board in boards}


@transaction.atomic
def save_boards(settings: Sequence[Mapping[str, Any]], at: datetime) -> list[Board]:
    """Save boards by name, all or none; the caller opens their periods afterwards.

    Raises ``BadBoard`` naming the board, and as ``save_board``.
    """
    _refuse_repeated(settings, "name")
    _refuse_repeated(settings, NUMBER)
    boards = []
    for each in settings:
        board = _read(each, Board.objects.select_for_update())
        with _naming(board):
            _save(board, at)
        boards.append(board)
    return boards


def preview_boards(settings: Sequence[Mapping[str, Any]], at: datetime) -> list[BoardChange]:
    """What ``apply_boards`` would change, in the same order. Nothing is written. Raises ``BadBoard``."""
    _refuse_repeated(settings, "name")
    _refuse_repeated(settings, NUMBER)
    found = []
    for each in settings:
        board = _read(each, Board.objects.all())
        with _naming(board):
            check_board(board)
        found.append(board_change(board, SETTINGS, at))
    return found


def _refuse_repeated(settings: Sequence[Mapping[str, Any]], field: str) -> None:
    """Raise ``BadBoard`` if two boards of a file have the same name, or the same number."""
    for value, times in Counter(str(each[field]) for each in settings if field in each).items():
        if times > 1:
            raise BadBoard(_repeated_name(value, times) if field == "name" else _repeated_number(value, times), field)


def _repeated_name(name: str, times: int) -> Message:
    return Message("%(board)s: the file names this board %(times)s times; leave one of them.", board=name, times=times)


def _repeated_number(number: str, times: int) -> Message:
    return Message(
        "`seq` %(number)s is given to %(times)s boards of the file: choose different numbers.",
        number=number,
        times=times,
    )


def _save(board: Board, at: datetime) -> None:
    """Save the board, and let SQL count on behind a chosen number. Raises ``BadBoard``, or as ``save_board``."""
    chosen = board.seq if board._state.adding else None
    try:
        with transaction.atomic():
            save_board(board, at)
    except IntegrityError as error:
        if chosen is None or not Board.objects.filter(seq=chosen).exists():
            raise
        raise _taken(chosen) from error
    if chosen is not None:
        _count_on_from(chosen)


def _count_on_from(number: int) -> None:
    """Let SQL give out numbers above ``number``, never lower than those it gives out already.

    SQLite does so by itself.
    """
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT setval(numbers, %s) FROM (SELECT pg_get_serial_sequence(%s, 'seq')::regclass) AS found (numbers)"
            " WHERE coalesce(pg_sequence_last_value(numbers), 0) < %s",
            [number, connection.ops.quote_name(Board._meta.db_table), number],
        )


def _taken(number: int) -> BadBoard:
    return BadBoard(
        Message("The number %(number)s belongs to another board: choose one that is free.", number=number), NUMBER
    )


@contextmanager
def _naming(board: Board) -> Iterator[None]:
    try:
        yield
    except BadBoard as error:
        raise BadBoard(Message("%(board)s: %(reason)s", board=board.name, reason=error.detail), error.field) from error


def _read(settings: Mapping[str, Any], rows: QuerySet[Board]) -> Board:
    name = settings.get("name")
    if not isinstance(name, str) or not name.strip():
        raise BadBoard(Message("Each board needs a name of 1 to 100 characters."), "name")
    unknown = sorted(set(settings) - set(_NAMES))
    if unknown:
        raise BadBoard(
            Message(
                "%(name)s: there is no setting %(setting)s; there are %(settings)s.",
                name=name,
                setting=repr(unknown[0]),
                settings=", ".join(_NAMES),
            ),
            unknown[0],
        )
    for field, value in settings.items():
        if not is_encodable(value):  # SQL could not even be asked for it
            raise BadBoard(Message("`%(field)s`: %(why)s", field=field, why=UNPRINTABLE_MESSAGE), field)
    board = rows.filter(name=name, retired_at=None).first() or Board(name=name)
    with _naming(board):
        _choose_number(board, settings)
    for field, value in settings.items():
        if field != NUMBER:
            setattr(board, field, value)
    return board


def _choose_number(board: Board, settings: Mapping[str, Any]) -> None:
    """Give a new board the number of the file. Raises ``BadBoard`` if the board has another, or it is taken."""
    if NUMBER not in settings:
        return
    number = settings[NUMBER]
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= MAX_NUMBER:
        raise BadBoard(Message("`seq` must be a whole number from 1 to %(most)s.", most=MAX_NUMBER), NUMBER)
    if board.seq == number:
        return
    if board.seq is not None:
        raise BadBoard(
            Message(
                "This board has the number %(number)s, which never changes: leave `seq` out, or give the new board "
                "another name.",
                number=board.seq,
            ),
            NUMBER,
        )
    if Board.objects.filter(seq=number).exists():
        raise _taken(number)
    board.seq = number
