"""Test scores: one entry that an admin sends to a board, through the submit path of game servers.

It is marked twice: its service is ``SERVICE``, a name that no key may have, and its id begins with ``test-``. The audit
log records the sender. It counts like any other score until it is voided.
"""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser

from foundation import clock
from foundation.audit import record
from leaderboards.core.input.entries import Entry
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.models import Board, Submission
from leaderboards.services.submit.pipeline import submit

SERVICE = "admin-test"
TESTED = "score.tested"
_CALLER = Caller(SERVICE)


def rehearse(entry: Entry, at: datetime) -> Outcome:
    """The outcome that the entry would have; nothing is applied."""
    return submit([entry], _CALLER, at, dry_run=True)[0]


def send(board: Board, entry: Entry, at: datetime, by: AbstractBaseUser) -> Outcome:
    """Submit the entry; the outcome has the player's rank. Raises ``ClockOff``, as the API."""
    clock.refuse_if_off()
    outcome = submit([entry], _CALLER, at, ranks=True)[0]
    if outcome.status.is_accepted:
        note = {"player": entry.player, "id": entry.external_id, "status": outcome.status}
        record(TESTED, at=at, by=by, subjects=[("board", board.seq)], note=note)
    return outcome


def sent_to(board: Board) -> list[Submission]:
    """The latest test scores that count; none on redis boards, which keep no submissions."""
    rows = Submission.objects.filter(service=SERVICE, board=board, voided_at=None)
    return list(rows.select_related("player", "period__board").order_by("-pk")[:5])
