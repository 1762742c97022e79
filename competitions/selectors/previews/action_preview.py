"""Preview an action of a jury or of staff on a competition: changed places, leaders and rewards, whether a revision is
published, and how many players are notified. Nothing is written.

Ranks are computed from the present standings in SQL. The trap: changed player names, which the next revision also
publishes, are not detected.
"""

from dataclasses import dataclass, field

from competitions.core.ranking_preview import Ranks, moves_between, of_all
from competitions.models import Competition, RewardRun, Team
from competitions.selectors.previews.before_after import ResultState, before_and_after, is_long
from competitions.selectors.previews.effects import ActionEffect, period_of
from competitions.selectors.results.revisions import latest_revision
from competitions.selectors.rewards.grant_changes import GrantChanges, grant_changes_for, passed_over_in
from competitions.selectors.rewards.saved_tiers import rules_of
from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.models import Player


@dataclass(frozen=True, slots=True)
class ActionPreview:
    """The changed ranks of players, of teams, and within divisions, and what follows.

    ``leaders`` (player ids) and ``leading_teams`` (names) are first after the action; None if they do not change.
    ``revision`` is the number of the revision that is made, or None. ``told`` is how many players are notified of a
    changed place. If the competition is too large to compute, all is empty and ``is_counted`` is False.
    """

    players: RankChanges = field(default_factory=RankChanges)
    teams: RankChanges = field(default_factory=RankChanges)
    divisions: RankChanges = field(default_factory=RankChanges)
    leaders: list[str] | None = None
    leading_teams: list[str] | None = None
    rewards: GrantChanges = field(default_factory=GrantChanges)
    revision: int | None = None
    told: int = 0
    is_counted: bool = True


def preview_action(competition: Competition, effect: ActionEffect) -> ActionPreview:
    """Preview an action; empty for a competition without any scores yet."""
    period = period_of(competition)
    if period is None:
        return ActionPreview()
    if is_long(competition, period):
        return ActionPreview(is_counted=False)
    before, after = before_and_after(competition, period, effect)
    last = latest_revision(competition)
    published = before if last is None else before.excluding(last.excluded_players)
    is_revised = competition.final_at is not None and (last is None or published.rows() != after.rows())
    return ActionPreview(
        moves_between(of_all(before.ranks), of_all(after.ranks)),
        moves_between(before.teams, after.teams),
        moves_between(before.divisions, after.divisions),
        None if before.firsts == after.firsts else _names(after.firsts),
        _new_first_teams(before.teams, after.teams),
        _reward_changes(competition, after) if is_revised else GrantChanges(),
        (last.number if last else 0) + 1 if is_revised else None,
        _count_notified(published, after) if is_revised else 0,
    )


def preview_confirm(competition: Competition) -> ActionPreview:
    """Preview making a provisional result final: no place changes, and the earned rewards are granted."""
    period = period_of(competition)
    if period is None or is_long(competition, period):
        return ActionPreview(is_counted=period is None)
    now, _same = before_and_after(competition, period, ActionEffect())
    run = RewardRun(competition=competition, period=period, tiers=rules_of(period, competition))
    last = latest_revision(competition)
    return ActionPreview(
        leaders=_names(now.firsts),
        rewards=grant_changes_for(now.result(), run, frozenset()),
        revision=(last.number if last else 0) + 1,
        told=len(now.ranks.keys() & now.taking_part()),
    )


def _reward_changes(competition: Competition, after: ResultState) -> GrantChanges:
    """Return the rewards that are revoked and granted by the next revision."""
    run = RewardRun.objects.select_related("period__board").filter(competition=competition).first()
    return GrantChanges() if run is None else grant_changes_for(after.result(), run, passed_over_in(run).keys())


def _count_notified(published: ResultState, after: ResultState) -> int:
    """Count the participants whose place differs between the last revision and the next one."""
    players = published.ranks.keys() | after.ranks.keys()
    return sum(published.ranks.get(each) != after.ranks.get(each) for each in players & after.taking_part())


def _names(players: set[int]) -> list[str]:
    return sorted(Player.objects.filter(pk__in=players).values_list("external_id", flat=True))


def _new_first_teams(before: Ranks, after: Ranks) -> list[str] | None:
    old, new = ({team for (_group, team), rank in ranks.items() if rank == 1} for ranks in (before, after))
    return None if old == new else sorted(Team.objects.filter(pk__in=new).values_list("name", flat=True))
