"""What becomes of an entry: the decision of a store, made into the outcome that the caller gets."""

from typing import NamedTuple

from foundation.errors import SunwiError
from leaderboards.core.input.entries import Entry
from leaderboards.core.ranking.policies import StandingState
from leaderboards.core.submissions import Outcome, Status, UnreadableEntry
from leaderboards.errors import Implausible, NotOpen, OutcomeUnknown
from leaderboards.models import Period
from leaderboards.services.submit.items import Target


class EntryDecision(NamedTuple):
    """The status with the player's standing after the entry, or the error that refused it."""

    status: Status
    period: Period | None = None
    state: StandingState | None = None
    error: SunwiError | None = None


def refused(error: SunwiError) -> EntryDecision:
    """A refusal: ``rejected``; ``quarantined`` for ``Implausible``, ``unknown`` for ``OutcomeUnknown``."""
    if isinstance(error, Implausible):
        return EntryDecision(Status.QUARANTINED, error=error)
    return EntryDecision(Status.UNKNOWN if isinstance(error, OutcomeUnknown) else Status.REJECTED, error=error)


def outcome(entry: Entry, target: Target | None, decision: EntryDecision) -> Outcome:
    """The outcome of a decided entry; without a target its board is not known."""
    period, state = decision.period, decision.state
    points, fields = period.rules.shown(state.value) if period and state else (None, None)
    event = target.event if target else None
    return Outcome(
        position=entry.position,
        status=decision.status,
        player=entry.player,
        board=target.board.seq if target else entry.board,
        competition=entry.competition,
        period=period.label if period else None,
        points=points,
        fields=fields,
        hides_ranks=event is not None and event.hides_ranks,
        code=_code(decision.error),
        detail=decision.error.detail if decision.error else None,
        opens_at=decision.error.opens_at if isinstance(decision.error, NotOpen) else None,
    )


def unreadable(entry: UnreadableEntry) -> Outcome:
    """The outcome of an entry that could not be read."""
    return Outcome(
        position=entry.position,
        status=Status.REJECTED,
        player=entry.player,
        board=entry.board,
        competition=entry.competition,
        code=entry.error.code,
        detail=entry.error.detail,
    )


def _code(error: SunwiError | None) -> str | None:
    if error is None:
        return None
    return error.rule if isinstance(error, Implausible) else error.code
