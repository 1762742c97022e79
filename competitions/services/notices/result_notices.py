"""Notify participants of their final place, and of later changes of it.

Only final and public results are notified: during a freeze the notices wait for the reveal. A player who has a place in
the revision is notified even if banned at that moment, so a short ban or an erasure loses no notice.

A run works for a few seconds, in chunks of players. Each chunk is a transaction that also stores how far it came, and
the next run goes on there. The place that a player was last notified of is read from their last notice.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from competitions.models import Competition, Notice, NoticeKind, NotificationProgress, Revision
from competitions.selectors.notices.preferences import preference_of
from competitions.selectors.results.moved_places import PlaceChanges
from competitions.selectors.results.revisions import published_ranking
from competitions.services.notices import notices
from foundation import clock
from foundation.failpoints import failpoint
from foundation.sunwi_settings import sunwi_settings
from foundation.worker.each import for_each
from leaderboards.models import Period, Player
from leaderboards.selectors.visibility.restrictions import visible_q

CHUNK = 1000
BUDGET_SECONDS = 2.0
# An older result is old news, such as of competitions that ended before there were notices.
NOTIFY_WITHIN = timedelta(days=7)


class Ranks(dict[int, int]):
    """Internal number → final rank. ``shared`` are the ranks that several players have."""

    def __init__(self, ranks: Mapping[int, int]) -> None:
        super().__init__(ranks)
        self.shared = frozenset(rank for rank, players in Counter(self.values()).items() if players > 1)


# The ranking of the revision that is being notified: reading a large one takes longer than a run.
_cached_ranks: dict[int, Ranks] = {}
MovedBy = Callable[[Player, int | None, int | None], list[int]]  # (player, old place, new place) → revisions


def notify_results(at: datetime, of: Competition | None = None) -> int:
    """Write notices of the latest revisions, of all competitions or one, for a few seconds; returns how many."""
    until = clock.monotonic() + BUDGET_SECONDS
    return sum(for_each(_due(at, of), lambda revision: _notify(revision, at, until)))


def _due(at: datetime, of: Competition | None) -> Iterator[Revision]:
    """Yield public revisions whose notices are not complete, oldest first."""
    waiting = Revision.objects.filter(Q(telling=None) | Q(telling__notified_at=None))
    if of is not None:
        waiting = waiting.filter(competition=of)
    rows = waiting.select_related("competition__board").defer("competition__picture").order_by("made_at", "pk")
    for revision in rows:
        if not revision.competition.is_hidden(at):
            yield revision


def _notify(revision: Revision, at: datetime, until: float) -> int:
    progress = NotificationProgress.objects.get_or_create(revision=revision)[0]
    if not _is_latest(revision) or not _is_news(revision, at):
        _finish(progress, at)
        return 0
    if clock.monotonic() >= until:
        return 0
    ranks, moved_by, total = _ranks(revision), PlaceChanges(revision).since_notified, 0
    until = clock.monotonic() + BUDGET_SECONDS  # a new budget: reading a large ranking may have used the first one
    while clock.monotonic() < until:
        written = _notify_chunk(progress.pk, ranks, at, moved_by)
        if written is None:
            break
        total += written
    return total


def _is_latest(revision: Revision) -> bool:
    return not Revision.objects.filter(competition=revision.competition_id, number__gt=revision.number).exists()


def _is_news(revision: Revision, at: datetime) -> bool:
    """Whether the result is recent. Notices of old competitions are deleted, and with them who was notified of what."""
    competition = revision.competition
    shown_at = max(each for each in (competition.final_at, competition.revealed_at, revision.made_at) if each)
    if revision.number == 1:  # it may have been made later, for an old result
        shown_at = max(each for each in (competition.final_at, competition.revealed_at, competition.ends_at) if each)
    is_kept = (competition.final_at or at) > at - timedelta(days=sunwi_settings.KEEP_RECORDS_DAYS)
    return is_kept and at - shown_at < NOTIFY_WITHIN


def _ranks(revision: Revision) -> Ranks:
    """Return internal number → final rank of the players in the revision. It can be cached: revisions do not change."""
    ranks = _cached_ranks.get(revision.pk)
    if ranks is None:
        competition = revision.competition
        period = Period.objects.select_related("board").get(board=competition.board_id, label=competition.label)
        ranks = Ranks({row.player_id: rank for rank, row in published_ranking(revision, period)})
        _cached_ranks.clear()
        _cached_ranks[revision.pk] = ranks
    return ranks


@transaction.atomic
def _notify_chunk(number: int, ranks: Ranks, at: datetime, moved_by: MovedBy) -> int | None:
    """Notify the next thousand players; returns how many notices were written, None if no player is left."""
    rows = NotificationProgress.objects.select_for_update(of=("self",)).select_related("revision__competition")
    progress = rows.defer("revision__competition__picture").get(pk=number)
    if progress.notified_at is not None or not _is_latest(progress.revision):
        return None
    competition = progress.revision.competition
    players = list(notices.players_taking_part(competition).filter(pk__gt=progress.last_player)[:CHUNK])
    if not players:
        _finish(progress, at)
        return None
    numbers = [player.pk for player in players]
    visible = visible_q(competition.board_id, "")
    shown_now = set(Player.objects.filter(visible, pk__in=numbers).values_list("pk", flat=True))
    notified = [player for player in players if player.pk in shown_now or player.pk in ranks]
    written = list(_notices(progress.revision, notified, ranks, moved_by))
    notices.write_notices(written, at)
    progress.last_player = players[-1].pk
    progress.save(update_fields=["last_player"])
    failpoint("outcomes.before_commit")
    return len(written)


def _notices(revision: Revision, players: Sequence[Player], ranks: Ranks, moved_by: MovedBy) -> Iterator[Notice]:
    """Yield a notice for each player whose place differs from the one they were last notified of.

    A changed place names the revisions that moved it.
    """
    last_notified = _last_notified(revision.competition, players)
    for player in players:
        rank, previous_rank = ranks.get(player.pk), last_notified.get(player.pk)
        if NoticeKind.RESULT in preference_of(player).muted or rank == previous_rank:
            continue
        kind = NoticeKind.RESULT_CHANGED if player.pk in last_notified else NoticeKind.RESULT
        place = {"rank": rank, "previous_rank": previous_rank}
        is_changed = kind is NoticeKind.RESULT_CHANGED
        shared = {"shared": True} if rank in ranks.shared else {}
        because = {"because": moved_by(player, previous_rank, rank)} if is_changed else {}
        yield Notice(
            competition=revision.competition,
            player=player,
            kind=kind,
            revision=revision,
            details={"total": len(ranks), **shared, **because},
            **place,
        )


def _last_notified(competition: Competition, players: Sequence[Player]) -> dict[int, int | None]:
    """Return internal number → the place of the player's last notice, for players who have one."""
    result_notices = Notice.objects.filter(
        competition=competition,
        player__in=[player.pk for player in players],
        kind__in=(NoticeKind.RESULT, NoticeKind.RESULT_CHANGED),
    )
    return dict(result_notices.order_by("revision__number", "pk").values_list("player_id", "rank"))


def _finish(progress: NotificationProgress, at: datetime) -> None:
    _cached_ranks.pop(progress.revision_id, None)
    progress.notified_at = at
    progress.save(update_fields=["notified_at"])
