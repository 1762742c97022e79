"""A competition that ends tomorrow at ten, snapshots of it, and players with wishes: what tests of telling begin with.

Rows are written directly, so that the times may be any.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from competitions.models import Competition, Mail, Notice, Participant, Preference, Snapshot, SnapshotRow
from foundation.webhooks.models import WebhookDelivery, WebhookEndpoint
from leaderboards.models import Player
from leaderboards.services.players import ensure_player
from tests.competitions.site import make_board
from tests.playing import account

HOUR = timedelta(hours=1)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
NIGHT, MORNING = NOON + 14 * HOUR, NOON + 20 * HOUR
END = NOON + 22 * HOUR


def contest(*players: str, **settings: Any) -> Competition:
    """A published one with an alert for everything, and these players in it."""
    wanted = {
        "name": "A cup", "board": make_board(name=f"Board {Competition.objects.count()}"),
        "starts_at": NOON - 48 * HOUR, "ends_at": END, "published_at": NOON - 72 * HOUR,
        "alerts": ["first_taken", "first_lost", "top3_entered", "top10_entered"],
    }  # fmt: skip  # as a table
    made = Competition.objects.create(**wanted | settings)
    for player in players:
        Participant.objects.create(competition=made, player=who(player), joined_at=made.starts_at)
    return made


def who(name: str) -> Player:
    return ensure_player(name, NOON)


def wants(name: str, **wishes: Any) -> None:
    Preference.objects.update_or_create(player=who(name), defaults=wishes)


def with_address(name: str) -> None:
    """He is linked to a user who has an e-mail address."""
    account(name, name, email=f"{name}@example.com")


def snapshot(competition: Competition, due_at: datetime, *standings: str | tuple[str, ...]) -> Snapshot:
    """The standings as players, best first; a tuple shares a rank."""
    taken = Snapshot.objects.create(competition=competition, due_at=due_at, taken_at=due_at, total=len(standings))
    rank = 1
    for place in standings:
        tied = (place,) if isinstance(place, str) else place
        for name in tied:
            SnapshotRow.objects.create(snapshot=taken, player=who(name), rank=rank)
        rank += len(tied)
    return taken


def notices() -> list[tuple[str, str]]:
    """Who was told what, in the order of writing."""
    return list(Notice.objects.order_by("pk").values_list("player__external_id", "kind"))


def told() -> list[tuple[str, str]]:
    """What stands in inboxes."""
    return list(Notice.objects.filter(Notice.TOLD).order_by("pk").values_list("player__external_id", "kind"))


def mails() -> list[str]:
    return list(Mail.objects.order_by("pk").values_list("to", flat=True))


def listening() -> WebhookEndpoint:
    return WebhookEndpoint.objects.create(name="A game", url="https://example.com/hook", secret="whsec_x")


def hooks() -> list[tuple[str, str]]:
    """The messages to webhooks: kind and id."""
    return list(WebhookDelivery.objects.order_by("pk").values_list("kind", "message_id"))
