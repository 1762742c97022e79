"""Describe whether a board is live, and why not, for its page in the admin."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from foundation.errors import Unavailable
from foundation.redis import client as redis
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.models import ACTIVE_STATES, Board, Period, Storage
from leaderboards.selectors.monitoring.resync_progress import count_pending_publish, count_ranked
from leaderboards.stores.dynamodb.table import table_problem

MOST = 3


@dataclass(frozen=True, slots=True)
class Liveness:
    """Whether a board is live, and sentences that explain it."""

    is_live: bool
    lines: list[str]


def liveness_of(board: Board) -> Liveness:
    """Check the board's running periods; a board with SQL storage is always live."""
    if board.storage == Storage.SQL:
        return Liveness(True, [_("Live: SQL alone decides and shows.")])
    if board.storage == Storage.DYNAMODB:
        return _liveness_in_dynamodb()
    if not _redis_answers():
        lines = [_("Not live: Redis does not answer. Pages show the standings from SQL.")]
        if board.storage == Storage.REDIS:
            lines.append(_("It takes no scores meanwhile, since Redis decides over it."))
        return Liveness(False, lines)
    living = Period.objects.filter(board=board, state__in=ACTIVE_STATES, stale_since__isnull=False)
    stale = list(living.order_by("stale_since")[:MOST])
    if not stale:
        return Liveness(True, [_("Live: Redis shows what was decided.")])
    return Liveness(False, [_line(period) for period in stale])


def _liveness_in_dynamodb() -> Liveness:
    try:
        problem = table_problem()
    except Unavailable as error:
        problem = error.detail
    if problem:
        return Liveness(False, [_("Not live: %(problem)s It takes no scores meanwhile.") % {"problem": problem}])
    return Liveness(True, [_("Live: DynamoDB decides and shows.")])


def _line(period: Period) -> str:
    words = {"period": period.label, "since": in_utc(period.stale_since) if period.stale_since else "–"}
    if period.needs_full_rebuild:
        words |= {"done": f"{period.rebuild_progress:,}", "all": f"{count_ranked(period):,}"}
        return _("Not live: %(period)s is being rebuilt since %(since)s, %(done)s of %(all)s.") % words
    missing = count_pending_publish(period)
    words |= {"missing": f"{missing:,}"}
    if missing:
        return _("Not live: since %(since)s Redis lacks %(missing)s standings of %(period)s.") % words
    return _("Not live: since %(since)s nobody knows what Redis lacks of %(period)s.") % words


def _redis_answers() -> bool:
    try:
        redis.boards().call("PING")
    except Unavailable:
        return False
    return True
