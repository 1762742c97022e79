"""Telling players who were banned, and are let in again, what was done to them meanwhile, as far as it still holds.

Whether they were disqualified or removed, or a score of theirs is void by then, differs from what they heard last: only
that is told. The notice is the row that proves it, one for each act.

The trap: what can never be news has no notice, and is found again by each run for a week. So SQL drops it, and nothing
is held for it.
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
BUDGET_SECONDS = 2.0  # what is left waits for the next run: results and rewards are told behind this
NOTIFY_WITHIN = timedelta(days=7)  # since the ban was lifted: a schedule that stood still for so long tells old news
_DISQUALIFYING = (ChangeKind.DISQUALIFIED, ChangeKind.REINSTATED)
_REMOVING = (ChangeKind.REMOVED, ChangeKind.BROUGHT_BACK)
_JUDGING = (ChangeKind.VOIDED, ChangeKind.RESTORED)
_TAKING_AWAY = (ChangeKind.DISQUALIFIED, ChangeKind.REMOVED, ChangeKind.VOIDED)
_GIVING_BACK = (ChangeKind.REINSTATED, ChangeKind.BROUGHT_BACK, ChangeKind.RESTORED)


def notify_after_bans(at: datetime) -> int:
    """Tell what was done during bans that have ended, for a few seconds; returns how many notices were written. Again
    tells nobody twice."""
    until = clock.monotonic() + BUDGET_SECONDS
    lifted = BanRecord.objects.filter(kind=BanKind.LIFTED, at__gt=at - NOTIFY_WITHIN)
    players = Player.objects.filter(banned_at=None, pk__in=lifted.values("player")).order_by("pk")
    untold = takewhile(lambda _change: clock.monotonic() < until, _untold(players))
    return sum(for_each(untold, lambda change: _tell(change, at)))


def _untold(players: QuerySet[Player]) -> Iterator[Change]:
    """The acts that are news to one of these players, who was banned at them; each with its competition."""
    for some in in_chunks(players, CHUNK):
        bans = _bans(some)
        part = Participant.objects.filter(player__in=some).select_related("player")
        acts = Change.objects.filter(competition__in=part.values("competition"), details__player__in=list(bans))
        rows = {(row.competition_id, row.player.external_id): row for row in part}
        for change in _news(acts).select_related("competition").defer("competition__picture").order_by("pk"):
            player = change.details["player"]
            participant = rows.get((change.competition_id, player))
            if participant is not None and _holds(change, participant) and _was_banned(bans[player], change.at):
                yield change


def _bans(players: Sequence[Player]) -> dict[str, list[BanRecord]]:
    """By player (the id that games know), the earliest first."""
    found: dict[str, list[BanRecord]] = defaultdict(list)
    for record in BanRecord.objects.filter(player__in=players).select_related("player").order_by("at", "pk"):
        found[record.player.external_id].append(record)
    return found


def _was_banned(records: Sequence[BanRecord], at: datetime) -> bool:
    before = [record for record in records if record.at <= at]
    return bool(before) and before[-1].kind == BanKind.BANNED


@transaction.atomic
def _tell(change: Change, at: datetime) -> bool:
    """Whether there was something to tell, with the competition held: nobody else acts on its participants, or tells
    them, meanwhile."""
    locked, name = lock_competition(change.competition), change.details["player"]
    player = Player.objects.filter(external_id=name).first()
    participant = lock_participant(locked, player) if player is not None else None
    theirs = Change.objects.filter(competition=locked, details__player=name)
    if participant is None or not _news(theirs).filter(pk=change.pk).exists() or not _holds(change, participant):
        return False
    told = notify_player(change, participant.player, at)
    failpoint("tell_let_in.before_commit")
    return told


def _news(acts: QuerySet[Change]) -> QuerySet[Change]:
    """Of these acts the latest of its kind, on the same score where it is of one, that says something else than what
    its player was told last."""
    what = Case(When(kind__in=_DISQUALIFYING, then=1), When(kind__in=_REMOVING, then=2), default=3)
    alike = acts.filter(kind__in=(*_DISQUALIFYING, *_REMOVING, *_JUDGING)).order_by().annotate(what=what)
    latest = alike.values("competition", "what", "details__player", "details__submission").annotate(
        last=Max("pk"),
        away=_latest(Q(kind__in=_TAKING_AWAY)),
        back=_latest(Q(kind__in=_GIVING_BACK)),
        heard_away=_latest(Q(kind__in=_TAKING_AWAY, notices__isnull=False)),
        heard_back=_latest(Q(kind__in=_GIVING_BACK, notices__isnull=False)),
    )
    is_away, heard_so = Q(away__gt=F("back")), Q(heard_away__gt=F("heard_back"))
    return Change.objects.filter(pk__in=latest.filter((is_away & ~heard_so) | (~is_away & heard_so)).values("last"))


def _latest(which: Q) -> Coalesce:
    return Coalesce(Max("pk", filter=which), Value(0))


def _holds(change: Change, participant: Participant) -> bool:
    """Whether they are still away, or still there: who left may have joined again by themselves. A score is judged by
    its jury alone."""
    if change.kind in _JUDGING:
        return True
    is_away = participant.disqualified_at if change.kind in _DISQUALIFYING else participant.left_at
    return (is_away is not None) == (change.kind in _TAKING_AWAY)
