"""Telling participants what a competition came to for them: their final place, and where it changed later.

Only what is final and shown is told: a freeze holds it back until the reveal. Who has a place is told by the revision,
those who are banned at that moment: a short ban, or an erasure, changes no result and loses no notice.

A pass tells for a few seconds, a chunk of players at a time, each a transaction with the mark of how far it came; the
next pass goes on there, so a competition of a hundred thousand is told in turns. The place that somebody was last told
is in their last notice.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from competitions.models import Competition, Notice, NoticeKind, NotificationProgress, Revision
from competitions.selectors.notices.preferences import preference_of
from competitions.selectors.results.moved_places import PlaceChanges
from competitions.selectors.results.revisions import published_ranking
from competitions.services.notices import notices
from foundation import clock
from foundation.failpoints import failpoint
from foundation.worker.each import for_each
from leaderboards.models import Period, Player
from leaderboards.selectors.visibility.restrictions import visible_q

CHUNK = 1000
BUDGET_SECONDS = 2.0
# A result that has been known for longer is no news: of competitions that were over before anybody was told.
NOTIFY_WITHIN = timedelta(days=7)

Ranks = Mapping[int, int]
# The ranking that is being told, by its revision: to read a large one for each turn would take longer than the turn.
_read: dict[int, Ranks] = {}
Moved = Callable[[Player, int | None, int | None], list[int]]  # which revisions moved a player, from and to which place


def notify_results(at: datetime, of: Competition | None = None) -> int:
    """Tell what there is to tell of the latest revisions, for a few seconds; returns how many notices were written.

    Of all competitions, or of one.
    """
    until = clock.monotonic() + BUDGET_SECONDS
    return sum(for_each(_due(at, of), lambda revision: _tell(revision, at, until)))


def _due(at: datetime, of: Competition | None) -> Iterator[Revision]:
    """The latest revisions of which not all have been told, where everybody may know them; the oldest first."""
    waiting = Revision.objects.filter(Q(telling=None) | Q(telling__notified_at=None))
    if of is not None:
        waiting = waiting.filter(competition=of)
    rows = waiting.select_related("competition__board").defer("competition__picture").order_by("made_at", "pk")
    for revision in rows:
        if not revision.competition.is_hidden(at):
            yield revision


def _tell(revision: Revision, at: datetime, until: float) -> int:
    telling = NotificationProgress.objects.get_or_create(revision=revision)[0]
    if not _is_latest(revision) or not _is_news(revision, at):
        _done(telling, at)
        return 0
    if clock.monotonic() >= until:
        return 0
    ranks, moved, told = _ranks(revision), PlaceChanges(revision).since_notified, 0
    until = clock.monotonic() + BUDGET_SECONDS  # to read a large ranking takes its time, and somebody is to be told
    while clock.monotonic() < until:
        written = _tell_chunk(telling.pk, ranks, at, moved)
        if written is None:
            break
        told += written
    return told


def _is_latest(revision: Revision) -> bool:
    return not Revision.objects.filter(competition=revision.competition_id, number__gt=revision.number).exists()


def _is_news(revision: Revision, at: datetime) -> bool:
    """Whether people still wait for it. Notices of competitions long over are gone, and with them who was told what."""
    competition = revision.competition
    shown_at = max(each for each in (competition.final_at, competition.revealed_at, revision.made_at) if each)
    if revision.number == 1:  # it may have been made for a result of long ago
        shown_at = max(each for each in (competition.final_at, competition.revealed_at, competition.ends_at) if each)
    is_kept = (competition.final_at or at) > at - timedelta(days=settings.KEEP_RECORDS_DAYS)
    return is_kept and at - shown_at < NOTIFY_WITHIN


def _ranks(revision: Revision) -> Ranks:
    """Internal number → final rank of everybody whom the revision shows; what changes it makes another revision."""
    found = _read.get(revision.pk)
    if found is None:
        competition = revision.competition
        period = Period.objects.select_related("board").get(board=competition.board_id, label=competition.label)
        found = {row.player_id: rank for rank, row in published_ranking(revision, period)}
        _read.clear()
        _read[revision.pk] = found
    return found


@transaction.atomic
def _tell_chunk(number: int, ranks: Ranks, at: datetime, moved: Moved) -> int | None:
    """Tell the next thousand; returns how many notices that made, None where nobody is left to be told."""
    rows = NotificationProgress.objects.select_for_update(of=("self",)).select_related("revision__competition")
    telling = rows.defer("revision__competition__picture").get(pk=number)
    if telling.notified_at is not None or not _is_latest(telling.revision):
        return None
    players = list(notices.players_taking_part(telling.revision.competition).filter(pk__gt=telling.last_player)[:CHUNK])
    if not players:
        _done(telling, at)
        return None
    board, numbers = telling.revision.competition.board_id, [player.pk for player in players]
    shown_now = set(Player.objects.filter(visible_q(board, ""), pk__in=numbers).values_list("pk", flat=True))
    hearing = [player for player in players if player.pk in shown_now or player.pk in ranks]
    told = list(_notices(telling.revision, hearing, ranks, moved))
    notices.write_notices(told, at)
    telling.last_player = players[-1].pk
    telling.save(update_fields=["last_player"])
    failpoint("outcomes.before_commit")
    return len(told)


def _notices(revision: Revision, players: Sequence[Player], ranks: Ranks, moved: Moved) -> Iterator[Notice]:
    """One for each who has a place and was told none, and for each who was told another: because of which revisions."""
    before = _last_told(revision.competition, players)
    for player in players:
        rank, was = ranks.get(player.pk), before.get(player.pk)
        if NoticeKind.RESULT in preference_of(player).muted or rank == was:
            continue
        kind = NoticeKind.RESULT_CHANGED if player.pk in before else NoticeKind.RESULT
        place = {"rank": rank, "previous_rank": was}
        because = {"because": moved(player, was, rank)} if kind is NoticeKind.RESULT_CHANGED else {}
        yield Notice(
            competition=revision.competition,
            player=player,
            kind=kind,
            revision=revision,
            details={"total": len(ranks), **because},
            **place,
        )


def _last_told(competition: Competition, players: Sequence[Player]) -> dict[int, int | None]:
    """Internal number → the place that the player was told last; without those who were told none."""
    told = Notice.objects.filter(
        competition=competition,
        player__in=[player.pk for player in players],
        kind__in=(NoticeKind.RESULT, NoticeKind.RESULT_CHANGED),
    )
    return dict(told.order_by("revision__number", "pk").values_list("player_id", "rank"))


def _done(telling: NotificationProgress, at: datetime) -> None:
    _read.pop(telling.revision_id, None)
    telling.notified_at = at
    telling.save(update_fields=["notified_at"])
