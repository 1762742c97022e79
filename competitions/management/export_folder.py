"""Everything that people would take along, as files in a folder: `docs/moving.md` says what is in each.

All files are of one moment of SQL. The manifest is written last: a folder without one is not complete. The trap: it
holds ids, names and what players have said, also of those who are hidden; secrets, accounts and mails stay behind.
"""

import csv
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import partial
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from django.core.management.base import CommandError
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import BinaryField, Model, Q

from competitions import models as competitions
from competitions.models import Revision
from competitions.selectors.results.revisions import parts_of
from foundation import clock
from leaderboards import models as leaderboards
from leaderboards.management.command import format_time
from leaderboards.models import Board, Period, Player
from leaderboards.selectors import export_rows
from leaderboards.selectors.exports.standings_csv import NO_MORE, csv_parts
from leaderboards.services.boards import settings_of
from leaderboards.services.players.profiles import PROFILE_FIELDS
from leaderboards.stores.sql.reads import snapshot_transaction
from likes import models as likes

VERSION = 1
CHUNK = 2000
TABLES: tuple[type[Model], ...] = (
    leaderboards.Board, leaderboards.Player, leaderboards.Period, leaderboards.Standing, leaderboards.FinalStanding,
    leaderboards.Submission, leaderboards.QuarantinedEntry, leaderboards.Restriction, leaderboards.BanRecord,
    leaderboards.PeriodSnapshot, leaderboards.RankHistoryEntry,
    competitions.Competition, competitions.Division, competitions.Team, competitions.Participant,
    competitions.Invitation, competitions.Change, competitions.Comment, competitions.Revision,
    competitions.RewardTier, competitions.RewardGrant,
    competitions.Snapshot, competitions.SnapshotRow, competitions.Series, competitions.SeriesEvent,
    competitions.SeriesResult, competitions.SeriesTotal, competitions.League, competitions.LeagueTier,
    competitions.LeagueSeason, competitions.LeagueGroup, competitions.LeagueMember,
    likes.Like, likes.LikeCount,
)  # fmt: skip  # as a table
# Who has one of these may enter: they are made anew elsewhere.
CODES = frozenset({(competitions.Competition, "join_code"), (competitions.Team, "code")})


class WrittenFile(NamedTuple):
    """A file of the folder: its path below it, how many rows it has, and the SHA-256 of its bytes."""

    path: str
    rows: int
    sha256: str


def export_to(folder: Path) -> tuple[datetime, list[WrittenFile]]:
    """Write all files; returns their moment and what they are. On redis boards run the mirror first.

    Raises ``CommandError`` if the folder has files already, or cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CommandError(f"{folder} is there and not empty: name a new folder, so that no files are mixed.")
    try:
        with snapshot_transaction():
            at = clock.now()
            written = [_write(folder / path, folder, content) for path, content in _files(at)]
        manifest = {"version": VERSION, "as_of": format_time(at), "files": [each._asdict() for each in written]}
        unnamed = folder / "manifest.json.part"  # a disk may fill here, too: the name says that all is there
        unnamed.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
        unnamed.rename(folder / "manifest.json")
    except OSError as error:
        raise CommandError(
            f"{error.filename or folder} can not be written: {error.strerror}. The folder has no manifest and is not "
            "whole: delete it, and export into a new one."
        ) from error
    return at, written


Content = Callable[[], Iterator[tuple[bytes, int]]]  # parts, each with its number of rows


def _files(at: datetime) -> Iterator[tuple[str, Content]]:
    yield "boards.json", _boards
    yield "players.csv", _players
    begun = Period.objects.filter(Q(starts_at=None) | Q(starts_at__lte=at))  # the next ones are open already, and empty
    for period in begun.select_related("board").order_by("board", "starts_at", "label"):
        yield f"standings/{period.board_id}-{period.label}.csv", partial(_standings, period)
    for revision in Revision.objects.order_by("competition", "number"):
        name = f"results/{revision.competition_id}-{revision.number}.json"
        yield name, partial(_result, revision)
    for model in TABLES:
        yield f"tables/{model._meta.db_table}.jsonl", partial(_table, model)


def _write(file: Path, folder: Path, content: Content) -> WrittenFile:
    file.parent.mkdir(parents=True, exist_ok=True)
    digest, rows = hashlib.sha256(), 0
    with file.open("xb") as out:
        for part, count in content():
            rows += count
            digest.update(part)
            out.write(part)
    return WrittenFile(str(file.relative_to(folder)), rows, digest.hexdigest())


def _boards() -> Iterator[tuple[bytes, int]]:
    """Those in use, as their names are unique; retired ones are in the tables."""
    boards = [settings_of(board) for board in Board.objects.filter(retired_at=None).order_by("seq")]
    yield _json({"boards": boards}, indent=1), len(boards)


def _players() -> Iterator[tuple[bytes, int]]:
    yield _line(["player", *PROFILE_FIELDS]), 0
    for row in Player.objects.order_by("pk").values_list("external_id", *PROFILE_FIELDS).iterator(CHUNK):
        yield _line(row), 1


def _standings(period: Period) -> Iterator[tuple[bytes, int]]:
    columns = [field.name for field in period.rules.fields]
    _, rows = export_rows(period.board, period.label, metadata=True)
    header = 1
    for part in csv_parts(columns, rows, raw=True, more=NO_MORE.with_metadata(), line_end="\n"):
        yield part, part.count(b"\n") - header
        header = 0


def _result(revision: Revision) -> Iterator[tuple[bytes, int]]:
    for part in parts_of(revision):
        yield part, 0


def _table(model: type[Model]) -> Iterator[tuple[bytes, int]]:
    columns = [
        field.attname
        for field in model._meta.concrete_fields
        if not isinstance(field, BinaryField) and (model, field.name) not in CODES and field.name != "pk"
    ]
    order = ("period", "place") if model is leaderboards.FinalStanding else ("pk",)
    for row in model._default_manager.order_by(*order).values(*columns).iterator(CHUNK):
        yield _json(row), 1


def _json(content: object, indent: int | None = None) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=indent, cls=DjangoJSONEncoder) + "\n").encode()


def _line(cells: Iterable[object]) -> bytes:
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue().encode()
