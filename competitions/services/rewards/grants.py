"""Insert and revoke grants with their webhooks, in the caller's transaction, in chunks.

The players' notices are written later (``services/notices/reward_notices.py``).
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from competitions.models import RewardGrant
from foundation.chunks import in_chunks
from foundation.webhooks.outbox import enqueue_all, event_id
from leaderboards.models import Player

CHUNK = 1000


def insert_grants(grants: Iterable[RewardGrant], at: datetime) -> int:
    """Insert new grants and queue their webhooks; returns how many."""
    written = 0
    for chunk in in_chunks(grants, CHUNK):
        written += len(RewardGrant.objects.bulk_create(chunk))
        _announce("reward.granted", chunk, at)
    return written


def revoke_grants(grants: Sequence[RewardGrant], reason: str, at: datetime, withheld: bool = False) -> int:
    """Revoke active grants, which the caller has locked, and queue their webhooks; returns how many.

    ``withheld`` means that staff revoke them: their players do not earn these tiers again. ``reason`` has at most 300
    characters.
    """
    for chunk in in_chunks(grants, CHUNK):
        for grant in chunk:
            grant.revoked_at, grant.revoked_reason = at, reason
            grant.withheld_at = at if withheld else None
        rows = RewardGrant.objects.filter(pk__in=[grant.pk for grant in chunk])
        rows.update(revoked_at=at, revoked_reason=reason, withheld_at=at if withheld else None)
        _announce("reward.revoked", chunk, at)
    return len(grants)


def revoked_message_ids(grants: Iterable[RewardGrant]) -> list[str]:
    """Return the ids that the webhook messages of these revoked grants may have: old messages have no moment in it."""
    return [each for grant in grants for each in (f"revoked-{grant.pk}", _message_id(grant))]


def _message_id(grant: RewardGrant) -> str:
    if grant.revoked_at is None:
        return event_id(f"grant-{grant.pk}", grant.granted_at)
    return event_id(f"revoked-{grant.pk}", grant.revoked_at)


def _announce(kind: str, grants: Sequence[RewardGrant], at: datetime) -> None:
    players = Player.objects.in_bulk([grant.player_id for grant in grants])
    payloads = {_message_id(grant): _payload(grant, players[grant.player_id]) for grant in grants}
    enqueue_all(kind, payloads, at)


def _payload(grant: RewardGrant, player: Player) -> dict[str, object]:
    payload: dict[str, object] = {
        "grant": grant.pk,
        "reward": grant.name,
        "code": grant.code,
        "player": player.external_id,
        "rank": grant.rank,
        "board": grant.period.board_id,
        "period": grant.period.label,
        "competition": grant.competition_id,
    }
    if grant.revoked_at is None:
        return payload
    # If it was delivered, the game has to take the reward back; otherwise it must not deliver it.
    return payload | {"reason": grant.revoked_reason, "delivered_at": grant.delivered_at}
