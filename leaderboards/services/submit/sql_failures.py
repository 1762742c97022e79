"""What SQL's failures mean for entries that are being decided: begin again, give up, or say that nobody knows."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import OperationalError

from foundation.db.resilience import CONNECTION_ERRORS
from leaderboards.errors import OutcomeUnknown

logger = logging.getLogger(__name__)

LOCK_NOT_AVAILABLE = "55P03"


def should_retry(error: OperationalError) -> bool:
    """Whether the transaction is worth another start. Raises the error where SQL is away."""
    if _said(error) == LOCK_NOT_AVAILABLE:
        return False
    if not _is_contention(error):
        raise error
    logger.warning("contention in SQL; starting the transaction again", exc_info=True)
    return True


def _is_contention(error: OperationalError) -> bool:
    """A deadlock or a serialization failure (PostgreSQL), or a lock not had in time (SQLite)."""
    return _said(error) in ("40P01", "40001") or "locked" in str(error)


def _is_refusal(error: Exception) -> bool:
    """Whether SQL said no, and so has kept nothing. A connection that ends says nothing, or only that it ends."""
    said = _said(error)
    return bool(said) and not said.startswith(("08", "57P"))


def _said(error: Exception) -> str:
    """PostgreSQL's code for it, empty where the server said none."""
    return getattr(error.__cause__, "sqlstate", None) or ""


@dataclass
class CommitState:
    """Whether the COMMIT may have been sent, and whether SQL has answered all that was sent with it and before."""

    is_sent: bool = False
    is_acknowledged: bool = False

    def may_have_committed(self, error: Exception) -> bool:
        """Whether a transaction that failed so may count all the same: of what SQL refused it has kept nothing, but
        who asks it something else after the answer is refused that alone."""
        return self.is_sent and (self.is_acknowledged or not _is_refusal(error))


@contextmanager
def detect_unknown_commit() -> Iterator[CommitState]:
    """Around a transaction: where SQL goes away in its COMMIT, nobody knows whether the entries count."""
    commit = CommitState()
    try:
        yield commit
    except CONNECTION_ERRORS as error:
        if not commit.may_have_committed(error):
            raise
        raise OutcomeUnknown("SQL did not say whether it kept the entries; send those with an `id` again.") from error
