"""What operators do to one period by hand: compare it with Redis, have it rebuilt there, and close it once it is due.

Each is an entry in the audit log. The worker does all three by itself too, so nothing here does what it would not.
"""

from contextlib import suppress
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from foundation import clock
from foundation.audit import record, register_action
from foundation.audit.row_values import subjects_of
from foundation.errors import Conflict
from foundation.messages import Message
from foundation.sync.redis_state import StaleGeneration
from leaderboards.models import Period, Storage
from leaderboards.selectors.monitoring.comparable import comparable_periods
from leaderboards.services.periods.close import Closed, close_period, is_due
from leaderboards.services.sync.mirror import mirror
from leaderboards.services.sync.rebuild import mark_for_rebuild
from leaderboards.services.sync.verify import verify
from leaderboards.services.sync.verify_result import VerifyResult, in_one

LONGEST_VERIFY_SECONDS = 5.0  # a page waits for it; the command `verify` has no limit
VERIFIED, REBUILD, CLOSED = "period.verified", "period.rebuild_asked", "period.closed_by_hand"


def register() -> None:
    """Register the actions with the audit log; none is undone."""
    register_action(VERIFIED, _("period compared with Redis"))
    register_action(REBUILD, _("rebuild of a period asked for"))
    register_action(CLOSED, _("period closed by hand"))


def is_comparable(period: Period, at: datetime) -> bool:
    """Whether Redis shows the period now, so that it can be compared and rebuilt."""
    return comparable_periods(at, period.board_id).filter(pk=period.pk).exists()


def verify_by_hand(
    period: Period, reason: str, at: datetime, by: AbstractBaseUser | None, *, repair: bool
) -> VerifyResult:
    """Compare a period for at most ``LONGEST_VERIFY_SECONDS``; with ``repair``, mend what still differs.

    Raises ``Conflict`` where there is nothing to compare, or what the client raises.
    """
    _require_comparable(period, at)
    until = clock.monotonic() + LONGEST_VERIFY_SECONDS
    result = in_one([verify(part, until, repair) for part in period.parts])
    found = {"compared": result.compared, "differences": result.differences, "repaired": result.repaired}
    record(VERIFIED, at=at, by=by, reason=reason, subjects=subjects_of(period), after=found)
    return result


def ask_for_rebuild(period: Period, reason: str, at: datetime, by: AbstractBaseUser | None) -> None:
    """Mark a period so that the worker rebuilds it from SQL; meanwhile SQL answers. Marked ones stay as they are.

    Raises ``Conflict`` where Redis does not show it, or what the client raises.
    """
    _require_comparable(period, at)
    if period.board.storage == Storage.REDIS:
        with suppress(StaleGeneration):  # then the resync assesses Redis's memory, and keeps what only Redis has
            mirror(period)
    with transaction.atomic():
        mark_for_rebuild(period, at)
        record(REBUILD, at=at, by=by, reason=reason, subjects=subjects_of(period))


def close_by_hand(period: Period, reason: str, at: datetime, by: AbstractBaseUser | None) -> Closed:
    """Close a period that is past its grace, as the worker does. Raises ``Conflict`` for any other."""
    if not is_due(period, at):
        raise Conflict(Message("This period is not past its end and its grace, or it is closed: nothing was done."))
    record(CLOSED, at=at, by=by, reason=reason, subjects=subjects_of(period))
    return close_period(period, at)


def _require_comparable(period: Period, at: datetime) -> None:
    if not is_comparable(period, at):
        raise Conflict(Message("Redis does not show this period: it is over, has not begun, or SQL alone keeps it."))
