"""Uploading a file: it is read to its end, and refused as a whole or stored in chunks. Nothing is evaluated yet."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from io import BytesIO

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from foundation.chunks import in_chunks
from foundation.messages import Message
from foundation.users import users
from leaderboards.core.input.csv_table import CsvRow, CsvTable, read_boards
from leaderboards.core.input.import_rows import pack_rows
from leaderboards.core.input.names import is_printable
from leaderboards.core.input.points import decimal_of
from leaderboards.import_errors import BadTable, MissingColumn, TooManyPendingImports
from leaderboards.models import Board, ImportChunk, ImportKind, ImportRun
from leaderboards.services.imports.score_rows import Columns
from leaderboards.services.players.profiles import PROFILE_FIELDS

ROWS_PER_CHUNK = 250
MAX_ROWS = 100_000
MAX_BOARDS = 500
MAX_PENDING = 20  # per account; each may have 8 MiB and is stored for a day
FIRST_ROWS = 20
PLAYER = "player"


@dataclass(frozen=True, slots=True)
class Upload:
    """An uploaded file.

    For scores, ``columns`` names the columns ``player``, ``points`` (or a number for every row), and ``at``, ``id`` and
    ``metadata``, which may be empty. On a board with criteria, the columns of these names replace ``points``.
    """

    kind: ImportKind
    file_name: str
    content: bytes
    by: AbstractBaseUser | None = None
    board: Board | None = None
    columns: Mapping[str, str] | None = None


def upload(sent: Upload, at: datetime) -> ImportRun:
    """Store the file until it is confirmed or expires.

    Raises ``BadTable`` if it cannot be read (``MissingColumn`` if a named column is missing), and
    ``TooManyPendingImports`` if ``MAX_PENDING`` imports of the account are pending.
    """
    number = sent.by.pk if sent.by else None
    run = ImportRun(kind=sent.kind, board=sent.board, created_at=at, by_id=number)
    run.file_name = _printable(sent.file_name)[-200:]
    run.digest = hashlib.sha256(sent.content).hexdigest()
    chunks = _of_boards(run, sent) if sent.kind == ImportKind.BOARDS else _of_table(run, sent)
    with transaction.atomic():
        _refuse_too_many(sent.by)
        run.save()
        ImportChunk.objects.bulk_create(chunks, batch_size=100)
    return run


def _refuse_too_many(by: AbstractBaseUser | None) -> None:
    """Raise ``TooManyPendingImports``. The account is locked, so that two uploads at once cannot both be the last."""
    if by is None:
        return
    users().select_for_update(no_key=True).get(pk=by.pk)
    if ImportRun.objects.filter(by_id=by.pk, started_at=None).count() >= MAX_PENDING:
        raise TooManyPendingImports(
            Message("%(most)s imports of yours wait already: confirm them or throw them away.", most=MAX_PENDING)
        )


def _of_boards(run: ImportRun, sent: Upload) -> list[ImportChunk]:
    run.rows = len(read_boards(sent.content))
    if not run.rows:
        raise BadTable(Message("The file names no board."))
    if run.rows > MAX_BOARDS:
        raise BadTable(
            Message(
                "The file names more than %(most)s boards: split it, or use the command apply_boards.", most=MAX_BOARDS
            )
        )
    return [ImportChunk(run=run, nth=0, content=sent.content)]


def _of_table(run: ImportRun, sent: Upload) -> list[ImportChunk]:
    table = CsvTable(BytesIO(sent.content))
    if not all(is_printable(name) for name in table.header):
        raise BadTable(Message("The file has a character that cannot be shown in its first line: save it as UTF-8."))
    run.columns = {"header": table.header} | _columns_of(sent, table)
    lines = list(_bounded(table))
    if not lines:
        raise BadTable(Message("The file has a header and no rows."))
    run.rows = len(lines)
    run.report = {"first": [_shown(line, table.header) for line in lines[:FIRST_ROWS]]}
    packed = (pack_rows(table.header, rows) for rows in in_chunks(lines, ROWS_PER_CHUNK))
    return [ImportChunk(run=run, nth=nth, content=content) for nth, content in enumerate(packed)]


def _bounded(table: CsvTable) -> list[CsvRow]:
    lines = []
    for line in table.lines():
        if line.number > MAX_ROWS:
            raise BadTable(
                Message(
                    "The file has more than %(most)s rows: split it, or use the command import_scores.", most=MAX_ROWS
                )
            )
        lines.append(line)
    return lines


def _columns_of(sent: Upload, table: CsvTable) -> dict[str, object]:
    if sent.kind == ImportKind.PLAYERS:
        table.column(PLAYER)
        unknown = [name for name in table.header if name not in (PLAYER, *PROFILE_FIELDS)]
        if unknown:
            raise BadTable(
                Message(
                    "The file has the column %(name)s; players have %(columns)s.",
                    name=repr(unknown[0]),
                    columns=", ".join((PLAYER, *PROFILE_FIELDS)),
                )
            )
        return {}
    named = sent.columns or {}
    points = named.get("points", "points")
    sent_criteria = [each.name for each in sent.board.rules.fields if not each.is_time] if sent.board else []
    is_constant = not sent_criteria and points not in table.header and decimal_of(points) is not None
    columns = Columns(
        player=_column(table, "player", named.get("player", PLAYER)),
        points=None if is_constant or sent_criteria else _column(table, "points", points),
        constant=points if is_constant else "",
        fields=tuple((name, _column(table, "board", name)) for name in sent_criteria),
        at=_column(table, "at", named["at"]) if named.get("at") else None,
        id=_column(table, "id", named["id"]) if named.get("id") else None,
        id_by_row=not named.get("id"),
        metadata=_column(table, "metadata", named["metadata"]) if named.get("metadata") else None,
    )
    return asdict(columns)


def _column(table: CsvTable, part: str, name: str) -> str:
    try:
        return table.column(name)
    except BadTable as error:
        raise MissingColumn(error.detail, part) from error


def _printable(name: str) -> str:
    return "".join(each for each in name if is_printable(each))


def _shown(line: CsvRow, header: list[str]) -> list[object]:
    """A row for the page; bytes that are not UTF-8 become a replacement character."""
    cells = (str(line.cells.get(name) or "")[:100] for name in header)
    return [line.number, *(cell.encode("utf-8", "replace").decode().replace("\0", "�") for cell in cells)]
