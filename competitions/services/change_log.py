"""The record of what people do to a competition, and the webhook that goes with it: in the caller's transaction."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from competitions.errors import BadCompetition
from competitions.models import Change, ChangeKind, Competition
from foundation.audit import record
from foundation.reasons import LONGEST_REASON, is_reason
from foundation.webhooks.outbox import enqueue
from leaderboards.models import Player

_NUMBERED = {"submission": "submission", "comment": "comment", "grant": "reward"}
_ANNOUNCED = (ChangeKind.PUBLISHED, ChangeKind.EXTENDED, ChangeKind.CANCELLED, ChangeKind.REVEALED)


def clean_reason(reason: str) -> str:
    """The reason without blanks around it. Raises ``BadCompetition`` where there is none, or too much of it."""
    if not is_reason(reason):
        raise BadCompetition(f"Give a reason of 1 to {LONGEST_REASON} characters.", "reason")
    return reason.strip()


def record_change(
    competition: Competition,
    kind: ChangeKind,
    at: datetime,
    by: AbstractBaseUser | None,
    reason: str = "",
    **details: Any,
) -> Change:
    """Add a row to the record and an entry to the audit log, and tell the site's own systems where they may care."""
    change = Change.objects.create(
        competition=competition, kind=kind, at=at, by_id=by.pk if by else None, reason=reason, details=details
    )
    _record(change, by)
    if kind in _ANNOUNCED:
        queue_webhook(competition, kind, f"change-{change.pk}", at, reason=reason)
    return change


def _record(change: Change, by: AbstractBaseUser | None) -> None:
    """The same in the audit log, where people and scores are subjects by their numbers. A form's token is nobody's
    business."""
    said = {name: value for name, value in change.details.items() if name not in ("token", "from", "to")}
    subjects: list[tuple[str, object]] = [("competition", change.competition_id)]
    subjects.append(("board", change.competition.board_id))
    if "player" in said:
        players = Player.objects.filter(external_id=said["player"]).values_list("pk", flat=True)
        subjects += [("player", number) for number in players]
    subjects += [(kind, said[name]) for name, kind in _NUMBERED.items() if name in said]
    record(
        f"competition.{change.kind}",
        at=change.at,
        by=by,
        reason=change.reason,
        subjects=subjects,
        before={"end": change.details["from"]} if "from" in change.details else None,
        after={"end": change.details["to"]} if "to" in change.details else None,
        note=said,
    )


def queue_webhook(competition: Competition, what: str, message_id: str, at: datetime, **more: Any) -> None:
    """Put a webhook about a competition into the outbox. It never says who stands where."""
    payload = {
        "competition": {"id": competition.pk, "name": competition.name, "board": competition.board_id},
        "starts_at": competition.starts_at,
        "ends_at": competition.ends_at,
    }
    enqueue(f"competition.{what}", message_id, payload | more, at)
