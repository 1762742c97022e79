"""All that is kept of a player, for the player: his own row, and every row of any app that points to it.

What names him by his id alone is looked up by that. Of redis boards SQL has what is mirrored.
"""

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import override

from foundation.models import AuditEntry, DeadLetter
from leaderboards.errors import UnknownPlayer
from leaderboards.models import Difference, FinalStanding, Period, Player, Standing

NOT_TOLD = ("code_hash", "by_name")  # one-time codes, and the names of staff


def all_kept(external_id: str) -> dict[str, Any]:
    """The columns of his rows, by kind of row. Raises ``UnknownPlayer``."""
    player = Player.objects.filter(external_id=external_id).first()
    if player is None:
        raise UnknownPlayer(f"There is no player {external_id!r}.")
    user = player.user and {"username": player.user.get_username(), "email": player.user.email}
    return {
        "player": Player.objects.values().get(pk=player.pk),
        "user": user,
        **{_kind(rows): _shown(rows) for rows in _rows_of(player)},
    }


def _kind(rows: QuerySet[Any]) -> str:
    """In English whatever the site speaks: programs read it too, and two kinds may share a word elsewhere."""
    with override("en"):
        return str(rows.model._meta.verbose_name_plural)


def final_standings_of(player: Player) -> QuerySet[FinalStanding]:
    """Through the periods that he has a standing in: no index of the final ones begins with the player."""
    played = Standing.objects.filter(player=player).values("period")
    return FinalStanding.objects.filter(period__in=played, player=player)


def _rows_of(player: Player) -> list[QuerySet[Any]]:
    pointing = [
        relation.related_model._default_manager.filter(**{relation.field.name: player})
        for relation in Player._meta.related_objects
        if relation.related_model is not FinalStanding
    ]
    named: list[QuerySet[Any]] = [
        final_standings_of(player),
        DeadLetter.objects.filter(payload__player=player.external_id),
        Difference.objects.filter(player=player.external_id),
        AuditEntry.objects.filter(subjects__kind="player", subjects__key=str(player.pk)),
    ]
    return [*pointing, *named]


def _shown(rows: QuerySet[Any]) -> list[dict[str, Any]]:
    """Periods by board and label, secrets not at all."""
    stored = rows.order_by("pk").values()
    found = [{name: value for name, value in row.items() if name not in NOT_TOLD} for row in stored]
    periods = Period.objects.in_bulk({row["period_id"] for row in found if row.get("period_id")})
    return [row | {"period": str(periods[row["period_id"]])} if row.get("period_id") else row for row in found]
