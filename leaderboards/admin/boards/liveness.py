"""Describe whether a board is live, and why not, for its page in the admin."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.db.models import F
from django.utils.translation import gettext as _

from foundation.errors import Unavailable
from foundation.models import Heartbeat
from foundation.redis import client as redis
from foundation.tasks import REDIS
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.admin.wording.periods import period_in_words
from leaderboards.models import ACTIVE_STATES, IN_REDIS, OVER_STATES, Board, Period, Storage
from leaderboards.selectors.monitoring.resync_progress import count_pending_publish, count_ranked
from leaderboards.stores.dynamodb.table import table_problem

MOST = 3  # stale periods that are described
MOST_READ = 20


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
        return Liveness(False, [*_lines_without_redis(board)])
    active = Period.objects.filter(board=board, state__in=ACTIVE_STATES)
    living = list(active.select_related("board").order_by(F("stale_since").asc(nulls_last=True), "pk")[:MOST_READ])
    stale = [period for period in living if period.stale_since is not None]
    if stale:
        return Liveness(False, [_line(period) for period in stale[:MOST]])
    return Liveness(True, [*_lines_of_live(living)])


def liveness_of_period(period: Period) -> Liveness | None:
    """Check one period; None for one whose final ranks are in SQL, and for boards that Redis does not show."""
    if period.state in OVER_STATES or period.board.storage not in IN_REDIS:
        return None
    if not _redis_answers():
        return Liveness(False, [*_lines_without_redis(period.board)])
    if period.stale_since is not None:
        return Liveness(False, [_line(period)])
    return Liveness(True, [*_lines_of_live([period])])


def _lines_of_live(periods: Collection[Period]) -> Iterator[str]:
    yield _("Live: Redis shows what was decided.")
    compared = [period.verified_at for period in periods if period.verified_at is not None]
    if compared:
        yield _("It was last compared with SQL %(when)s.") % {"when": in_utc(max(compared))}


def _lines_without_redis(board: Board) -> Iterator[str]:
    answered = Heartbeat.objects.filter(name=REDIS).values_list("beat_at", flat=True).first()
    if answered is None:
        yield _("Not live: Redis does not answer. Pages show the standings from SQL.")
    else:
        text = _("Not live: Redis has not answered since %(since)s. Pages show the standings from SQL.")
        yield text % {"since": in_utc(answered)}
    if board.storage == Storage.REDIS:
        yield _("It takes no scores meanwhile, since Redis decides over it.")


def _liveness_in_dynamodb() -> Liveness:
    try:
        problem = table_problem()
    except Unavailable as error:
        problem = error.detail
    if problem:
        return Liveness(False, [_("Not live: %(problem)s It takes no scores meanwhile.") % {"problem": problem}])
    return Liveness(True, [_("Live: DynamoDB decides and shows.")])


def _line(period: Period) -> str:
    words = {"period": period_in_words(period), "since": in_utc(period.stale_since) if period.stale_since else "–"}
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
