"""Move the end of a competition that is running or upcoming.

A later end repacks the scores (``leaderboards.services.periods.reschedule``) before the participants are notified.
After a crash in between, the period ends later than its competition, which is harmless. An earlier end does not change
the period: the competition decides until when scores count. So of two concurrent moves, the period keeps the later end.
"""

from contextlib import suppress
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from competitions.errors import BadCompetition, CompetitionOver, NotOpenYet
from competitions.models import ChangeKind, Competition
from competitions.services.change_log import clean_reason, record_change
from competitions.services.lifecycle.freeze import freeze_if_due
from competitions.services.lifecycle.publish import check_window, check_year
from competitions.services.locks import get_or_open_period, lock_competition
from competitions.services.notices.notices import notify_participants
from competitions.services.reader_caches import invalidate_before_hiding
from foundation.errors import Unavailable
from foundation.messages import Message
from leaderboards.core.periods import event_window
from leaderboards.errors import BadBoard
from leaderboards.models import PeriodState
from leaderboards.services.periods.reschedule import move_end


def change_end(
    competition: Competition, ends_at: datetime, reason: str, at: datetime, by: AbstractBaseUser | None
) -> Competition:
    """Move the end to ``ends_at``, a time in the future; the present end changes nothing.

    Raises ``BadCompetition`` (the reason, the end), ``CompetitionOver``, ``NotOpenYet``, or ``Unavailable`` if the
    board needs Redis and Redis is away.
    """
    reason = clean_reason(reason)
    _refuse(competition, ends_at, at)
    freeze_if_due(competition, at)
    period = get_or_open_period(competition)
    if period.ends_at is not None and period.ends_at < ends_at:
        check_window(period.rules, event_window(competition.pk, competition.starts_at, ends_at))
        try:
            move_end(period, ends_at, at, only_later=True)
        except BadBoard as error:
            raise BadCompetition(error.detail, "ends_at") from error
    moved = _save_end(competition, ends_at, reason, at, by)
    with suppress(Unavailable):  # if the copy cannot be made now, the schedule makes it later
        freeze_if_due(moved, at)
    return moved


@transaction.atomic
def _save_end(
    competition: Competition, ends_at: datetime, reason: str, at: datetime, by: AbstractBaseUser | None
) -> Competition:
    locked = lock_competition(competition)
    _refuse(locked, ends_at, at)
    if get_or_open_period(locked).state != PeriodState.OPEN:  # it ended while the scores were repacked
        raise CompetitionOver(Message("It has ended meanwhile: its end cannot be moved any more."))
    before = locked.ends_at
    if before == ends_at:
        return locked
    locked.ends_at = ends_at
    locked.join_until = min(locked.join_until, ends_at) if locked.join_until else None
    locked.save(update_fields=["ends_at", "join_until"])
    ends = {"from": before.isoformat(), "to": ends_at.isoformat()}
    notify_participants(record_change(locked, ChangeKind.EXTENDED, at, by, reason, **ends))
    invalidate_before_hiding(locked)
    return locked


def _refuse(competition: Competition, ends_at: datetime, at: datetime) -> None:
    if competition.published_at is None:
        raise NotOpenYet(Message("It is a draft: change its end in its form."))
    if competition.cancelled_at is not None:
        raise CompetitionOver(Message("It was cancelled: its end cannot be moved."))
    if competition.ends_at <= at:
        raise CompetitionOver(Message("It has ended: its end cannot be moved any more."))
    check_year(ends_at, "ends_at")
    if ends_at <= at:
        raise BadCompetition(Message("The new end lies in the past."), "ends_at")
    if ends_at <= competition.starts_at:
        raise BadCompetition(Message("A competition must end after it starts."), "ends_at")
