"""Telling players: rows for those who listen, held through their quiet hours, and what becomes of the held ones.

What ranks did is dropped when the competition is over before the player may be disturbed; what people did, with their
reason, and what a competition came to are always told (docs/decisions/0015, 0042).
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter

from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery

from competitions.core.quiet_hours import QuietHours
from competitions.models import Change, ChangeKind, Competition, Notice, NoticeKind, Participant
from competitions.selectors.notices.preferences import preference_of, zone_of
from competitions.services.notices import mail
from foundation import clock
from foundation.failpoints import failpoint
from leaderboards.models import Player

CHUNK = 1000
# Shorter than the schedule's interval: a morning after a busy night must not keep the worker from everything else.
BUDGET_SECONDS = 2.0
_OF_CHANGES = {ChangeKind.EXTENDED: NoticeKind.EXTENDED, ChangeKind.CANCELLED: NoticeKind.CANCELLED}
_OF_ONE = {
    ChangeKind.REMOVED: NoticeKind.REMOVED,
    ChangeKind.DISQUALIFIED: NoticeKind.DISQUALIFIED,
    ChangeKind.REINSTATED: NoticeKind.REINSTATED,
    ChangeKind.BROUGHT_BACK: NoticeKind.BROUGHT_BACK,
    ChangeKind.VOIDED: NoticeKind.SCORE_VOIDED,
    ChangeKind.RESTORED: NoticeKind.SCORE_RESTORED,
    ChangeKind.ACCEPTED: NoticeKind.SCORE_ACCEPTED,
}
_OF_SCORES = (NoticeKind.SCORE_VOIDED, NoticeKind.SCORE_RESTORED, NoticeKind.SCORE_ACCEPTED)
# Hundreds of one player may be judged at once: who has not heard of the first by then hears of all in one notice.
TOGETHER = timedelta(minutes=10)
# What ranks did: old news once the competition is over.
_OF_RANKS = (NoticeKind.FIRST_TAKEN, NoticeKind.FIRST_LOST, NoticeKind.TOP3_ENTERED, NoticeKind.TOP10_ENTERED)


def notifiable_players(competition: Competition) -> QuerySet[Player]:
    """The players who take part now and are not banned, with what decides how they are told."""
    return players_taking_part(competition).filter(banned_at=None)


def players_taking_part(competition: Competition) -> QuerySet[Player]:
    """The same with the banned."""
    rows = Participant.objects.filter(Participant.TAKING_PART, competition=competition)
    players = Player.objects.filter(pk__in=rows.values("player"))
    return players.select_related("user", "preference").order_by("pk")


def write_notices(notices: Sequence[Notice], at: datetime) -> None:
    """Keep notices, in the caller's transaction: held for those who are not to be disturbed, mailed to the others."""
    for notice in notices:
        notice.created_at, notice.held_until = at, _quiet_hours(notice).until(at)
    Notice.objects.bulk_create(notices, batch_size=CHUNK)
    mail.queue([notice for notice in notices if notice.held_until is None], at)


@transaction.atomic
def notify_participants(change: Change) -> int:
    """Tell everybody who takes part of a moved end or a cancelling; returns how many. Again tells nobody twice."""
    kind = _OF_CHANGES.get(ChangeKind(change.kind))
    if kind is None:
        return 0
    held = Change.objects.select_for_update(of=("self",)).select_related("competition").get(pk=change.pk)
    details = {"ends_at": held.competition.ends_at.isoformat()} if kind is NoticeKind.EXTENDED else {}
    told = 0
    for players in _chunks(notifiable_players(held.competition).exclude(notices__change=held)):
        notices = [
            Notice(competition=held.competition, player=player, kind=kind, change=held, details=details)
            for player in players
            if kind not in preference_of(player).muted
        ]
        write_notices(notices, held.at)
        told += len(notices)
    return told


def notify_player(change: Change, player: Player, at: datetime | None = None) -> bool:
    """Tell one player that they were removed, brought back, disqualified or reinstated, or that a score of theirs was
    voided, restored or accepted, in the caller's transaction.

    Nobody mutes that, and a freeze does not hide it: it tells no ranks, and of scores their own alone. The banned are
    told nothing now, but once they are let in again (``services/notify_after_bans.py``); returns whether there was
    something to tell. ``at`` is when they are told, by default when it was done.
    """
    kind, at = _OF_ONE.get(ChangeKind(change.kind)), at or change.at
    if kind is None or player.banned_at is not None:
        return False
    notice = Notice(competition=change.competition, player=player, kind=kind, change=change, created_at=at)
    notice.merged_into = _unheard(notice) if kind in _OF_SCORES else None
    if notice.merged_into is None:
        write_notices([notice], at)
    else:
        notice.save()
    return True


def _unheard(notice: Notice) -> Notice | None:
    """A notice of minutes ago of the same kind and reason that its player has neither read nor been sent."""
    assert notice.change is not None  # noqa: S101 - for the type checker: it is of an act
    since = notice.created_at - TOGETHER
    rows = Notice.objects.filter(
        Q(mail=None) | Q(mail__sent_at=None, mail__dead_at=None), competition=notice.competition, player=notice.player,
        kind=notice.kind, change__reason=notice.change.reason, created_at__gte=since, merged_into=None, dropped_at=None,
        read_at=None,
    )  # fmt: skip  # as a table
    return rows.order_by("pk").last()


def release_deferred(at: datetime, of: Competition | None = None) -> int:
    """Let go of what was held until now, for a few seconds: released, merged into one, or dropped.

    Of all competitions, or of one; returns how many notices are told by that.
    """
    due = Notice.objects.filter(held_until__lte=at, **({"competition": of} if of else {}))
    next_one = due.order_by("held_until", "pk").values_list("competition_id", flat=True)
    until, told = clock.monotonic() + BUDGET_SECONDS, 0
    while clock.monotonic() < until and (competition := next_one.first()):
        held = due.filter(competition=competition)
        players = held.order_by("player_id").values_list("player_id", flat=True).distinct()[:CHUNK]
        told += _release(held.filter(player__in=list(players)), at)
    return told


@transaction.atomic
def _release(held: QuerySet[Notice], at: datetime) -> int:
    """All that is due of some players and one competition."""
    rows = held.select_for_update(of=("self",)).select_related("competition", "player__user", "player__preference")
    due = list(rows.defer("competition__picture").order_by("player_id", "pk"))  # none where another run was here
    _rows([notice for notice in due if _is_moot(notice)]).update(dropped_at=at, held_until=None)
    kept = [notice for notice in due if not _is_moot(notice)]
    _rows(kept).update(held_until=None)
    told = []
    for _, own in groupby(kept, key=attrgetter("player_id")):
        first, *more = own
        told.append(_summary(first, at) if more else first)
    _put_in_their_place([notice for notice in told if notice.kind == NoticeKind.SUMMARY], kept)
    mail.queue(told, at)
    failpoint("release.before_commit")
    return len(told)


def _summary(one: Notice, at: datetime) -> Notice:
    """A notice that stands for several, of which this is one."""
    return Notice(competition=one.competition, player=one.player, kind=NoticeKind.SUMMARY, created_at=at)


def _put_in_their_place(summaries: Sequence[Notice], kept: Sequence[Notice]) -> None:
    """Write the summaries, and merge into them what their players were to be told."""
    written = _rows(Notice.objects.bulk_create(summaries))
    theirs = written.filter(player=OuterRef("player")).values("pk")
    merged = _rows(kept).filter(player__in=[summary.player_id for summary in summaries])
    merged.update(merged_into=Subquery(theirs))


def _is_moot(notice: Notice) -> bool:
    """Whether it is of ranks, and the competition was over when the quiet hours were: however late this runs."""
    competition = notice.competition
    ended = notice.held_until is not None and competition.ends_at <= notice.held_until
    return notice.kind in _OF_RANKS and (ended or competition.cancelled_at is not None)


def _rows(notices: Sequence[Notice]) -> QuerySet[Notice]:
    return Notice.objects.filter(pk__in=[notice.pk for notice in notices])


def _quiet_hours(notice: Notice) -> QuietHours:
    wish = preference_of(notice.player)
    return QuietHours(zone_of(notice), wish.quiet_from, wish.quiet_until)


def _chunks(players: QuerySet[Player]) -> Iterator[Collection[Player]]:
    """All of them, in the order of their numbers, a chunk at a time."""
    last = 0
    while chunk := list(players.filter(pk__gt=last)[:CHUNK]):
        yield chunk
        last = chunk[-1].pk
