"""What became of one entry, while a request is under way."""

from typing import NamedTuple

from foundation.errors import SunwiError
from leaderboards.core.input.entries import Entry
from leaderboards.core.ranking.policies import StandingState
from leaderboards.core.submissions import Outcome, Status
from leaderboards.errors import Implausible, OutcomeUnknown
from leaderboards.models import Period
from leaderboards.services.submit.resolve import Target


class EntryDecision(NamedTuple):
    """The status with the player's standing after the entry, or the error that refused it."""

    status: Status
    period: Period | None = None
    state: StandingState | None = None
    error: SunwiError | None = None


def refused(error: SunwiError) -> EntryDecision:
    """A refusal; one whose outcome nobody knows is no refusal, and what is quarantined is none either."""
    if isinstance(error, Implausible):
        return EntryDecision(Status.QUARANTINED, error=error)
    return EntryDecision(Status.UNKNOWN if isinstance(error, OutcomeUnknown) else Status.REJECTED, error=error)


def outcome(entry: Entry, target: Target | None, decided: EntryDecision) -> Outcome:
    """The decision as it leaves the service; without a target the entry's board is not known."""
    period, state = decided.period, decided.state
    points, fields = period.rules.shown(state.value) if period and state else (None, None)
    return Outcome(
        position=entry.position,
        status=decided.status,
        player=entry.player,
        board=target.board.seq if target else entry.board,
        competition=entry.competition,
        period=period.label if period else None,
        points=points,
        fields=fields,
        hides_ranks=target is not None and target.hides_ranks,
        code=_code(decided.error),
        detail=decided.error.detail if decided.error else None,
    )


def _code(error: SunwiError | None) -> str | None:
    if error is None:
        return None
    return error.rule if isinstance(error, Implausible) else error.code
