"""A result becomes final, once: somebody confirms it, or its review is over (``services/lifecycle/finish.py``).

All that comes with it is one transaction: the mark, the first revision, the webhook. The trap: confirming reveals
nothing. A result that a freeze hides is final behind the curtain until somebody reveals it.
"""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from competitions.errors import CompetitionOver, NotClosed
from competitions.models import Change, ChangeKind, Competition
from competitions.services.change_log import clean_reason, queue_webhook, record_change
from competitions.services.locks import lock_competition
from competitions.services.results.revisions import publish_revision
from foundation.failpoints import failpoint
from leaderboards.selectors.visibility.hidden import clear_hidden_cache


def confirm(competition: Competition, at: datetime, by: AbstractBaseUser | None, reason: str = "") -> Competition:
    """Make a provisional result final; again changes nothing. The reason may be left out.

    Raises ``NotClosed``, ``CompetitionOver`` where it was cancelled, or ``BadCompetition`` for too long a reason.
    """
    reason = clean_reason(reason) if reason.strip() else ""
    with transaction.atomic():
        locked = lock_competition(competition)
        if locked.final_at is not None:
            return locked
        if locked.cancelled_at is not None:
            raise CompetitionOver("It was cancelled: it has no result to confirm.")
        if locked.closed_at is None:
            raise NotClosed("It is not closed yet: its result can be confirmed once it is.")
        make_final(locked, at, record_change(locked, ChangeKind.CONFIRMED, at, by, reason))
    return locked


def revise_if_final(locked: Competition, at: datetime, change: Change) -> None:
    """An act on a final result publishes it anew, in the caller's transaction, which holds the competition's row."""
    if locked.final_at is not None:
        clear_hidden_cache()  # what the act hides or shows is in this transaction alone
        publish_revision(locked, at, change)


def make_final(locked: Competition, at: datetime, change: Change | None = None) -> None:
    """Make the result final in the caller's transaction, which holds the competition's row and knows it is not yet."""
    locked.final_at = at
    locked.save(update_fields=["final_at"])
    publish_revision(locked, at, change)
    queue_webhook(locked, "final", f"competition-{locked.pk}-final", at)
    failpoint("confirm.before_commit")
