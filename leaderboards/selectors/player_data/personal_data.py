"""All that is kept of a player, for the player: their own row, and every row of any app that points to it.

What names them by their id alone is looked up by that, and what was done to their submissions by those. Of redis
boards SQL has what is mirrored.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from django.db.models import ForeignObjectRel, Model, QuerySet
from django.utils.translation import override

from foundation.models import AuditEntry, DeadLetter
from leaderboards.errors import UnknownPlayer
from leaderboards.models import (
    BanRecord,
    Difference,
    FinalStanding,
    Period,
    Player,
    Purge,
    PurgedSubmission,
    QuarantinedEntry,
    Restriction,
    RestrictionKind,
    Standing,
    SubmissionEdit,
)

OmittedColumns = Mapping[type[Model] | None, Collection[str]]  # columns; of every kind of row under None
Before = Callable[[QuerySet[Any]], Mapping[int, Mapping[str, Any]]]

NEVER_EXPORTED = ("code_hash", "by_name", "address")  # one-time codes; the names of staff, and where they acted from
STAFF_COLUMNS = ("by_id", "lifted_by_id", "undo_by_id", "decided_by_id", "hidden_by_id")
MODERATION_COLUMNS: OmittedColumns = {
    AuditEntry: ("reason", "note"),
    BanRecord: ("reason",),
    Purge: ("reason", "undo_reason"),
    QuarantinedEntry: ("reason", "rule", "observed", "limit"),
    Restriction: ("reason", "lift_reason"),
}
SHADOW_ACTS = ("player.shadowed", "player.restriction_lifted")

_before_shadows: dict[type[Model], Before] = {}


def all_stored_data(external_id: str) -> dict[str, Any]:
    """The columns of their rows, by kind of row, as operators may tell them. Raises ``UnknownPlayer``."""
    return _kept(external_id, {None: NEVER_EXPORTED}, lambda rows: rows, {})


def data_shown_to_player(external_id: str) -> dict[str, Any]:
    """The same as the player may have it without asking anybody: nothing of shadows, which they would evade; of
    quarantined entries not what they broke, which they would stay below; no numbers of staff, and no reason that its
    form says only those who run the site read. Raises ``UnknownPlayer``."""
    return _kept(
        external_id, {None: (*NEVER_EXPORTED, *STAFF_COLUMNS), **MODERATION_COLUMNS}, _without_shadows, _before_shadows
    )


def register_values_before_shadow(kind: type[Model], before: Before) -> None:
    """Let an app above say what a shadow has changed in rows of this kind: players are told what was before it.

    ``before`` is given rows of a player, and returns by their number which columns have which values.
    """
    _before_shadows[kind] = before


def _kept(
    external_id: str,
    untold: OmittedColumns,
    of: Callable[[QuerySet[Any]], QuerySet[Any]],
    before: Mapping[type[Model], Before],
) -> dict[str, Any]:
    player = Player.objects.filter(external_id=external_id).first()
    if player is None:
        raise UnknownPlayer(f"There is no player {external_id!r}.")
    user = player.user and {"username": player.user.get_username(), "email": player.user.email}
    return {
        "player": Player.objects.values().get(pk=player.pk),
        "user": user,
        **{_kind(rows): _shown(of(rows), untold, before.get(rows.model)) for rows in _rows_of(player)},
    }


def _kind(rows: QuerySet[Any]) -> str:
    """In English whatever the site speaks: programs read it too, and two kinds may share a word elsewhere."""
    with override("en"):
        return str(rows.model._meta.verbose_name_plural)


def final_standings_of(player: Player) -> QuerySet[FinalStanding]:
    """Through the periods that they have a standing in: no index of the final ones begins with the player."""
    played = Standing.objects.filter(player=player).values("period")
    return FinalStanding.objects.filter(period__in=played, player=player)


def _rows_of(player: Player) -> list[QuerySet[Any]]:
    pointing = [
        relation.related_model._default_manager.filter(**{relation.field.name: player})
        for relation in Player._meta.get_fields(include_hidden=True)
        if isinstance(relation, ForeignObjectRel) and relation.related_model is not FinalStanding
    ]
    named: list[QuerySet[Any]] = [
        final_standings_of(player),
        DeadLetter.objects.filter(payload__player=player.external_id),
        Difference.objects.filter(player=player.external_id),
        AuditEntry.objects.filter(subjects__kind="player", subjects__key=str(player.pk)),
        SubmissionEdit.objects.filter(submission__player=player),
        PurgedSubmission.objects.filter(submission__player=player),
    ]
    return [*pointing, *named]


def _without_shadows(rows: QuerySet[Any]) -> QuerySet[Any]:
    if rows.model is Restriction:
        return rows.exclude(kind=RestrictionKind.SHADOWED)
    if rows.model is AuditEntry:
        of_shadows = AuditEntry.objects.filter(act__in=SHADOW_ACTS, note__kind=RestrictionKind.SHADOWED)
        return rows.exclude(pk__in=of_shadows.values("pk"))
    return rows


def _shown(rows: QuerySet[Any], untold: OmittedColumns, before: Before | None) -> list[dict[str, Any]]:
    """Periods by board and label, secrets not at all."""
    excluded = {*untold[None], *untold.get(rows.model, ())}
    stored = list(rows.order_by("pk").values())
    if before is not None:  # asked after the rows were read, so that it knows of all that they tell
        others = before(rows)
        stored = [{**row, **others.get(row["id"], {})} for row in stored]
    found = [{name: value for name, value in row.items() if name not in excluded} for row in stored]
    periods = Period.objects.in_bulk({row["period_id"] for row in found if row.get("period_id")})
    return [row | {"period": str(periods[row["period_id"]])} if row.get("period_id") else row for row in found]
