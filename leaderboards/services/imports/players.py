"""Importing players: profiles are set as by the API, in one transaction with the record of their chunk.

An undo restores profiles that were not changed since, and deletes new players that nothing refers to.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Model, ProtectedError, QuerySet

from foundation.errors import SunwiError
from foundation.messages import Message
from leaderboards.core.input.csv_table import CsvRow
from leaderboards.core.input.entries import read_player
from leaderboards.core.input.profiles import profile_errors
from leaderboards.errors import BadEntry
from leaderboards.models import Follow, ImportChunk, ImportedPlayer, ImportRun, Player
from leaderboards.selectors.exports.cached_files import invalidate_cached_files
from leaderboards.selectors.player_data.names import clear_name_cache
from leaderboards.services.imports.chunk_results import ChunkResult, Error, Finish, lines_of
from leaderboards.services.players.profiles import PROFILE_FIELDS, set_profile
from leaderboards.stores.sql.writes import ensure_players

NEW, CHANGED, SAME, REJECTED = "new", "changed", "same", "rejected"
PLAYERS_PER_STEP = 100
KEEP_NOBODY = (ImportedPlayer, Follow)  # rows that are no reason to keep a player whose import is undone

Read = tuple[int, str, dict[str, str]]


def evaluate(run: ImportRun, chunk: ImportChunk, _at: datetime) -> Finish:
    """Evaluate the rows: which players are new, which change."""
    rows, errors = read_all(lines_of(run, chunk))
    known = {each.external_id: each for each in Player.objects.filter(external_id__in=[name for _, name, _ in rows])}
    statuses = Counter(_status(known.get(name), profile) for _, name, profile in rows)
    return partial(ChunkResult, statuses + Counter({REJECTED: len(errors)}), tuple(errors))


def apply(run: ImportRun, chunk: ImportChunk, _at: datetime) -> Finish:
    """Set the profiles, in the transaction that records the chunk."""
    return partial(_apply, run, *read_all(lines_of(run, chunk)))


def undo(run: ImportRun, at: datetime) -> tuple[int, int]:
    """Restore up to ``PLAYERS_PER_STEP`` players, the latest first: how many were restored, and how many stay."""
    rows = list(ImportedPlayer.objects.filter(run=run).order_by("-pk")[:PLAYERS_PER_STEP])
    _lock(Player.objects.select_for_update().filter(pk__in=[row.player_id for row in rows]))
    is_restored = [_restore(row, at) for row in rows]
    ImportedPlayer.objects.filter(pk__in=[row.pk for row in rows]).delete()
    transaction.on_commit(clear_name_cache)
    invalidate_cached_files()
    return sum(is_restored), len(is_restored) - sum(is_restored)


def is_unchanged_since(row: ImportedPlayer) -> bool:
    """Whether the player's profile is still as the import set it."""
    return all(getattr(row.player, field) == text for field, text in row.after.items())


def is_referenced(player: Player) -> bool:
    """Whether any row of any app refers to the player, or an account is linked; rows of imports do not count."""
    if player.user_id is not None:
        return True
    return any(
        model._default_manager.filter(**{name: player.pk}).exists()
        for model, name in _referring_fields()
        if model not in KEEP_NOBODY
    )


def referenced_players(players: Collection[int]) -> set[int]:
    """The players, by internal number, for which ``is_referenced`` holds."""
    found = set(Player.objects.filter(pk__in=players, user__isnull=False).values_list("pk", flat=True))
    for model, name in _referring_fields():
        if model not in KEEP_NOBODY:
            found.update(model._default_manager.filter(**{f"{name}__in": players}).values_list(name, flat=True))
    return found


def _referring_fields() -> Iterator[tuple[type[Model], str]]:
    for relation in Player._meta.get_fields(include_hidden=True):
        model = relation.related_model
        if relation.auto_created and not relation.concrete and isinstance(model, type):
            yield model, relation.remote_field.name  # type: ignore[union-attr]  # every relation to a player is a field of another model


def read_all(lines: list[CsvRow]) -> tuple[list[Read], list[Error]]:
    """The valid rows (number, id, profile), and the errors of the others."""
    rows, errors = [], []
    for line in lines:
        try:
            rows.append(_read(line))
        except SunwiError as error:
            errors.append(Error(line.number, error.code, error.detail))
    return rows, errors


def _read(line: CsvRow) -> Read:
    if None in line.cells or None in line.cells.values():
        raise BadEntry(
            Message("The row has more or fewer cells than the header: look for a separator without quotes around it.")
        )
    profile = {name: str(line.cells[name]) for name in PROFILE_FIELDS if name in line.cells}
    if wrong := profile_errors(profile):
        raise BadEntry(" ".join(wrong.values()))
    return line.number, read_player(line.cells["player"]), profile


def _status(player: Player | None, profile: dict[str, str]) -> str:
    if player is None:
        return NEW
    return SAME if all(getattr(player, name) == text for name, text in profile.items()) else CHANGED


def _apply(run: ImportRun, rows: list[Read], errors: list[Error]) -> ChunkResult:
    statuses = Counter({REJECTED: len(errors)})
    if run.started_at is None:
        raise ValueError("the run was not confirmed")
    new = _ensure_and_lock({name for _, name, _ in rows}, run.started_at)
    for _, name, profile in rows:
        player = None if name in new else Player.objects.filter(external_id=name).first()
        new.discard(name)  # in a later row of the file the player is known
        status = _status(player, profile)
        statuses[status] += 1
        if status == SAME:
            continue
        before = {field: getattr(player, field) for field in profile} if player else {}
        _record(run, set_profile(name, profile, run.started_at), before, profile, is_new=player is None)
    return ChunkResult(statuses, tuple(errors))


def _ensure_and_lock(names: set[str], at: datetime) -> set[str]:
    """Create unknown players and lock all of them; returns the ids of the new ones."""
    known = set(Player.objects.filter(external_id__in=names).values_list("external_id", flat=True))
    ensure_players(names, at)
    _lock(Player.objects.select_for_update(no_key=True).filter(external_id__in=names))
    return names - known


def _lock(players: QuerySet[Player]) -> None:
    """Lock all players before the first change, in the order of their numbers, which avoids deadlocks."""
    list(players.order_by("pk").values_list("pk"))


def _record(run: ImportRun, player: Player, before: dict[str, str], after: dict[str, str], is_new: bool) -> None:
    """Record the change of a player; if the file has them twice, the profile before the first row is kept."""
    row, is_first = ImportedPlayer.objects.get_or_create(
        run=run, player=player, defaults={"before": before, "after": after, "is_new": is_new}
    )
    if not is_first:
        row.after = row.after | after
        row.save(update_fields=["after"])


def _restore(row: ImportedPlayer, at: datetime) -> bool:
    """Restore the player, or delete a new one; False if they were changed, or are referred to, since."""
    player = row.player = Player.objects.select_for_update().get(pk=row.player_id)
    if not is_unchanged_since(row):
        return False
    if not row.is_new:
        set_profile(player.external_id, _texts(row.before), at)
        return True
    if is_referenced(player):
        return False
    with suppress(ProtectedError), transaction.atomic():
        player.delete()
        return True
    return False


def _texts(before: dict[str, Any]) -> dict[str, str]:
    return {field: str(text) for field, text in before.items()}
