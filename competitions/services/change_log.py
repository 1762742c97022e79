"""The record of changes to a competition, and their webhooks, written in the caller's transaction."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from competitions.errors import BadCompetition
from competitions.models import Change, ChangeKind, Competition
from foundation.audit import record
from foundation.messages import Message
from foundation.reasons import LONGEST_REASON, is_reason
from foundation.webhooks.outbox import enqueue, event_id
from leaderboards.models import Player

_SUBJECT_KINDS = {"submission": "submission", "comment": "comment", "grant": "reward"}
_ANNOUNCED = (ChangeKind.PUBLISHED, ChangeKind.EXTENDED, ChangeKind.CANCELLED, ChangeKind.REVEALED)


def clean_reason(reason: str) -> str:
    """Return the stripped reason. Raises ``BadCompetition`` if it is empty or too long."""
    if not is_reason(reason):
        raise BadCompetition(Message("Give a reason of 1 to %(most)s characters.", most=LONGEST_REASON), "reason")
    return reason.strip()


def record_change(
    competition: Competition,
    kind: ChangeKind,
    at: datetime,
    by: AbstractBaseUser | None,
    reason: str = "",
    **details: Any,
) -> Change:
    """Add a change and an audit entry, and queue a webhook for the kinds that are announced."""
    change = Change.objects.create(
        competition=competition, kind=kind, at=at, by_id=by.pk if by else None, reason=reason, details=details
    )
    _add_audit_entry(change, by)
    if kind in _ANNOUNCED:
        queue_webhook(competition, kind, event_id(f"change-{change.pk}", at), at, reason=reason)
    return change


def _add_audit_entry(change: Change, by: AbstractBaseUser | None) -> None:
    """Add the change to the audit log, where players and scores are subjects by number, without the form's token."""
    note = {name: value for name, value in change.details.items() if name not in ("token", "from", "to")}
    subjects: list[tuple[str, object]] = [("competition", change.competition_id)]
    subjects.append(("board", change.competition.board_id))
    if "player" in note:
        players = Player.objects.filter(external_id=note["player"]).values_list("pk", flat=True)
        subjects += [("player", number) for number in players]
    subjects += [(kind, note[name]) for name, kind in _SUBJECT_KINDS.items() if name in note]
    record(
        f"competition.{change.kind}",
        at=change.at,
        by=by,
        reason=change.reason,
        subjects=subjects,
        before={"end": change.details["from"]} if "from" in change.details else None,
        after={"end": change.details["to"]} if "to" in change.details else None,
        note=note,
    )


def queue_webhook(competition: Competition, event: str, message_id: str, at: datetime, **more: Any) -> None:
    """Queue the webhook ``competition.<event>`` in the outbox. It never contains standings."""
    payload = {
        "competition": {"id": competition.pk, "name": competition.name, "board": competition.board_id},
        "starts_at": competition.starts_at,
        "ends_at": competition.ends_at,
    }
    enqueue(f"competition.{event}", message_id, payload | more, at)
