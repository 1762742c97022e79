"""Test scores: one entry that an admin sends to a board, through the submit path of game servers.

It is marked twice: its service is ``SERVICE``, a name that no key may have, and its id begins with ``test-``. It counts
like any other score until it is voided.

The score is decided in a transaction of the store, or by Redis. So the audit log gets its entry in a transaction
before: no score can count without it. The trap: the entry says that the score was sent, not what became of it.
"""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from foundation import clock
from foundation.audit import record
from foundation.messages import Message
from leaderboards.core.input.entries import Entry
from leaderboards.core.submissions import Caller, Outcome, Status
from leaderboards.errors import UnknownCompetition
from leaderboards.models import Board, Submission
from leaderboards.services import events
from leaderboards.services.players.profiles import ensure_player
from leaderboards.services.submit.pipeline import submit

SERVICE = "admin-test"
TESTED = "score.tested"
_CALLER = Caller(SERVICE)


def rehearse(board: Board, entry: Entry, at: datetime) -> Outcome:
    """The outcome that the entry would have; nothing is applied. Raises as ``send``."""
    _require_own_competition(board, entry, at)
    return submit([entry], _CALLER, at, dry_run=True)[0]


def send(board: Board, entry: Entry, at: datetime, by: AbstractBaseUser) -> Outcome:
    """Submit the entry; the outcome has the player's rank.

    Raises ``ClockOff``, as the API, and ``UnknownCompetition`` where the entry's competition is of another board.
    """
    clock.refuse_if_off()
    rehearsed = rehearse(board, entry, at)
    if rehearsed.status is Status.REJECTED:
        return rehearsed
    if rehearsed.status is not Status.DUPLICATE:
        _record(board, entry, at, by)
    return submit([entry], _CALLER, at, ranks=True)[0]


@transaction.atomic
def _record(board: Board, entry: Entry, at: datetime, by: AbstractBaseUser) -> None:
    player = ensure_player(entry.player, at)
    record(TESTED, at=at, by=by, subjects=[("board", board.seq), ("player", player.pk)], note={"id": entry.external_id})


def _require_own_competition(board: Board, entry: Entry, at: datetime) -> None:
    if entry.competition is None:
        return
    event = events.source().find_events([entry.competition], at).get(entry.competition)
    if isinstance(event, events.Event) and event.board.seq != board.seq:
        raise UnknownCompetition(Message("There is no competition %(number)s.", number=entry.competition))


def sent_to(board: Board) -> list[Submission]:
    """The latest test scores that count; none on redis boards, which keep no submissions."""
    rows = Submission.objects.filter(service=SERVICE, board=board, voided_at=None)
    return list(rows.select_related("player", "period__board").order_by("-pk")[:5])
