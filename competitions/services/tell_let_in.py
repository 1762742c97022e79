"""Telling players who were banned, and are let in again, what was done to them meanwhile, as far as it still holds.

Whether they were disqualified or removed, or a score of theirs is void by then, differs from what they heard last: only
that is told. The notice is the row that proves it, one for each act.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from competitions.models import Change, ChangeKind, Competition, Participant
from competitions.services.locked import held_participant, locked
from competitions.services.notices import tell_player
from foundation.chunks import in_chunks
from foundation.each import for_each
from foundation.failpoints import failpoint
from leaderboards.models import BanKind, BanRecord, Player

CHUNK = 500
NEWS_FOR = timedelta(days=7)  # since the ban was lifted: a schedule that stood still for so long tells old news
_DISQUALIFYING = (ChangeKind.DISQUALIFIED, ChangeKind.REINSTATED)
_REMOVING = (ChangeKind.REMOVED, ChangeKind.BROUGHT_BACK)
_JUDGING = (ChangeKind.VOIDED, ChangeKind.RESTORED)
_TAKING_AWAY = (ChangeKind.DISQUALIFIED, ChangeKind.REMOVED, ChangeKind.VOIDED)


def tell_let_in(at: datetime) -> int:
    """Tell what was done during bans that have ended; returns how many notices were written. Again tells nobody
    twice."""
    lifted = BanRecord.objects.filter(kind=BanKind.LIFTED, at__gt=at - NEWS_FOR)
    players = Player.objects.filter(banned_at=None, pk__in=lifted.values("player")).order_by("pk")
    return sum(for_each(_untold(players), lambda change: _tell(change, at)))


def _untold(players: QuerySet[Player]) -> Iterator[Change]:
    """The acts that one of these players has no notice of, and was banned at; each with its competition."""
    for some in in_chunks(players, CHUNK):
        by_name = {player.external_id: player for player in some}
        part = Participant.objects.filter(player__in=[player.pk for player in some])
        acts = Change.objects.filter(kind__in=(*_DISQUALIFYING, *_REMOVING, *_JUDGING), notices=None)
        acts = acts.filter(competition__in=part.values("competition"), details__player__in=list(by_name))
        for change in acts.select_related("competition").defer("competition__picture").order_by("pk"):
            if _was_banned(by_name[change.details["player"]], change.at):
                yield change


def _was_banned(player: Player, at: datetime) -> bool:
    before = BanRecord.objects.filter(player=player, at__lte=at).order_by("at", "pk").last()
    return before is not None and before.kind == BanKind.BANNED


@transaction.atomic
def _tell(change: Change, at: datetime) -> bool:
    """Whether there was something to tell, with the competition held: nobody else acts on its participants, or tells
    them, meanwhile."""
    held = locked(change.competition)
    player = Player.objects.filter(external_id=change.details["player"]).first()
    participant = held_participant(held, player) if player is not None else None
    if participant is None or change.notices.exists() or not _is_news(held, change, participant):
        return False
    told = tell_player(change, participant.player, at)
    failpoint("tell_let_in.before_commit")
    return told


def _is_news(held: Competition, change: Change, participant: Participant) -> bool:
    """Whether it is the latest act of its kind, still holds, and is not what they were told last."""
    acts, was_taken_away = _alike(held, change, participant), change.kind in _TAKING_AWAY
    if acts.filter(pk__gt=change.pk).exists() or not _holds(change, participant):
        return False
    heard = acts.filter(notices__isnull=False).order_by("pk").last()
    return (heard is not None and heard.kind in _TAKING_AWAY) != was_taken_away


def _alike(held: Competition, change: Change, participant: Participant) -> QuerySet[Change]:
    """The acts that do or undo the same: of scores, those of the same score."""
    kinds = next(several for several in (_DISQUALIFYING, _REMOVING, _JUDGING) if change.kind in several)
    acts = Change.objects.filter(competition=held, kind__in=kinds, details__player=participant.player.external_id)
    return acts.filter(details__submission=change.details["submission"]) if kinds is _JUDGING else acts


def _holds(change: Change, participant: Participant) -> bool:
    """Whether they are still away, or still there: who left may have joined again by themselves. A score is judged by
    its jury alone."""
    if change.kind in _JUDGING:
        return True
    is_away = participant.disqualified_at if change.kind in _DISQUALIFYING else participant.left_at
    return (is_away is not None) == (change.kind in _TAKING_AWAY)
