"""Replay submissions: the standings that a period has, or would have without some of its submissions."""

from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import QuerySet

from leaderboards.core.ranking.policies import StandingState, replay
from leaderboards.models import Period, Submission
from leaderboards.stores.sql.writes import SUBMISSION_STATE, stored_submission_state


def replayed_states(period: Period, counting: QuerySet[Submission]) -> dict[int, StandingState]:
    """Apply these submissions of the period in the order of their acceptance, and return the standings.

    By the player's internal number; players without a submission among them are omitted.
    """
    rows = counting.order_by("player_id", "pk").values_list("player_id", *SUBMISSION_STATE)
    states = {player: replay(period.rules, _states(own)) for player, own in groupby(rows, itemgetter(0))}
    return {player: state for player, state in states.items() if state is not None}


def _states(rows: Iterable[tuple[Any, ...]]) -> Iterable[StandingState]:
    return (stored_submission_state(*cells) for _, *cells in rows)
