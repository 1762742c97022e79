"""What an act of a jury or of staff comes to in a competition, before it is done: whose places move, who is first then,
which rewards move, whether the final result is published anew, and how many are told. Nothing is written.

Ranks are worked out from SQL's standings as they are, by the rules by which they are then shown. The trap: a name that
was changed since the last revision is published with the next one too, which is not looked for.
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
    """What moves: ranks of players, of teams, and within divisions. ``leaders`` and ``leading_teams`` are the ids and
    names of those who are first then, None where the same are. ``revision`` is the number of the first revision that
    is made, None for none; ``told`` are those who are told of another place by it. All of it is empty, and
    ``is_counted`` False, where there is too much to read.
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
    """What this act comes to in a competition; of what was never scored in nothing."""
    period = period_of(competition)
    if period is None:
        return ActionPreview()
    if is_long(competition, period):
        return ActionPreview(is_counted=False)
    was, then = before_and_after(competition, period, effect)
    last = latest_revision(competition)
    published = was if last is None else was.excluding(last.excluded_players)
    is_anew = competition.final_at is not None and (last is None or published.rows() != then.rows())
    return ActionPreview(
        moves_between(of_all(was.ranks), of_all(then.ranks)),
        moves_between(was.teams, then.teams),
        moves_between(was.divisions, then.divisions),
        _firsts(was.firsts, then.firsts),
        _first_teams(was.teams, then.teams),
        _rewards(competition, then) if is_anew else GrantChanges(),
        (last.number if last else 0) + 1 if is_anew else None,
        _told(published, then) if is_anew else 0,
    )


def preview_confirm(competition: Competition) -> ActionPreview:
    """What making a provisional result final comes to: nobody's place moves, and what is earned now is granted."""
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


def _rewards(competition: Competition, then: ResultState) -> GrantChanges:
    """Which rewards are revoked and which are granted once they follow the next revision."""
    run = RewardRun.objects.select_related("period__board").filter(competition=competition).first()
    return GrantChanges() if run is None else grant_changes_for(then.result(), run, passed_over_in(run).keys())


def _told(published: ResultState, then: ResultState) -> int:
    """Those who take part and have another place by the next revision than by the last."""
    players = published.ranks.keys() | then.ranks.keys()
    return sum(published.ranks.get(each) != then.ranks.get(each) for each in players & then.taking_part())


def _firsts(was: set[int], then: set[int]) -> list[str] | None:
    return None if was == then else _names(then)


def _names(players: set[int]) -> list[str]:
    return sorted(Player.objects.filter(pk__in=players).values_list("external_id", flat=True))


def _first_teams(was: Ranks, then: Ranks) -> list[str] | None:
    before, after = ({team for (_group, team), rank in ranks.items() if rank == 1} for ranks in (was, then))
    return None if before == after else sorted(Team.objects.filter(pk__in=after).values_list("name", flat=True))
