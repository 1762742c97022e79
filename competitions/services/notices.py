"""Telling players: rows for those who listen, held through their quiet hours, and what becomes of the held ones.

What ranks did is dropped when the competition is over before the player may be disturbed; what people did to a
competition, with their reason, is always told (docs/decisions/0015).
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from django.db import transaction
from django.db.models import QuerySet

from competitions.core.quiet_hours import QuietHours
from competitions.models import Change, ChangeKind, Competition, Notice, NoticeKind, Participant
from competitions.selectors.preferences import preference_of, zone_of
from competitions.services import mail
from foundation.failpoints import failpoint
from leaderboards.models import Player

CHUNK = 1000
_OF_CHANGES = {ChangeKind.EXTENDED: NoticeKind.EXTENDED, ChangeKind.CANCELLED: NoticeKind.CANCELLED}


def listeners(competition: Competition) -> QuerySet[Player]:
    """The players who take part now, with what decides how they are told."""
    taking_part = Participant.objects.filter(Participant.TAKING_PART, competition=competition)
    players = Player.objects.filter(pk__in=taking_part.values("player"))
    return players.select_related("user", "preference").order_by("pk")


def write(notices: Sequence[Notice], at: datetime) -> None:
    """Keep notices, in the caller's transaction: held for those who are not to be disturbed, mailed to the others."""
    for notice in notices:
        notice.created_at, notice.held_until = at, _quiet_hours(notice).until(at)
    Notice.objects.bulk_create(notices, batch_size=CHUNK)
    mail.queue([notice for notice in notices if notice.held_until is None], at)


@transaction.atomic
def tell_participants(change: Change) -> int:
    """Tell everybody who takes part of a moved end or a cancelling; returns how many. Again tells nobody twice."""
    kind = _OF_CHANGES.get(ChangeKind(change.kind))
    if kind is None:
        return 0
    held = Change.objects.select_for_update(of=("self",)).select_related("competition").get(pk=change.pk)
    details = {"ends_at": held.competition.ends_at.isoformat()} if kind is NoticeKind.EXTENDED else {}
    told = 0
    for players in _chunks(listeners(held.competition).exclude(notices__change=held)):
        notices = [
            Notice(competition=held.competition, player=player, kind=kind, change=held, details=details)
            for player in players
            if kind not in preference_of(player).muted
        ]
        write(notices, held.at)
        told += len(notices)
    return told


def release_held(at: datetime) -> int:
    """Let go of what was held until now: released, merged into one, or dropped; returns how many are told."""
    due = Notice.objects.filter(held_until__lte=at).order_by("competition_id")
    return sum(_release(number, at) for number in due.values_list("competition_id", flat=True).distinct())


@transaction.atomic
def _release(competition_id: int, at: datetime) -> int:
    rows = Notice.objects.select_for_update(of=("self",)).filter(competition=competition_id, held_until__lte=at)
    rows = rows.select_related("competition", "player__user", "player__preference").defer("competition__picture")
    due = list(rows.order_by("player_id", "pk"))  # nothing where another run was here
    kept = [notice for notice in due if not _is_moot(notice)]
    told = [_one_for(list(own), at) for _, own in groupby(kept, key=attrgetter("player_id"))]
    Notice.objects.bulk_create([notice for notice in told if notice.kind == NoticeKind.SUMMARY], batch_size=CHUNK)
    for notice in due:
        notice.dropped_at = at if _is_moot(notice) else None
        notice.held_until = None
    Notice.objects.bulk_update(due, ["held_until", "dropped_at", "merged_into"], batch_size=CHUNK)
    mail.queue(told, at)
    failpoint("release.before_commit")
    return len(told)


def _is_moot(notice: Notice) -> bool:
    """Whether it is of ranks, and the competition was over when the quiet hours were: however late this runs."""
    competition = notice.competition
    ended = notice.held_until is not None and competition.ends_at <= notice.held_until
    return notice.change_id is None and (ended or competition.cancelled_at is not None)


def _one_for(own: Sequence[Notice], at: datetime) -> Notice:
    """The notice of one player that is held alone, or one for all of them, which takes their place."""
    if len(own) == 1:
        return own[0]
    first = own[0]
    summary = Notice(competition=first.competition, player=first.player, kind=NoticeKind.SUMMARY, created_at=at)
    for notice in own:
        notice.merged_into = summary
    return summary


def _quiet_hours(notice: Notice) -> QuietHours:
    wish = preference_of(notice.player)
    return QuietHours(zone_of(notice), wish.quiet_from, wish.quiet_until)


def _chunks(players: QuerySet[Player]) -> Iterator[Collection[Player]]:
    """All of them, in the order of their numbers, a chunk at a time."""
    last = 0
    while chunk := list(players.filter(pk__gt=last)[:CHUNK]):
        yield chunk
        last = chunk[-1].pk
