"""Freezing: the standings of the freeze are copied once, and the public reads the copy until somebody reveals.

The copy is made before any change that follows the freeze: by the schedule, and by whatever is about to change
standings, as its first step. Anybody who only looks makes none. Once frozen, a competition stays so until the reveal,
also if its end is moved.
"""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from competitions.errors import NotRevealable
from competitions.models import ChangeKind, Competition
from competitions.services.change_log import record_change
from competitions.services.locks import get_or_open_period, lock_competition
from competitions.services.participants.withdrawn import remove_withdrawn_before
from competitions.services.reader_caches import invalidate_before_hiding
from competitions.services.results.revisions import announce_revision
from foundation.failpoints import failpoint
from foundation.worker.each import for_each
from leaderboards.models import Period
from leaderboards.services.periods.freeze import copy_period_in_sql, mirror_before_copy


def freeze_due(at: datetime) -> int:
    """Freeze every competition whose time has come; returns how many. What waits for Redis is tried again."""
    candidates = Competition.objects.exclude(published_at=None).exclude(freeze_minutes=None)
    candidates = candidates.filter(frozen_at=None, cancelled_at=None, revealed_at=None, starts_at__lte=at)
    candidates = candidates.select_related("board").defer("picture")
    return sum(for_each(candidates, lambda competition: freeze_if_due(competition, at, is_awaited=False)))


def is_due(competition: Competition, at: datetime) -> bool:
    """Whether its time has come and nobody has made the public copy, as far as this row knows."""
    return competition.frozen_at is None and competition.timeline.freezes_at is not None and competition.is_hidden(at)


def freeze_if_due(competition: Competition, at: datetime, *, is_awaited: bool = True) -> bool:
    """Make the public copy if its time has come and it is not there. Raises ``Unavailable`` where it cannot be made.

    The row that is given may be old: what counts is the end that it has now. Copy and mark are one transaction, behind
    the locked row, so an end that is moved meanwhile is moved before both or after both. ``is_awaited``: somebody
    changes standings next, so readers whom Redis cannot tell of it are waited for.
    """
    if not is_due(competition, at):
        return False
    competition.refresh_from_db(fields=["starts_at", "ends_at", "cancelled_at", "revealed_at", "frozen_at"])
    freezes_at = competition.timeline.freezes_at
    if freezes_at is None or not is_due(competition, at):
        return False
    remove_withdrawn_before(competition, freezes_at, at)  # else the copy would show them until the reveal
    period = get_or_open_period(competition)
    mirror_before_copy(period)
    is_frozen = _frozen(competition, period, at, is_awaited)
    competition.refresh_from_db(fields=["ends_at", "frozen_at"])
    return is_frozen


@transaction.atomic
def _frozen(competition: Competition, period: Period, at: datetime, is_awaited: bool) -> bool:
    """Whether it was still due once the row was held; then the copy is there, and the row says since when."""
    locked = lock_competition(competition)
    freezes_at = locked.timeline.freezes_at
    if freezes_at is None or not is_due(locked, at):
        return False
    copy_period_in_sql(period, locked.frozen_label, at)
    locked.frozen_at = _frozen_since(locked, freezes_at)
    locked.save(update_fields=["frozen_at"])
    invalidate_before_hiding(locked, wait_for_expiry=is_awaited)
    failpoint("freeze.marked")
    return True


def _frozen_since(competition: Competition, freezes_at: datetime) -> datetime:
    """From when on nothing changed: the time of the freeze, however late it is noticed; or when the end was moved to
    where that had passed already."""
    moved_at = competition.changes.filter(kind=ChangeKind.EXTENDED).values_list("at", flat=True).first()
    return max(freezes_at, moved_at or freezes_at)


@transaction.atomic
def reveal(competition: Competition, at: datetime, by: AbstractBaseUser | None) -> Competition:
    """Let the public see the result, provisional or final; again changes nothing. Raises ``NotRevealable``."""
    locked = lock_competition(competition)
    if locked.revealed_at is not None:
        return locked
    if not locked.is_hidden(at):
        raise NotRevealable("Its standings are not frozen: there is nothing to reveal.")
    if locked.closed_at is None:
        raise NotRevealable("It is not closed yet: reveal its result once it is.")
    locked.revealed_at = at
    locked.save(update_fields=["revealed_at"])
    record_change(locked, ChangeKind.REVEALED, at, by)
    for revision in locked.revisions.select_related("change").order_by("number"):
        announce_revision(revision, at)  # those that were made behind the curtain
    return locked
