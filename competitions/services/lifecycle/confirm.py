"""Make a result final: by a confirmation, or when its review ends (``services/lifecycle/finish.py``).

The timestamp, the first revision and the webhook are one transaction. The trap: confirming reveals nothing. A frozen
result is final, but hidden until it is revealed.
"""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from competitions.errors import CompetitionOver, NotClosed
from competitions.models import Change, ChangeKind, Competition
from competitions.services.change_log import clean_reason, queue_webhook, record_change
from competitions.services.locks import get_or_open_period, lock_competition
from competitions.services.results.revisions import publish_revision
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.webhooks.outbox import event_id
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.periods.announce import announce_final


def confirm(competition: Competition, at: datetime, by: AbstractBaseUser | None, reason: str = "") -> Competition:
    """Make a provisional result final. Idempotent. The reason is optional.

    Raises ``NotClosed``, ``CompetitionOver`` if it was cancelled, or ``BadCompetition`` if the reason is too long.
    """
    reason = clean_reason(reason) if reason.strip() else ""
    with transaction.atomic():
        locked = lock_competition(competition)
        if locked.final_at is not None:
            return locked
        if locked.cancelled_at is not None:
            raise CompetitionOver(Message("It was cancelled: it has no result to confirm."))
        if locked.closed_at is None:
            raise NotClosed(Message("It is not closed yet: its result can be confirmed once it is."))
        make_final(locked, at, record_change(locked, ChangeKind.CONFIRMED, at, by, reason))
    return locked


def revise_if_final(locked: Competition, at: datetime, change: Change) -> None:
    """Publish a new revision after ``change``, if the result is final. The caller's transaction holds the row lock."""
    if locked.final_at is not None:
        clear_hidden_cache()  # the cache does not have what this transaction has hidden or shown
        publish_revision(locked, at, change)


def make_final(locked: Competition, at: datetime, change: Change | None = None) -> None:
    """Make the result final in the caller's transaction, which has locked the row and checked that it is not final."""
    locked.final_at = at
    locked.save(update_fields=["final_at"])
    publish_revision(locked, at, change)
    queue_webhook(locked, "final", event_id(f"competition-{locked.pk}-final", at), at)
    if not locked.is_hidden(at):  # else the reveal announces it
        announce_final(get_or_open_period(locked), at)
    failpoint("confirm.before_commit")
