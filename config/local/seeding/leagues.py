"""The demo's league, on its weekly board, with two past weeks, so that players have already moved.

It is created once. If a start is interrupted, the worker completes the weeks that were begun.
"""

import random
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from django.db import transaction

from competitions.errors import BadCompetition
from competitions.models import League, LeagueSeason, LeagueTier
from competitions.services.leagues.promotion import turn
from competitions.services.leagues.seasons import begin
from config.local.competition_players import RACERS
from config.local.players import roster
from config.local.strength import share
from leaderboards.core.input.entries import read_entry
from leaderboards.core.periods import Window, previous_window, window_at
from leaderboards.core.submissions import Caller, Status
from leaderboards.models import Board
from leaderboards.services.periods.close import close_period
from leaderboards.services.periods.open import open_period
from leaderboards.services.periods.rank_history import record_rank_history
from leaderboards.services.submit.pipeline import backfill

BOARD = "Weekly wins"
TIERS = ("Bronze", "Silver", "Gold")
SETTINGS = {"enabled": True, "group_size": 8, "promoted": 3, "demoted": 2}
WEEKS, DAYS = 2, 7
A_WEEK = 168 * 13_500  # points of the strongest, so that past weeks have about as many as the running one


def make_league(at: datetime) -> None:
    """Create the league and its past if there is none. Raises ``BadCompetition`` if a score is rejected."""
    board = Board.objects.filter(name=BOARD, retired_at=None).first()
    if board is None or League.objects.filter(board=board).exists():
        return
    league, weeks = _make(board), [window_at(board.calendar, at)]
    while len(weeks) <= WEEKS:
        weeks.append(previous_window(board.calendar, weeks[-1]))
    for week in reversed(weeks[1:]):
        _play(league, week, at)


@transaction.atomic
def _make(board: Board) -> League:
    league = League.objects.create(board=board, **SETTINGS)
    LeagueTier.objects.bulk_create(
        LeagueTier(league=league, position=nth, name=name) for nth, name in enumerate(TIERS, start=1)
    )
    return league


def _play(league: League, week: Window, at: datetime) -> None:
    """Create a past week: players score each day, the first one well, and are promoted and demoted in the end."""
    if week.starts_at is None:
        return
    period = open_period(league.board, week)
    dice = random.Random(week.label)  # the same weeks on every machine
    first, *others = roster(RACERS)
    dice.shuffle(others)
    ordered = [others[0], first, *others[1:]]
    weeks_points = {player: round(A_WEEK * share(place) * dice.gauss(1, 0.01)) for place, player in enumerate(ordered)}
    for nth, points in enumerate(_by_day(weeks_points, dice)):
        moment = week.starts_at + timedelta(days=nth, hours=23)
        rows = [
            {
                "board": league.board_id,
                "player": player,
                "points": number,
                "at": moment.isoformat(),
                "id": f"demo-{week.label}-{nth}-{player}",
            }
            for player, number in points.items()
        ]
        for outcome in backfill([read_entry(row, place) for place, row in enumerate(rows)], Caller("demo"), at):
            if outcome.status is Status.REJECTED:
                raise BadCompetition(f"a score was refused: {outcome.detail}")
        record_rank_history(period, moment, moment)
    begin(league, week.starts_at)
    close_period(period, at)
    turn(LeagueSeason.objects.select_related("period__board").get(period=period), at)


def _by_day(points: Mapping[str, int], dice: random.Random) -> Iterator[dict[str, int]]:
    """Yield what each player gains on each day: some begin the week fast, others end it so, and ``points`` in all."""
    pace = {player: dice.uniform(0.6, 1.7) for player in points}
    had = dict.fromkeys(points, 0)
    for day in range(1, DAYS + 1):
        then = {player: round(number * (day / DAYS) ** pace[player]) for player, number in points.items()}
        yield {player: max(1, number - had[player]) for player, number in then.items()}
        had = then
