"""Scoring in competitions, through the one door: who may, when, how often, and one workout for several."""

from datetime import timedelta

import pytest

from competitions.models import Competition
from competitions.services.join import join, leave
from leaderboards.core.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.services.boards import retire
from leaderboards.services.submit import submit
from tests.competitions.factories import END, HOUR, START
from tests.competitions.site import SOON, draft, joined, make_board, open_competition, points_of, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

SECOND = timedelta(seconds=1)


def codes(outcomes: list[Outcome]) -> list[str]:
    return [outcome.code or outcome.status.value for outcome in outcomes]


def test_who_has_not_joined_or_comes_at_the_wrong_time_does_not_score() -> None:
    competition = open_competition(make_board(grace_seconds=60), starts_at=SOON)
    joined(competition, "ann")
    tries = (("eve", 1, SOON), ("ann", 1, SOON - SECOND), ("ann", 2, END - SECOND), ("ann", 3, END + 60 * SECOND))

    found = [score(competition, {name: points}, at)[0] for name, points, at in tries]

    assert codes(found) == ["not_joined", "not_started", "updated", "period_closed"]
    assert points_of(competition) == {"ann": 2}


def test_drafts_and_unknown_numbers_are_no_competitions_and_cancelled_ones_are_closed() -> None:
    hidden, cancelled, unknown = draft(), open_competition(make_board("sql")), Competition(pk=2**40)
    joined(cancelled, "ann")
    Competition.objects.filter(pk=cancelled.pk).update(cancelled_at=SOON)

    found = [score(each, {"ann": 1})[0] for each in (hidden, unknown, cancelled)]

    assert codes(found) == ["unknown_competition", "unknown_competition", "period_closed"]


def test_what_was_published_starts_and_runs_to_its_end_though_its_board_is_retired_before() -> None:
    competition = open_competition(starts_at=SOON)
    joined(competition, "ann")

    retire(competition.board, START)

    found = [score(competition, {"ann": 1}, at)[0] for at in (START, SOON + HOUR)]
    assert codes(found) == ["not_started", "updated"]


def test_attempts_are_counted_by_player_and_leaving_gives_none_back() -> None:
    competition = open_competition(attempts=2)
    [ann, _] = joined(competition, "ann", "bob")

    first = score(competition, {"ann": 1, "bob": 1}) + score(competition, {"ann": 2})
    leave(competition, ann, SOON)
    join(competition, ann, SOON + HOUR)
    third = score(competition, {"ann": 3, "bob": 2}, SOON + HOUR)

    assert codes(first) == ["updated"] * 3
    assert codes(third) == ["too_many_attempts", "updated"]
    assert points_of(competition) == {"bob": 2}


def test_one_workout_counts_in_several_competitions_and_each_has_its_own_ids() -> None:
    hybrid, redis = open_competition(make_board("hybrid")), open_competition(make_board("redis"))
    for competition in (hybrid, redis):
        joined(competition, "ann")
    rows = [
        {"competition": competition.pk, "player": "ann", "points": 30, "id": "workout-93"}
        for competition in (hybrid, redis, hybrid)
    ]

    outcomes = submit([read_entry(row, place) for place, row in enumerate(rows)], Caller("game"), SOON)

    assert codes(outcomes) == ["updated", "updated", "duplicate"]
    assert points_of(hybrid) == points_of(redis) == {"ann": 30}
