"""Putting to Redis what SQL has decided: before the commit, and marked unsure until that is through."""

import logging
import secrets
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from foundation import redis
from foundation.errors import Unavailable
from foundation.failpoints import failpoint
from foundation.statements import Statements
from leaderboards.core.instants import milliseconds
from leaderboards.models import Period, Storage
from leaderboards.stores.sql_writes import StandingRow, mark_unput, write_standings
from leaderboards.stores.zset_writes import ENTRIES_PER_CALL, Put, ZsetWriter

logger = logging.getLogger(__name__)


def new_token(at: datetime) -> str:
    """A token that tells its age: milliseconds since 1970, then chance."""
    return f"{milliseconds(at)}-{secrets.token_hex(6)}"


def token_time_ms(token: str) -> int:
    """When the token was made."""
    return int(token.partition("-")[0])


def put_and_write(statements: Statements, period: Period, rows: Sequence[StandingRow], at: datetime) -> None:
    """Show standings in Redis and write them to SQL, with the mark of whether Redis has them.

    Call it as the last step of the transaction that holds the rows' locks. SQL writes while Redis does.
    """
    if not rows:
        return
    shown = period.board.storage == Storage.HYBRID
    write_standings(statements, period, rows, unput=shown and period.stale_since is not None)
    failpoint("submit.before_put")
    if shown and period.stale_since is None and not _put(period, rows, at):
        mark_unput(statements, period, rows, at)
    failpoint("submit.after_put")
    failpoint("submit.before_commit")
    transaction.on_commit(lambda: failpoint("submit.after_commit"))


def _put(period: Period, rows: Sequence[StandingRow], at: datetime) -> bool:
    """True if the rows are in Redis; False if nobody can promise it, and settling must put them."""
    writer, tokens = ZsetWriter(redis.boards()), []
    try:
        for start in range(0, len(rows), ENTRIES_PER_CALL):
            part = rows[start : start + ENTRIES_PER_CALL]
            tokens.append(new_token(at))
            writer.put(period, [Put(row.player, row.score, row.member) for row in part], tokens[-1])
    except Unavailable as error:
        logger.warning("put to Redis failed for period %s: %s", period.pk, error.detail)
        return False
    transaction.on_commit(lambda: _be_sure(writer, period, tokens))
    return True


def _be_sure(writer: ZsetWriter, period: Period, tokens: Sequence[str]) -> None:
    try:
        writer.settle_tokens(period, tokens)
    except Unavailable:  # the tokens stay, and settling looks after them when they are old
        logger.warning("unsure tokens of period %s stay for settling", period.pk)
