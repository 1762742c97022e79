"""Players and their profiles: creating them, locking them, and setting what the game knows of them."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from foundation.audit import record
from foundation.audit.row_values import subjects_of
from foundation.messages import Message
from leaderboards.core.erased_ids import is_id_of_erased
from leaderboards.errors import BadEntry, UnknownPlayer
from leaderboards.models import Player
from leaderboards.selectors.exports.cached_files import invalidate_cached_files
from leaderboards.selectors.player_data.names import forget_names
from leaderboards.stores.sql.writes import ensure_players

PROFILE_FIELDS = ("name", "avatar_url", "country")


def ensure_player(external_id: str, at: datetime) -> Player:
    """The player of this id, created if unknown."""
    return ensure_players([external_id], at)[external_id]


def lock_player(player: Player) -> Player:
    """The player's row, locked until the transaction ends, so that no ban or erasure comes in between.

    Raises ``UnknownPlayer`` if the player was erased, which keeps the number but not the id.
    """
    locked = Player.objects.select_for_update(no_key=True).filter(pk=player.pk, external_id=player.external_id).first()
    if locked is None:
        raise UnknownPlayer(Message("There is no such player any more."))
    return locked


def is_erased(player: Player) -> bool:
    """Whether the player was erased, or is being erased."""
    return is_id_of_erased(player.external_id, player.pk) or player.erasing_since is not None


def refuse_erased(player: Player) -> None:
    """Raise ``UnknownPlayer`` if the player was erased or is being erased."""
    if is_erased(player):
        raise UnknownPlayer(Message("The player was erased: what they had stays as it is."))


def set_profile(external_id: str, profile: dict[str, str], at: datetime) -> Player:
    """Set the ``PROFILE_FIELDS`` in ``profile``; the player is created if unknown. Raises ``BadEntry``.

    Changes are recorded in the audit log.
    """
    unknown = [field for field in profile if field not in PROFILE_FIELDS]
    if unknown:
        raise BadEntry(
            Message(
                "A player has no %(name)s; they have %(fields)s.",
                name=repr(unknown[0]),
                fields=", ".join(PROFILE_FIELDS),
            )
        )
    player = ensure_player(external_id, at)
    if profile:
        is_renamed = profile.get("name", player.name) != player.name
        before = {field: getattr(player, field) for field in profile if getattr(player, field) != profile[field]}
        with transaction.atomic():
            Player.objects.filter(external_id=external_id).update(**profile)  # the erased keep their number
            if before:
                after = {field: profile[field] for field in before}
                record("player.changed", at=at, subjects=subjects_of(player), before=before, after=after)
            if is_renamed:
                invalidate_cached_files()
    player.refresh_from_db(fields=PROFILE_FIELDS)
    forget_names([external_id])
    return player


def fill_missing_names(names: Mapping[str, str]) -> None:
    """Name known players (by id) who have no name; empty names are ignored."""
    wanted = {external_id: name for external_id, name in names.items() if name}
    if not wanted:
        return
    with transaction.atomic():
        nameless = Player.objects.select_for_update(no_key=True).filter(external_id__in=wanted, name="")
        players = [*nameless.order_by("pk")]
        for player in players:
            player.name = wanted[player.external_id]
        Player.objects.bulk_update(players, ["name"])
        if players:
            invalidate_cached_files()
    forget_names(wanted)
