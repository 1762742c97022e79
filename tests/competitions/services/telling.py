"""A competition that ends tomorrow at ten, snapshots of it, and players with wishes: what tests of telling begin with.

Rows are written directly, so that the times may be any.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
from django.contrib.auth.models import User
from django.db.models import QuerySet

from competitions.models import Competition, Mail, Notice, Participant, Preference, Snapshot, SnapshotRow
from competitions.services.notices.notices import write_notices
from foundation.webhooks.models import WebhookDelivery
from leaderboards.models import Player
from tests.competitions.factories import EventBoardFactory
from tests.foundation.factories import WebhookEndpointFactory
from tests.leaderboards.factories import PlayerFactory

HOUR = timedelta(hours=1)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
NIGHT, MORNING = NOON + 14 * HOUR, NOON + 20 * HOUR
END = NOON + 22 * HOUR

listening = WebhookEndpointFactory.create


def contest(*players: str, **settings: Any) -> Competition:
    """A published one with an alert for everything, and these players in it."""
    wanted = {
        "name": "A cup", "starts_at": NOON - 48 * HOUR, "ends_at": END, "published_at": NOON - 72 * HOUR,
        "alerts": ["first_taken", "first_lost", "top3_entered", "top10_entered"],
    }  # fmt: skip  # as a table
    made = Competition.objects.create(board=EventBoardFactory.create(), **wanted | settings)
    for player in players:
        Participant.objects.create(competition=made, player=who(player), joined_at=made.starts_at)
    return made


def who(name: str) -> Player:
    return PlayerFactory.create(external_id=name)


def wants(name: str, **wishes: Any) -> None:
    Preference.objects.update_or_create(player=who(name), defaults=wishes)


def with_address(*names: str) -> None:
    """They are linked to users who have an e-mail address, and no password, which would take its time."""
    for name in names:
        user = User.objects.create(username=name, email=f"{name}@example.com")
        Player.objects.update_or_create(external_id=name, defaults={"user": user})


def noticed(competition: Competition, name: str, *kinds: str, at: datetime = NOON, **places: int) -> None:
    """The player is told of the one after the other."""
    for kind in kinds:
        write_notices([Notice(competition=competition, player=who(name), kind=kind, **places)], at)


def snapshot(competition: Competition, due_at: datetime, *standings: str | tuple[str, ...]) -> Snapshot:
    """The standings as players, best first; a tuple shares a rank."""
    total = sum(1 if isinstance(place, str) else len(place) for place in standings)
    taken = Snapshot.objects.create(competition=competition, due_at=due_at, taken_at=due_at, total=total)
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
    return list(Notice.objects.filter(Notice.IN_INBOX).order_by("pk").values_list("player__external_id", "kind"))


def mails() -> list[str]:
    return list(Mail.objects.order_by("pk").values_list("to", flat=True))


def hooks() -> list[tuple[str, str]]:
    """The messages to webhooks but ``period.final``, which has tests of its own: kind, and id without its moment."""
    rows = _deliveries().exclude(kind="period.final").values_list("kind", "message_id")
    return [(kind, without_moment(message_id)) for kind, message_id in rows]


def without_moment(message_id: str) -> str:
    """What the id is made of, but the milliseconds at its end."""
    name, _, moment = message_id.rpartition("-")
    assert re.fullmatch(r"[0-9]{13}", moment), message_id
    return name


def finals() -> list[tuple[str, dict[str, Any]]]:
    """The messages ``period.final``: id without its moment, and data."""
    rows = _deliveries().filter(kind="period.final").values_list("message_id", "body")
    return [(without_moment(message_id), orjson.loads(body)["data"]) for message_id, body in rows]


def _deliveries() -> QuerySet[WebhookDelivery]:
    return WebhookDelivery.objects.order_by("pk")
