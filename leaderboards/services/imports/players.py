"""Players of an import: profiles are set as the API sets them, in one transaction with the count of their chunk.

Undoing sets back what nobody has changed since, and removes who was made by the import and is referred to by nothing.
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
from leaderboards.core.input.csv_table import CsvRow
from leaderboards.core.input.entries import read_player
from leaderboards.core.input.profiles import profile_errors
from leaderboards.errors import BadEntry
from leaderboards.models import ImportChunk, ImportedPlayer, ImportRun, Player
from leaderboards.selectors.exports.cached_files import invalidate_cached_files
from leaderboards.selectors.player_data.names import clear_name_cache
from leaderboards.services.imports.chunk_results import ChunkResult, Error, Finish, lines_of
from leaderboards.services.players.profiles import PROFILE_FIELDS, set_profile
from leaderboards.stores.sql.writes import ensure_players

NEW, CHANGED, SAME, REJECTED = "new", "changed", "same", "rejected"
PLAYERS_PER_TURN = 100

Read = tuple[int, str, dict[str, str]]


def evaluate(run: ImportRun, chunk: ImportChunk, _at: datetime) -> Finish:
    """What would become of the rows now: who is new, who changes."""
    rows, errors = read_all(lines_of(run, chunk))
    known = {each.external_id: each for each in Player.objects.filter(external_id__in=[name for _, name, _ in rows])}
    statuses = Counter(_status(known.get(name), profile) for _, name, profile in rows)
    return partial(ChunkResult, statuses + Counter({REJECTED: len(errors)}), tuple(errors))


def apply(run: ImportRun, chunk: ImportChunk, _at: datetime) -> Finish:
    """Set the profiles when the chunk is written down, in that transaction."""
    return partial(_apply, run, *read_all(lines_of(run, chunk)))


def undo(run: ImportRun, at: datetime) -> tuple[int, int]:
    """Set back up to ``PLAYERS_PER_TURN`` players, the latest first: how many are as before, and how many stay."""
    rows = list(ImportedPlayer.objects.filter(run=run).order_by("-pk")[:PLAYERS_PER_TURN])
    _hold(Player.objects.select_for_update().filter(pk__in=[row.player_id for row in rows]))
    done = [_set_back(row, at) for row in rows]
    ImportedPlayer.objects.filter(pk__in=[row.pk for row in rows]).delete()
    transaction.on_commit(clear_name_cache)
    invalidate_cached_files()
    return sum(done), len(done) - sum(done)


def is_unchanged_since(row: ImportedPlayer) -> bool:
    """Whether the player's profile is what the import made of it."""
    return all(getattr(row.player, field) == text for field, text in row.after.items())


def is_referenced(player: Player) -> bool:
    """Whether any row of any app is about the player, or an account is linked to them; an import's own rows aside."""
    if player.user_id is not None:
        return True
    return any(
        model._default_manager.filter(**{name: player.pk}).exists()
        for model, name in _referring()
        if model is not ImportedPlayer
    )


def referenced_players(players: Collection[int]) -> set[int]:
    """The same of many, by their internal numbers."""
    found = set(Player.objects.filter(pk__in=players, user__isnull=False).values_list("pk", flat=True))
    for model, name in _referring():
        if model is not ImportedPlayer:
            found.update(model._default_manager.filter(**{f"{name}__in": players}).values_list(name, flat=True))
    return found


def _referring() -> Iterator[tuple[type[Model], str]]:
    for relation in Player._meta.get_fields(include_hidden=True):
        model = relation.related_model
        if relation.auto_created and not relation.concrete and isinstance(model, type):
            yield model, relation.remote_field.name  # type: ignore[union-attr]  # relations back have one


def read_all(lines: list[CsvRow]) -> tuple[list[Read], list[Error]]:
    """The rows that can be taken (number, id, profile), and those that cannot."""
    rows, errors = [], []
    for line in lines:
        try:
            rows.append(_read(line))
        except SunwiError as error:
            errors.append(Error(line.number, error.code, error.detail))
    return rows, errors


def _read(line: CsvRow) -> Read:
    if None in line.cells or None in line.cells.values():
        raise BadEntry("The row has more or fewer cells than the header: look for a comma without quotes around it.")
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
    made = _ensure_held({name for _, name, _ in rows}, run.started_at)
    for _, name, profile in rows:
        player = None if name in made else Player.objects.filter(external_id=name).first()
        made.discard(name)  # who stands in the file again is known by then
        status = _status(player, profile)
        statuses[status] += 1
        if status == SAME:
            continue
        before = {field: getattr(player, field) for field in profile} if player else {}
        _note(run, set_profile(name, profile, run.started_at), before, profile, is_new=player is None)
    return ChunkResult(statuses, tuple(errors))


def _ensure_held(names: set[str], at: datetime) -> set[str]:
    """Hold the players of these ids, those who are unknown made; returns the ids of these."""
    known = set(Player.objects.filter(external_id__in=names).values_list("external_id", flat=True))
    ensure_players(names, at)
    _hold(Player.objects.select_for_update(no_key=True).filter(external_id__in=names))
    return names - known


def _hold(players: QuerySet[Player]) -> None:
    """Lock all of them before the first is changed, by number as everybody who locks several, whatever the order of
    the file: two who lock in different orders wait for each other."""
    list(players.order_by("pk").values_list("pk"))


def _note(run: ImportRun, player: Player, before: dict[str, str], after: dict[str, str], is_new: bool) -> None:
    """Of a player who stands in the file twice, what was before the first row is kept."""
    row, made = ImportedPlayer.objects.get_or_create(
        run=run, player=player, defaults={"before": before, "after": after, "is_new": is_new}
    )
    if not made:
        row.after = row.after | after
        row.save(update_fields=["after"])


def _set_back(row: ImportedPlayer, at: datetime) -> bool:
    """Whether the player is as before the import, or gone; one that was changed or is needed since stays."""
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
