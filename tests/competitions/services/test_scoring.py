"""Scoring in competitions, through the one door: who may, when, how often, and one workout for several."""

from datetime import datetime, timedelta

import pytest

from competitions.models import Competition
from competitions.services.participants.join import join, leave
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.services.boards import retire
from leaderboards.services.submit.pipeline import submit
from tests.competitions.factories import END, HOUR, START, ParticipantFactory
from tests.competitions.site import (
    SOON,
    STORAGES,
    draft,
    joined,
    make_board,
    open_competition,
    player,
    points_of,
    score,
)

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


def dated(competition: Competition, at: datetime, now: datetime, id_: str = "", dry_run: bool = False) -> str:
    """What becomes of a score of ann's that happened at ``at`` and is sent now."""
    row = {"competition": competition.pk, "player": "ann", "points": 5, "at": at.isoformat()}
    entry = read_entry(row | ({"id": id_} if id_ else {}), 0)
    [code] = codes(submit([entry], Caller("tests"), now, dry_run=dry_run))
    return code


@pytest.mark.parametrize("storage", STORAGES)
def test_what_happened_before_its_player_joined_does_not_count(storage: str) -> None:
    competition = open_competition(make_board(storage))
    before, now = SOON - 6 * SECOND, SOON + HOUR
    ParticipantFactory.create(competition=competition, player=player("ann"), at=SOON)

    refused = [dated(competition, before, now, dry_run=rehearsed) for rehearsed in (True, False)]
    shown = points_of(competition)
    counted = [dated(competition, at, now) for at in (SOON - 5 * SECOND, SOON)]

    assert refused == ["not_joined"] * 2
    assert shown == {}
    assert counted[0] == "updated"
    assert points_of(competition) == {"ann": 5}


def test_it_is_said_since_when_the_player_takes_part() -> None:
    competition = open_competition()
    ParticipantFactory.create(competition=competition, player=player("ann"), at=SOON)
    entry = {"competition": competition.pk, "player": "ann", "points": 5, "at": (SOON - HOUR).isoformat()}

    [outcome] = submit([read_entry(entry, 0)], Caller("tests"), SOON)

    assert f"takes part in competition {competition.pk} since {SOON:%Y-%m-%d %H:%M:%S} UTC" in (outcome.detail or "")


@pytest.mark.parametrize("storage", STORAGES)
def test_a_score_without_a_time_in_the_breath_of_joining_counts_though_a_clock_is_behind(storage: str) -> None:
    competition = open_competition(make_board(storage))
    ParticipantFactory.create(competition=competition, player=player("ann"), at=SOON)

    found = score(competition, {"ann": 5}, SOON - HOUR / 2)

    assert codes(found) == ["updated"]


@pytest.mark.parametrize("storage", STORAGES)
def test_of_who_leaves_and_joins_again_the_last_joining_counts_and_a_repetition_is_one_all_the_same(
    storage: str,
) -> None:
    competition, again = open_competition(make_board(storage)), SOON + HOUR
    [ann] = joined(competition, "ann")
    first = dated(competition, SOON, SOON, "w1")
    leave(competition, ann, SOON + SECOND)
    join(competition, ann, again)

    found = [dated(competition, at, again + SECOND, id_) for at, id_ in ((SOON, "w2"), (SOON, "w1"), (again, "w3"))]

    assert (first, *found) == ("updated", "not_joined", "duplicate", "updated")


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
