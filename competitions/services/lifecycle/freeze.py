"""Freeze and reveal: the standings are copied once, and the public reads the copy until the reveal.

The copy is made before any change that comes after the time of the freeze: by the schedule, or as the first step of
each service that changes standings. Reading never makes it. Once frozen, a competition stays frozen until the reveal,
even if its end is moved.
"""

from collections.abc import Iterator
from contextlib import contextmanager
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
from foundation.messages import Message
from foundation.worker.each import for_each
from leaderboards.models import Period
from leaderboards.services.periods.announce import announce_final
from leaderboards.services.periods.freeze import copy_period_in_sql, mirror_before_copy


def freeze_due(at: datetime) -> int:
    """Freeze every competition whose freeze is due; returns how many. Those that wait for Redis are retried."""
    candidates = Competition.objects.exclude(published_at=None).exclude(freeze_minutes=None)
    candidates = candidates.filter(frozen_at=None, cancelled_at=None, revealed_at=None, starts_at__lte=at)
    candidates = candidates.select_related("board").defer("picture")
    return sum(for_each(candidates, lambda competition: freeze_if_due(competition, at, is_awaited=False)))


def is_due(competition: Competition, at: datetime) -> bool:
    """Whether the freeze is due and, by this (maybe old) row, the copy is missing."""
    return competition.frozen_at is None and competition.timeline.freezes_at is not None and competition.is_hidden(at)


@contextmanager
def lock_after_freeze(competition: Competition, at: datetime) -> Iterator[Competition]:
    """Make a frozen copy that is due, then open a transaction and lock the competition for a change of standings.

    Raises ``Unavailable`` if the copy cannot be made now.
    """
    freeze_if_due(competition, at)
    with transaction.atomic():
        yield lock_competition(competition)


def freeze_if_due(competition: Competition, at: datetime, *, is_awaited: bool = True) -> bool:
    """Make the frozen copy if it is due and missing. Raises ``Unavailable`` if it cannot be made now.

    ``competition`` may be an old row: its present times are read again. The copy and ``frozen_at`` are one transaction
    under the row lock, so the end moves before or after both. ``is_awaited``: the caller changes standings next; so if
    Redis cannot invalidate the readers' caches, this waits until these have expired.
    """
    if not is_due(competition, at):
        return False
    competition.refresh_from_db(fields=["starts_at", "ends_at", "cancelled_at", "revealed_at", "frozen_at"])
    freezes_at = competition.timeline.freezes_at
    if freezes_at is None or not is_due(competition, at):
        return False
    remove_withdrawn_before(competition, freezes_at, at)  # the copy would show them until the reveal
    period = get_or_open_period(competition)
    mirror_before_copy(period)
    is_frozen = _copy_if_due(competition, period, at, is_awaited)
    competition.refresh_from_db(fields=["ends_at", "frozen_at"])
    return is_frozen


@transaction.atomic
def _copy_if_due(competition: Competition, period: Period, at: datetime, is_awaited: bool) -> bool:
    """Copy the period and set ``frozen_at`` if that is still due under the row lock; returns whether it was."""
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
    """Return since when the copy is valid: the time of the freeze, however late it is made; or the time when the end
    was moved, if the freeze was in the past by then."""
    moved_at = competition.changes.filter(kind=ChangeKind.EXTENDED).values_list("at", flat=True).first()
    return max(freezes_at, moved_at or freezes_at)


@transaction.atomic
def reveal(competition: Competition, at: datetime, by: AbstractBaseUser | None) -> Competition:
    """Show the public the result, provisional or final. Idempotent. Raises ``NotRevealable``."""
    locked = lock_competition(competition)
    if locked.revealed_at is not None:
        return locked
    if not locked.is_hidden(at):
        raise NotRevealable(Message("Its standings are not frozen: there is nothing to reveal."))
    if locked.closed_at is None:
        raise NotRevealable(Message("It is not closed yet: reveal its result once it is."))
    locked.revealed_at = at
    locked.save(update_fields=["revealed_at"])
    record_change(locked, ChangeKind.REVEALED, at, by)
    for revision in locked.revisions.select_related("change").order_by("number"):
        announce_revision(revision, at)  # revisions that were made during the freeze
    if locked.final_at is not None:
        announce_final(get_or_open_period(locked), at)
    return locked
