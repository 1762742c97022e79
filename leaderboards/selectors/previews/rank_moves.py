"""Count how many ranks of a period would change with new standings of some players, before they are written.

Counts visible players by SQL's standings. While Redis decides, these may be seconds old.
"""

from collections.abc import Iterable, Mapping

from leaderboards.core.packing.layout import LAST_NUMBER
from leaderboards.core.ranking.policies import StandingState
from leaderboards.core.ranking.rank_changes import RankChanges, count_rank_changes
from leaderboards.models import Period, Player, Standing
from leaderboards.selectors.visibility.hidden import hidden_now, keeps_vacated_places

_NO_IDS: Mapping[int, str] = {}
MOST_READ = 200_000  # standings of a period: about a third of a second


def moves_in(
    period: Period, after: Mapping[int, StandingState | None], unknown: Mapping[int, str] = _NO_IDS
) -> RankChanges:
    """Return the rank changes of the period once players (by internal number) have these states; None: not ranked.

    ``unknown`` maps the placeholder numbers of players that do not exist yet to their ids.
    """
    standing = Standing.objects.filter(period=period, score__isnull=False)
    if not after:
        return RankChanges()
    hidden = hidden_now(period)
    uncounted = () if keeps_vacated_places(period) else hidden.keys()
    if standing.count() > MOST_READ:
        return RankChanges(0, standing.exclude(player__in=hidden).count(), is_exact=False)
    rows = standing.values_list("player_id", "score", "member")
    before = {player: (score or 0.0, member) for player, score, member in rows if player not in uncounted}
    counted = {player: state for player, state in after.items() if player not in uncounted}
    return count_rank_changes(
        before, _replace_states(period, before, counted, unknown), period.rules.order, period.rules.ties, hidden
    )


def sum_moves(changes: Iterable[RankChanges]) -> RankChanges:
    """Sum rank changes of several periods."""
    total = RankChanges()
    for each in changes:
        total = total.plus(each)
    return total


def number_then(player: int) -> int:
    """Return the number that a player will have in a member: one that does not exist yet stands behind all others."""
    return player if player >= 0 else LAST_NUMBER + player


def _replace_states(
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
            packed = period.layout.pack(state.value, state.at_ms, names[player], number_then(player))
            now[player] = packed.score, packed.member
    return now
