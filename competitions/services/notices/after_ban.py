"""Notify unbanned players of what was done to them during the ban, as far as it still holds.

A notice is written only if the state (disqualified, removed, score void) differs from what the player was last notified
of. There is one notice for each action; its row marks the action as notified.

The trap: actions that need no notice are found again by each run for a week. So the SQL query filters them out, before
any row is locked.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import takewhile

from django.db import transaction
from django.db.models import Case, F, Max, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce

from competitions.models import Change, ChangeKind, Participant
from competitions.services.locks import lock_competition, lock_participant
from competitions.services.notices.notices import notify_player
from foundation import clock
from foundation.chunks import in_chunks
from foundation.failpoints import failpoint
from foundation.worker.each import for_each
from leaderboards.models import BanKind, BanRecord, Player

CHUNK = 500
BUDGET_SECONDS = 2.0  # the rest waits for the next run: notices of results and rewards come after this
NOTIFY_WITHIN = timedelta(days=7)  # since the unban; later it is old news
_DISQUALIFYING = (ChangeKind.DISQUALIFIED, ChangeKind.REINSTATED)
_REMOVING = (ChangeKind.REMOVED, ChangeKind.BROUGHT_BACK)
_JUDGING = (ChangeKind.VOIDED, ChangeKind.RESTORED)
_TAKING_AWAY = (ChangeKind.DISQUALIFIED, ChangeKind.REMOVED, ChangeKind.VOIDED)
_GIVING_BACK = (ChangeKind.REINSTATED, ChangeKind.BROUGHT_BACK, ChangeKind.RESTORED)


def notify_after_bans(at: datetime) -> int:
    """Write notices of actions during bans that have ended, each once, for a few seconds; returns how many."""
    until = clock.monotonic() + BUDGET_SECONDS
    lifted = BanRecord.objects.filter(kind=BanKind.LIFTED, at__gt=at - NOTIFY_WITHIN)
    players = Player.objects.filter(banned_at=None, pk__in=lifted.values("player")).order_by("pk")
    due = takewhile(lambda _change: clock.monotonic() < until, _changes_to_notify(players))
    return sum(for_each(due, lambda change: _notify(change, at)))


def _changes_to_notify(players: QuerySet[Player]) -> Iterator[Change]:
    """Yield the actions, with their competitions, that were made during a player's ban and that need a notice."""
    for chunk in in_chunks(players, CHUNK):
        bans = _bans_by_player(chunk)
        participants = Participant.objects.filter(player__in=chunk).select_related("player")
        changes = Change.objects.filter(
            competition__in=participants.values("competition"), details__player__in=list(bans)
        )
        by_key = {(row.competition_id, row.player.external_id): row for row in participants}
        for change in _unnotified(changes).select_related("competition").defer("competition__picture").order_by("pk"):
            player = change.details["player"]
            participant = by_key.get((change.competition_id, player))
            if participant is not None and _holds(change, participant) and _was_banned(bans[player], change.at):
                yield change


def _bans_by_player(players: Sequence[Player]) -> dict[str, list[BanRecord]]:
    """Return the ban records by external player id, earliest first."""
    records: dict[str, list[BanRecord]] = defaultdict(list)
    for record in BanRecord.objects.filter(player__in=players).select_related("player").order_by("at", "pk"):
        records[record.player.external_id].append(record)
    return records


def _was_banned(records: Sequence[BanRecord], at: datetime) -> bool:
    before = [record for record in records if record.at <= at]
    return bool(before) and before[-1].kind == BanKind.BANNED


@transaction.atomic
def _notify(change: Change, at: datetime) -> bool:
    """Write the notice if it is still needed; returns whether. The lock on the competition keeps others from acting on
    its participants, or notifying them, meanwhile."""
    locked, name = lock_competition(change.competition), change.details["player"]
    player = Player.objects.filter(external_id=name).first()
    participant = lock_participant(locked, player) if player is not None else None
    changes = Change.objects.filter(competition=locked, details__player=name)
    if participant is None or not _unnotified(changes).filter(pk=change.pk).exists():
        return False
    if not _holds(change, participant):
        return False
    is_notified = notify_player(change, participant.player, at)
    failpoint("tell_let_in.before_commit")
    return is_notified


def _unnotified(changes: QuerySet[Change]) -> QuerySet[Change]:
    """Return the latest change of each subject whose effect differs from what the player was last notified of.

    A subject is a disqualification, a removal, or one score, of one player in one competition.
    """
    subject = Case(When(kind__in=_DISQUALIFYING, then=1), When(kind__in=_REMOVING, then=2), default=3)
    relevant = changes.filter(kind__in=(*_DISQUALIFYING, *_REMOVING, *_JUDGING)).order_by().annotate(subject=subject)
    latest = relevant.values("competition", "subject", "details__player", "details__submission").annotate(
        last=Max("pk"),
        taken=_latest(Q(kind__in=_TAKING_AWAY)),
        given_back=_latest(Q(kind__in=_GIVING_BACK)),
        notified_taken=_latest(Q(kind__in=_TAKING_AWAY, notices__isnull=False)),
        notified_back=_latest(Q(kind__in=_GIVING_BACK, notices__isnull=False)),
    )
    is_taken, notified_so = Q(taken__gt=F("given_back")), Q(notified_taken__gt=F("notified_back"))
    differing = latest.filter((is_taken & ~notified_so) | (~is_taken & notified_so))
    return Change.objects.filter(pk__in=differing.values("last"))


def _latest(condition: Q) -> Coalesce:
    return Coalesce(Max("pk", filter=condition), Value(0))


def _holds(change: Change, participant: Participant) -> bool:
    """Whether the change is still in effect: a removed player may have joined again. Only a jury changes scores."""
    if change.kind in _JUDGING:
        return True
    is_away = participant.disqualified_at if change.kind in _DISQUALIFYING else participant.left_at
    return (is_away is not None) == (change.kind in _TAKING_AWAY)
