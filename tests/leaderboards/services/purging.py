"""Submissions that are purged, asked for and done to the end, and undone: what tests of purges begin with."""

from datetime import datetime, timedelta
from typing import Any

from foundation.audit.models import AuditEntry
from foundation.audit.undo import undo
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Board, Player, Purge, Submission
from leaderboards.selectors.moderation.purges import PurgeRange
from leaderboards.services.moderation import purge as asking
from leaderboards.services.moderation.purge import request_purge
from leaderboards.services.moderation.run_purge import run_due
from leaderboards.services.submit.pipeline import submit
from tests.leaderboards.services.site import NOON

HOUR = timedelta(hours=1)


def send(board: Board, player: str, number: int, at: datetime = NOON, service: str = "one") -> Submission:
    """One submission, received at that moment."""
    [outcome] = submit([read_entry({"board": board.seq, "player": player, "points": number}, 0)], Caller(service), at)
    assert outcome.status.is_accepted
    return Submission.objects.latest("pk")


def of(player: str = "", *, since: datetime = NOON, until: datetime = NOON + HOUR, **named: Any) -> PurgeRange:
    """An hour from noon on, of a player or of what else is named."""
    number = Player.objects.get(external_id=player).pk if player else None
    return PurgeRange(since, until, number, **named)


def ask(chosen: PurgeRange, at: datetime = NOON + 2 * HOUR) -> Purge:
    return request_purge(chosen, "A leaked key.", at, None)


def purge(chosen: PurgeRange, at: datetime = NOON + 2 * HOUR) -> Purge:
    """Asked for, and done to the end."""
    made = ask(chosen, at)
    run_due(at, 60.0)
    made.refresh_from_db()
    assert made.finished_at == at
    return made


def undo_it(made: Purge, at: datetime = NOON + 3 * HOUR) -> None:
    undo(AuditEntry.objects.get(act=asking.PURGED, note__purge=made.pk).pk, "Not leaked.", at, None)
    run_due(at, 60.0)
    made.refresh_from_db()
    assert made.undone_at == at
