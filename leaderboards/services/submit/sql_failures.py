"""What SQL's errors mean for entries that are being decided: retry, give up, or report an unknown outcome."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import OperationalError

from foundation.db.resilience import CONNECTION_ERRORS
from foundation.messages import Message
from leaderboards.errors import OutcomeUnknown

logger = logging.getLogger(__name__)

LOCK_NOT_AVAILABLE = "55P03"


def should_retry(error: OperationalError) -> bool:
    """Whether to start the transaction again. Raises the error if it is no contention, such as a lost connection."""
    if _sqlstate(error) == LOCK_NOT_AVAILABLE:
        return False
    if not is_contention(error):
        raise error
    logger.warning("contention in SQL; starting the transaction again", exc_info=True)
    return True


def is_contention(error: OperationalError) -> bool:
    """A deadlock or a serialization failure (PostgreSQL), or a lock timeout (SQLite)."""
    return _sqlstate(error) in ("40P01", "40001") or "locked" in str(error)


def _is_refusal(error: Exception) -> bool:
    """Whether the server refused the statement, so that nothing is stored. A lost connection (08, 57P) is not that."""
    code = _sqlstate(error)
    return bool(code) and not code.startswith(("08", "57P"))


def _sqlstate(error: Exception) -> str:
    """PostgreSQL's error code, empty if the server sent none."""
    return getattr(error.__cause__, "sqlstate", None) or ""


@dataclass
class CommitState:
    """Whether the COMMIT may have been sent, and whether SQL has answered it and everything before it."""

    is_sent: bool = False
    is_acknowledged: bool = False

    def may_have_committed(self, error: Exception) -> bool:
        """Whether the transaction may have committed in spite of this error.

        If SQL refuses a statement, nothing is stored; but a refusal after the COMMIT was answered concerns a later one.
        """
        return self.is_sent and (self.is_acknowledged or not _is_refusal(error))


@contextmanager
def detect_unknown_commit() -> Iterator[CommitState]:
    """Around a transaction: raise ``OutcomeUnknown`` if the connection is lost during its COMMIT."""
    commit = CommitState()
    try:
        yield commit
    except CONNECTION_ERRORS as error:
        if not commit.may_have_committed(error):
            raise
        raise OutcomeUnknown(
            Message("SQL did not say whether it kept the entries; send those with an `id` again.")
        ) from error
