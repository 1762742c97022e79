"""Remind players of a competition's start: they ask, and the schedule tells each of them once.

A row is a wish. The worker that writes the notice deletes the row in the same transaction, under its lock: so a player
is told once, however many workers run. The time comes from the competition, so a reminder moves with the start. A
cancellation deletes the reminders.
"""

from datetime import datetime

from django.db import transaction

from competitions.errors import CompetitionOver, CompetitionStarted, NotOpenYet
from competitions.models import Competition, Notice, NoticeKind, Participant, StartReminder
from competitions.services.locks import lock_competition
from competitions.services.notices.notices import write_notices
from foundation import clock
from foundation.failpoints import failpoint
from foundation.messages import Message
from leaderboards.choices import Visibility
from leaderboards.models import Player

CHUNK = 500
BUDGET_SECONDS = 1.5  # shorter than the schedule's interval, as other steps run after this one


@transaction.atomic
def ask_reminder(competition: Competition, player: Player, at: datetime) -> None:
    """Remember that the player wants to be told of the start; asking twice is asking once.

    Raises ``NotOpenYet`` for drafts, ``CompetitionOver`` for cancelled ones, and ``CompetitionStarted``.
    """
    locked = lock_competition(competition)
    if locked.published_at is None:
        raise NotOpenYet(Message("It is a draft: its start may still change."))
    if locked.cancelled_at is not None:
        raise CompetitionOver(Message("It was cancelled: it does not start."))
    if locked.starts_at <= at:
        raise CompetitionStarted(Message("It has started already."))
    StartReminder.objects.get_or_create(competition=locked, player=player, defaults={"asked_at": at})


def withdraw_reminder(competition: Competition, player: Player) -> None:
    """Forget the wish, if there is one."""
    StartReminder.objects.filter(competition=competition, player=player).delete()


def remind_due(at: datetime) -> int:
    """Tell the players whose competitions have started, for a few seconds; returns how many were told."""
    StartReminder.objects.filter(competition__cancelled_at__isnull=False).delete()
    until, told = clock.monotonic() + BUDGET_SECONDS, 0
    while clock.monotonic() < until:
        taken, written = _remind_some(at)
        told += written
        if taken < CHUNK:
            break
    return told


@transaction.atomic
def _remind_some(at: datetime) -> tuple[int, int]:
    """Tell some of them; returns how many wishes were taken, and how many notices written."""
    due = StartReminder.objects.select_for_update(skip_locked=True, of=("self",)).filter(
        competition__starts_at__lte=at, competition__cancelled_at=None
    )
    related = due.select_related("competition__board", "player__user", "player__preference")
    wishes = list(related.defer("competition__picture").order_by("pk")[:CHUNK])
    taking_part = _taking_part(wishes)
    notices = [_notice(wish) for wish in wishes if _is_wanted(wish, taking_part, at)]
    write_notices(notices, at)
    StartReminder.objects.filter(pk__in=[wish.pk for wish in wishes]).delete()
    failpoint("remind.before_commit")
    return len(wishes), len(notices)


def _is_wanted(wish: StartReminder, taking_part: set[tuple[int, int]], at: datetime) -> bool:
    """Whether it is still news, and the player may still know of the competition."""
    competition, player = wish.competition, wish.player
    may_know = competition.board.visibility == Visibility.PUBLIC or (competition.pk, player.pk) in taking_part
    return at < competition.ends_at and player.banned_at is None and may_know


def _taking_part(wishes: list[StartReminder]) -> set[tuple[int, int]]:
    """Return competition and player of those who are in private competitions."""
    private = [wish for wish in wishes if wish.competition.board.visibility == Visibility.PRIVATE]
    rows = Participant.objects.filter(
        competition__in={wish.competition_id for wish in private}, player__in={wish.player_id for wish in private}
    )
    return set(rows.values_list("competition_id", "player_id"))


def _notice(wish: StartReminder) -> Notice:
    details = {"ends_at": wish.competition.ends_at.isoformat()}
    return Notice(competition=wish.competition, player=wish.player, kind=NoticeKind.STARTED, details=details)
