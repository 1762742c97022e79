"""Write notices to players, defer them through quiet hours, and release them.

Notices about ranks are dropped if the competition is over when the quiet hours end. Notices about people's actions and
about results are always delivered (docs/decisions/0015, 0042). A reminder that the player asked for is never deferred
(0093).
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
from competitions.services.notices import mail, push
from foundation import clock
from foundation.failpoints import failpoint
from leaderboards.models import Player

CHUNK = 1000
# Shorter than the schedule's interval, so that many deferred notices do not block the worker in the morning.
BUDGET_SECONDS = 2.0
_KINDS_FOR_ALL = {ChangeKind.EXTENDED: NoticeKind.EXTENDED, ChangeKind.CANCELLED: NoticeKind.CANCELLED}
_KINDS_FOR_ONE = {
    ChangeKind.REMOVED: NoticeKind.REMOVED,
    ChangeKind.DISQUALIFIED: NoticeKind.DISQUALIFIED,
    ChangeKind.REINSTATED: NoticeKind.REINSTATED,
    ChangeKind.BROUGHT_BACK: NoticeKind.BROUGHT_BACK,
    ChangeKind.VOIDED: NoticeKind.SCORE_VOIDED,
    ChangeKind.RESTORED: NoticeKind.SCORE_RESTORED,
    ChangeKind.ACCEPTED: NoticeKind.SCORE_ACCEPTED,
}
_SCORE_KINDS = (NoticeKind.SCORE_VOIDED, NoticeKind.SCORE_RESTORED, NoticeKind.SCORE_ACCEPTED)
# A jury may judge hundreds of a player's scores at once: within this time they are merged into one unread notice.
MERGED_WITHIN = timedelta(minutes=10)
# What the player wants at this very moment: they knew the hour when they asked.
_NEVER_DEFERRED = (NoticeKind.STARTED,)
# Notices about ranks are old news once the competition is over.
_RANK_KINDS = (NoticeKind.FIRST_TAKEN, NoticeKind.FIRST_LOST, NoticeKind.TOP3_ENTERED, NoticeKind.TOP10_ENTERED)


def notifiable_players(competition: Competition) -> QuerySet[Player]:
    """Return the players who take part and are not banned, with what decides how they are notified."""
    return players_taking_part(competition).filter(banned_at=None)


def players_taking_part(competition: Competition) -> QuerySet[Player]:
    """Return the players who take part, including banned ones."""
    rows = Participant.objects.filter(Participant.TAKING_PART, competition=competition)
    players = Player.objects.filter(pk__in=rows.values("player"))
    return players.select_related("user", "preference").order_by("pk")


def write_notices(notices: Sequence[Notice], at: datetime) -> None:
    """Write notices in the caller's transaction: deferred for players in quiet hours, else sent on."""
    for notice in notices:
        is_deferred = notice.kind not in _NEVER_DEFERRED
        notice.created_at, notice.held_until = at, _quiet_hours(notice).until(at) if is_deferred else None
    Notice.objects.bulk_create(notices, batch_size=CHUNK)
    told = [notice for notice in notices if notice.held_until is None]
    mail.queue(told, at)
    push.queue(told, at)


@transaction.atomic
def notify_participants(change: Change) -> int:
    """Notify all participants of a moved end or a cancellation, each once; returns how many notices were written."""
    kind = _KINDS_FOR_ALL.get(ChangeKind(change.kind))
    if kind is None:
        return 0
    locked = Change.objects.select_for_update(of=("self",)).select_related("competition").get(pk=change.pk)
    details = {"ends_at": locked.competition.ends_at.isoformat()} if kind is NoticeKind.EXTENDED else {}
    written = 0
    for players in _chunks(notifiable_players(locked.competition).exclude(notices__change=locked)):
        notices = [
            Notice(competition=locked.competition, player=player, kind=kind, change=locked, details=details)
            for player in players
            if kind not in preference_of(player).muted
        ]
        write_notices(notices, locked.at)
        written += len(notices)
    return written


def notify_player(change: Change, player: Player, at: datetime | None = None) -> bool:
    """Notify one player, in the caller's transaction, of an action on them: removed, brought back, disqualified or
    reinstated, or a score voided, restored or accepted. Returns whether a notice was written.

    These notices cannot be muted, and a freeze does not hide them: they name no ranks, and only the player's own
    scores. Banned players are notified after their ban (``services/notices/after_ban.py``). ``at`` is the time of the
    notice, by default the time of the action.
    """
    kind, at = _KINDS_FOR_ONE.get(ChangeKind(change.kind)), at or change.at
    if kind is None or player.banned_at is not None:
        return False
    notice = Notice(competition=change.competition, player=player, kind=kind, change=change, created_at=at)
    notice.merged_into = _recent_unread(notice) if kind in _SCORE_KINDS else None
    if notice.merged_into is None:
        write_notices([notice], at)
    else:
        notice.save()
    return True


def _recent_unread(notice: Notice) -> Notice | None:
    """Return a recent notice of the same kind and reason that was neither read nor mailed."""
    assert notice.change is not None  # noqa: S101 - for the type checker: the caller has set it
    since = notice.created_at - MERGED_WITHIN
    rows = Notice.objects.filter(
        Q(mail=None) | Q(mail__sent_at=None, mail__dead_at=None), competition=notice.competition, player=notice.player,
        kind=notice.kind, change__reason=notice.change.reason, created_at__gte=since, merged_into=None, dropped_at=None,
        read_at=None,
    )  # fmt: skip  # as a table
    return rows.order_by("pk").last()


def release_deferred(at: datetime, of: Competition | None = None) -> int:
    """Release, merge or drop the deferred notices that are due, for a few seconds; returns how many are delivered.

    ``of`` limits this to one competition.
    """
    due = Notice.objects.filter(held_until__lte=at, **({"competition": of} if of else {}))
    next_one = due.order_by("held_until", "pk").values_list("competition_id", flat=True)
    until, delivered = clock.monotonic() + BUDGET_SECONDS, 0
    while clock.monotonic() < until and (competition := next_one.first()):
        deferred = due.filter(competition=competition)
        players = deferred.order_by("player_id").values_list("player_id", flat=True).distinct()[:CHUNK]
        delivered += _release(deferred.filter(player__in=list(players)), at)
    return delivered


@transaction.atomic
def _release(deferred: QuerySet[Notice], at: datetime) -> int:
    """Release all due notices of some players in one competition."""
    rows = deferred.select_for_update(of=("self",)).select_related("competition", "player__user", "player__preference")
    due = list(rows.defer("competition__picture").order_by("player_id", "pk"))  # empty if another run was faster
    _rows([notice for notice in due if _is_moot(notice)]).update(dropped_at=at, held_until=None)
    released = [notice for notice in due if not _is_moot(notice)]
    _rows(released).update(held_until=None)
    delivered = []
    for _, own in groupby(released, key=attrgetter("player_id")):
        first, *more = own
        delivered.append(_summary(first, at) if more else first)
    _merge_into([notice for notice in delivered if notice.kind == NoticeKind.SUMMARY], released)
    mail.queue(delivered, at)
    push.queue(delivered, at)
    failpoint("release.before_commit")
    return len(delivered)


def _summary(one: Notice, at: datetime) -> Notice:
    """Return a summary for the player and the competition of ``one``."""
    return Notice(competition=one.competition, player=one.player, kind=NoticeKind.SUMMARY, created_at=at)


def _merge_into(summaries: Sequence[Notice], released: Sequence[Notice]) -> None:
    """Write the summaries, and merge their players' notices into them."""
    written = _rows(Notice.objects.bulk_create(summaries))
    summary_of_player = written.filter(player=OuterRef("player")).values("pk")
    merged = _rows(released).filter(player__in=[summary.player_id for summary in summaries])
    merged.update(merged_into=Subquery(summary_of_player))


def _is_moot(notice: Notice) -> bool:
    """Whether it is about ranks, and the competition was over at the end of the quiet hours."""
    competition = notice.competition
    ended = notice.held_until is not None and competition.ends_at <= notice.held_until
    return notice.kind in _RANK_KINDS and (ended or competition.cancelled_at is not None)


def _rows(notices: Sequence[Notice]) -> QuerySet[Notice]:
    return Notice.objects.filter(pk__in=[notice.pk for notice in notices])


def _quiet_hours(notice: Notice) -> QuietHours:
    preference = preference_of(notice.player)
    return QuietHours(zone_of(notice), preference.quiet_from, preference.quiet_until)


def _chunks(players: QuerySet[Player]) -> Iterator[Collection[Player]]:
    """Yield the players in chunks, in the order of their numbers."""
    last = 0
    while chunk := list(players.filter(pk__gt=last)[:CHUNK]):
        yield chunk
        last = chunk[-1].pk
