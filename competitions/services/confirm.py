"""A result becomes final, once: somebody confirms it, or its review is over (``services/finish.py``).

All that comes with it is one transaction: the mark, the first revision, the webhook. The trap: confirming reveals
nothing. A result that a freeze hides is final behind the curtain until somebody reveals it.
"""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from competitions.errors import CompetitionOver, NotClosed
from competitions.models import Change, ChangeKind, Competition
from competitions.services.changes import announce, note, reason_given
from competitions.services.locked import locked
from competitions.services.revise import revise
from foundation.failpoints import failpoint
from leaderboards.selectors.hidden import forget_hidden


def confirm(competition: Competition, at: datetime, by: AbstractBaseUser | None, reason: str = "") -> Competition:
    """Make a provisional result final; again changes nothing. The reason may be left out.

    Raises ``NotClosed``, ``CompetitionOver`` where it was cancelled, or ``BadCompetition`` for too long a reason.
    """
    reason = reason_given(reason) if reason.strip() else ""
    with transaction.atomic():
        held = locked(competition)
        if held.final_at is not None:
            return held
        if held.cancelled_at is not None:
            raise CompetitionOver("It was cancelled: it has no result to confirm.")
        if held.closed_at is None:
            raise NotClosed("It is not closed yet: its result can be confirmed once it is.")
        make_final(held, at, note(held, ChangeKind.CONFIRMED, at, by, reason))
    return held


def revise_if_final(held: Competition, at: datetime, change: Change) -> None:
    """An act on a final result publishes it anew, in the caller's transaction, which holds the competition's row."""
    if held.final_at is not None:
        forget_hidden()  # what the act hides or shows is in this transaction alone
        revise(held, at, change)


def make_final(held: Competition, at: datetime, change: Change | None = None) -> None:
    """Make the result final in the caller's transaction, which holds the competition's row and knows it is not yet."""
    held.final_at = at
    held.save(update_fields=["final_at"])
    revise(held, at, change)
    announce(held, "final", f"competition-{held.pk}-final", at)
    failpoint("confirm.before_commit")
