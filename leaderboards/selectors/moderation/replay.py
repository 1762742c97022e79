"""What submissions amount to, player by player: the standings that a period has, or would have without some of them."""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter

from django.db.models import QuerySet

from leaderboards.core.ranking.policies import StandingState, replay
from leaderboards.models import Period, Submission
from leaderboards.stores.sql.writes import state_of


def replayed_states(period: Period, counting: QuerySet[Submission]) -> dict[int, StandingState]:
    """The standing that these submissions of the period come to, by the player's internal number.

    They are applied in the order in which they were accepted. Who has none among them is left out.
    """
    rows = counting.order_by("player_id", "pk").values_list("player_id", "points", "fields", "at")
    found = {player: replay(period.rules, _states(theirs)) for player, theirs in groupby(rows, itemgetter(0))}
    return {player: state for player, state in found.items() if state is not None}


def _states(rows: Iterable[tuple[int, int | None, list[int] | None, object]]) -> Iterable[StandingState]:
    return (state_of(points, fields, at) for _, points, fields, at in rows)  # type: ignore[arg-type]  # at is a time
