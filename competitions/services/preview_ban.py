"""Preview what a ban or a restriction, or the end of one, changes in competitions. Nothing is written.

For final results it predicts the next revision, and the rewards that follow from it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable

from django.db.models import CharField, Exists, OuterRef, QuerySet, Value
from django.db.models.functions import Cast, Concat

from competitions.models import Competition, Participant, Revision, RewardRun
from competitions.selectors.results.revisions import latest_revision
from competitions.selectors.rewards.earners import result_of
from competitions.selectors.rewards.grant_changes import GrantChanges, grant_changes_for, passed_over_in
from leaderboards.models import FinalStanding
from leaderboards.services.events import BanPreview


def preview_ban(players: Collection[int], *, banned: bool, board: int | None = None) -> BanPreview:
    """Count the competitions, results and rewards that change if these players (internal numbers) are hidden or shown.

    ``board`` limits it to one board, by number. Rewards that were not granted yet, because the result is hidden or
    provisional, are not counted.
    """
    competitions = Competition.objects.all() if board is None else Competition.objects.filter(board=board)
    published = competitions.filter(published_at__isnull=False, cancelled_at=None)
    taking_part = Participant.objects.filter(Participant.TAKING_PART, player__in=players)
    not_final = published.filter(final_at=None, pk__in=taking_part.values("competition"))
    changed = [each for each in _next_revisions(competitions, players, banned=banned) if each is not None]
    own_rewards, other_players = 0, set[int]()
    for revision in changed:
        changes = _reward_changes(revision)
        own_rewards += sum(grant.player_id in players for grant in (changes.lost if banned else changes.new))
        other_players |= {grant.player_id for grant in (*changes.lost, *changes.new)} - set(players)
    return BanPreview(not_final.count(), len(changed), own_rewards, len(other_players))


def _next_revisions(
    competitions: QuerySet[Competition], players: Collection[int], *, banned: bool
) -> Iterable[Revision | None]:
    """Yield for each final result the unsaved next revision, with what rewards need; None if it does not change."""
    standing = FinalStanding.objects.filter(
        period__board=OuterRef("competition__board"),
        period__label=Concat(Value("c"), Cast(OuterRef("competition"), CharField())),
        player=OuterRef("player"),
    )
    rows = Participant.objects.filter(Exists(standing), player__in=players, disqualified_at=None)
    rows = rows.filter(competition__final_at__isnull=False, competition__cancelled_at=None).order_by()
    affected: dict[int, set[int]] = defaultdict(set)
    for number, player in rows.values_list("competition_id", "player_id"):
        affected[number].add(player)
    for competition in competitions.filter(pk__in=affected).defer("picture").order_by("pk"):
        last = latest_revision(competition)
        yield None if last is None else _next_revision(last, affected[competition.pk], banned=banned)


def _next_revision(last: Revision, players: set[int], *, banned: bool) -> Revision | None:
    before = set(last.excluded_players)
    excluded_players = before | players if banned else before - players
    if excluded_players == before:
        return None
    total = last.total + len(before) - len(excluded_players)
    return Revision(
        competition=last.competition, number=last.number + 1, excluded_players=sorted(excluded_players), total=total
    )


def _reward_changes(revision: Revision) -> GrantChanges:
    """Return the rewards that are revoked and granted once they are settled by the revision."""
    run = RewardRun.objects.select_related("period__board").filter(competition=revision.competition).first()
    if run is None:
        return GrantChanges()
    return grant_changes_for(result_of(run.period, revision), run, passed_over_in(run).keys())
