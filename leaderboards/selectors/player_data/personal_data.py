"""Export all stored data of a player: their own row, and every row of any app with a foreign key to it.

Who follows the player is left out: that is data of those users.

Rows that name the player by id only are found by the id, and changes of submissions through the submissions. Of redis
boards SQL has the mirrored standings, and those of running periods in DynamoDB are read there.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from django.db.models import ForeignObjectRel, Model, QuerySet
from django.utils.translation import override

from foundation.messages import Message
from foundation.models import AuditEntry, DeadLetter
from foundation.users import email_of, name_of, users
from leaderboards.core.instants import from_milliseconds
from leaderboards.errors import UnknownPlayer
from leaderboards.models import (
    ACTIVE_STATES,
    BanRecord,
    Difference,
    FinalStanding,
    Follow,
    Period,
    Player,
    Purge,
    PurgedSubmission,
    QuarantinedEntry,
    Restriction,
    RestrictionKind,
    Standing,
    Storage,
    SubmissionEdit,
)
from leaderboards.selectors.player_data.follows import follows_stored
from leaderboards.stores.dynamodb.writes import DynamoWriter

OmittedColumns = Mapping[type[Model] | None, Collection[str]]  # columns by model; None is every model
ValuesBefore = Callable[[QuerySet[Any]], Mapping[int, Mapping[str, Any]]]

# Hashes of one-time codes; names and addresses of staff; pictures, which are at their own address.
NEVER_EXPORTED = ("code_hash", "by_name", "address", "large", "small")
STAFF_COLUMNS = ("by_id", "lifted_by_id", "undo_by_id", "decided_by_id", "hidden_by_id")
MODERATION_COLUMNS: OmittedColumns = {
    AuditEntry: ("reason", "note"),
    BanRecord: ("reason",),
    Purge: ("reason", "undo_reason"),
    QuarantinedEntry: ("reason", "rule", "observed", "limit"),
    Restriction: ("reason", "lift_reason"),
}
SHADOW_ACTS = ("player.shadowed", "player.restriction_lifted")

_values_before_shadow: dict[type[Model], ValuesBefore] = {}


def all_stored_data(external_id: str) -> dict[str, Any]:
    """Return the player's rows by model (plural name), for operators. Raises ``UnknownPlayer``.

    ``following`` is whom the linked user follows.
    """
    stored = _export(external_id, {None: NEVER_EXPORTED}, lambda rows: rows, {})
    user = users().filter(player__external_id=external_id).first()
    return {**stored, "following": follows_stored(user) if user else []}


def data_shown_to_player(external_id: str) -> dict[str, Any]:
    """Return the player's rows by model, as the player may download them. Raises ``UnknownPlayer``.

    Without shadows (the player would evade them), the broken limits of quarantined entries (the player would stay
    just below them), numbers of staff, and reasons whose form promises that only staff read them.
    """
    omitted = {None: (*NEVER_EXPORTED, *STAFF_COLUMNS), **MODERATION_COLUMNS}
    return _export(external_id, omitted, _without_shadows, _values_before_shadow)


def register_values_before_shadow(kind: type[Model], before: ValuesBefore) -> None:
    """Register how to undo, for the player's export, what a shadow changed in rows of model ``kind``.

    ``before`` takes rows of a player, and returns the columns with other values by pk.
    """
    _values_before_shadow[kind] = before


def _export(
    external_id: str,
    omitted: OmittedColumns,
    visible: Callable[[QuerySet[Any]], QuerySet[Any]],
    before: Mapping[type[Model], ValuesBefore],
) -> dict[str, Any]:
    player = Player.objects.filter(external_id=external_id).first()
    if player is None:
        raise UnknownPlayer(Message("There is no player %(player)s.", player=repr(external_id)))
    user = player.user and {"username": name_of(player.user), "email": email_of(player.user)}
    there = _standings_in_dynamodb(player)
    return {
        "player": Player.objects.values().get(pk=player.pk),
        "user": user,
        **{_kind(rows): _export_rows(visible(rows), omitted, before.get(rows.model)) for rows in _rows_of(player)},
        **({"standings in DynamoDB": there} if there else {}),
    }


def _standings_in_dynamodb(player: Player) -> list[dict[str, Any]]:
    """Read the standings of running periods, of which SQL has no scores. Raises ``StorageUnavailable``."""
    own = Period.objects.filter(state__in=ACTIVE_STATES, board__storage=Storage.DYNAMODB, standings__player=player)
    found = []
    for period in own.select_related("board").order_by("pk"):
        for each in DynamoWriter().look_up(period, [player.external_id]).values():
            at = from_milliseconds(each.state.at_ms)
            found.append({"period": str(period), "value": list(each.state.value), "at": at})
    return found


def _kind(rows: QuerySet[Any]) -> str:
    """Return the English plural name: programs read it, and in other languages two models may share a name."""
    with override("en"):
        return str(rows.model._meta.verbose_name_plural)


def final_standings_of(player: Player) -> QuerySet[FinalStanding]:
    """Query a player's final standings through the boards that they played on: no index begins with the player.

    Not through the periods of their standings, since a frozen copy has final standings alone.
    """
    boards = Standing.objects.filter(player=player).values("period__board")
    return FinalStanding.objects.filter(period__in=Period.objects.filter(board__in=boards).values("pk"), player=player)


def _rows_of(player: Player) -> list[QuerySet[Any]]:
    pointing = [
        relation.related_model._default_manager.filter(**{relation.field.name: player})
        for relation in Player._meta.get_fields(include_hidden=True)
        if isinstance(relation, ForeignObjectRel) and relation.related_model not in (FinalStanding, Follow)
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


def _export_rows(rows: QuerySet[Any], omitted: OmittedColumns, before: ValuesBefore | None) -> list[dict[str, Any]]:
    """Convert rows to dicts without the omitted columns; periods as board and label."""
    omitted_here = {*omitted[None], *omitted.get(rows.model, ())}
    stored = list(rows.order_by("pk").values())
    if before is not None:  # called after the rows were read, so that it covers all of them
        old_values = before(rows)
        stored = [{**row, **old_values.get(row["id"], {})} for row in stored]
    exported = [{name: value for name, value in row.items() if name not in omitted_here} for row in stored]
    periods = Period.objects.in_bulk({row["period_id"] for row in exported if row.get("period_id")})
    return [row | {"period": str(periods[row["period_id"]])} if row.get("period_id") else row for row in exported]
