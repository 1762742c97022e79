"""What new standings of some players come to in a period, before they are written: how many ranks are others then.

Counted in SQL's standings, of all who are shown. Where Redis decides, they are those of a second ago.
"""

from collections.abc import Iterable, Mapping

from leaderboards.core.ranking.policies import StandingState
from leaderboards.core.ranking.rank_changes import RankChanges, count_rank_changes
from leaderboards.models import Period, Player, Standing
from leaderboards.selectors.visibility.hidden import hidden_now, keeps_vacated_places

_NOBODY: Mapping[int, str] = {}
MOST_READ = 200_000  # standings of a period: about a third of a second


def moves_in(
    period: Period, after: Mapping[int, StandingState | None], unknown: Mapping[int, str] = _NOBODY
) -> RankChanges:
    """How ranks of the period change once these players (by internal number) stand so; None is not ranked. ``unknown``
    are the ids of those among them who are no players yet, by numbers that no player has."""
    standing = Standing.objects.filter(period=period, score__isnull=False)
    if not after:
        return RankChanges()
    hidden = hidden_now(period)
    gone = () if keeps_vacated_places(period) else hidden.keys()
    if standing.count() > MOST_READ:
        return RankChanges(0, standing.exclude(player__in=hidden).count(), is_exact=False)
    rows = standing.values_list("player_id", "score", "member")
    before = {player: (score or 0.0, member) for player, score, member in rows if player not in gone}
    told = {player: state for player, state in after.items() if player not in gone}
    return count_rank_changes(
        before, _replaced(period, before, told, unknown), period.rules.order, period.rules.ties, hidden
    )


def sum_moves(found: Iterable[RankChanges]) -> RankChanges:
    """All of them together."""
    total = RankChanges()
    for each in found:
        total = total.plus(each)
    return total


def _replaced(
    period: Period,
    before: Mapping[int, tuple[float, str]],
    after: Mapping[int, StandingState | None],
    unknown: Mapping[int, str],
) -> dict[int, tuple[float, str]]:
    now = {player: placed for player, placed in before.items() if player not in after}
    known = Player.objects.filter(pk__in=after.keys() - unknown.keys()).values_list("pk", "external_id")
    names = {**dict(known), **unknown}
    for player, state in after.items():
        if state is not None:
            packed = period.layout.pack(state.value, state.at_ms, names[player])
            now[player] = packed.score, packed.member
    return now
