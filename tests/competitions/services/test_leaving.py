"""Leaving a competition, and coming back: the standing goes, whatever is busy or away, and the place is free."""

from functools import partial
from unittest.mock import patch

import pytest
from django.db import OperationalError

from competitions import errors
from competitions.models import Participant
from competitions.services.participants import join as joining
from competitions.services.participants.disqualify import remove
from competitions.services.participants.join import join, leave
from competitions.services.participants.remove_withdrawn import (
    remove_or_defer,
    remove_withdrawn_due,
    remove_withdrawn_of,
)
from leaderboards.errors import StorageUnavailable
from tests.at_once import at_once
from tests.competitions.factories import HOUR
from tests.competitions.services.mishaps import let_happen_before, redis_away
from tests.competitions.site import (
    SOON,
    STORAGES,
    follow,
    joined,
    make_board,
    open_competition,
    player,
    points_of,
    race,
    score,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_who_leaves_makes_room_and_may_come_back_while_there_is_some() -> None:
    competition = open_competition(most_participants=1)
    [ann] = joined(competition, "ann")

    leave(competition, ann, SOON)
    joined(competition, "bob")
    with pytest.raises(errors.CompetitionFull):
        join(competition, ann, SOON)
    leave(competition, player("bob"), SOON)
    back = join(competition, ann, SOON + HOUR)

    assert (back.left_at, back.joined_at) == (None, SOON + HOUR)
    assert Participant.objects.count() == 2


@pytest.mark.parametrize("storage", STORAGES)
def test_who_leaves_loses_their_standing_and_comes_back_without_it(storage: str) -> None:
    competition = race({"ann": 9, "bob": 5}, make_board(storage))

    leave(competition, player("ann"), SOON)
    [refused] = score(competition, {"ann": 7})
    left = points_of(competition)
    join(competition, player("ann"), SOON + HOUR)
    [back] = score(competition, {"ann": 3}, SOON + HOUR)

    assert left == {"bob": 5}
    assert (refused.code, back.code) == ("not_joined", None)
    assert points_of(competition) == {"ann": 3, "bob": 5}


def test_who_leaves_while_redis_is_away_is_taken_out_when_it_is_back() -> None:
    competition = race({"ann": 9, "bob": 5}, make_board("redis"))
    with redis_away():
        leave(competition, player("ann"), SOON)

    found = remove_withdrawn_of(competition, SOON)

    assert found == 1
    assert points_of(competition) == {"bob": 5}


@pytest.mark.parametrize("how", ["leaves", "is removed"])
def test_who_goes_while_sql_is_busy_has_gone_and_is_taken_out_by_the_schedule(how: str) -> None:
    competition = race({"ann": 9, "bob": 5})
    busy = patch(
        "competitions.services.participants.remove_withdrawn.remove_withdrawn_one",
        side_effect=OperationalError("database is locked"),
    )

    with busy:
        if how == "leaves":
            leave(competition, player("ann"), SOON)
        else:
            remove(competition, player("ann"), "Cheated.", SOON, None)
    meanwhile = points_of(competition)

    assert not Participant.objects.get(player__external_id="ann").takes_part
    assert meanwhile == {"ann": 9, "bob": 5}
    assert (remove_withdrawn_due(SOON), points_of(competition)) == (1, {"bob": 5})


@pytest.mark.parametrize("storage", STORAGES)
def test_a_crowd_that_leaves_and_joins_at_once_is_where_each_was_told_to_be(storage: str) -> None:
    """SQLite takes one writer after another, and may have no time for some: they are told that nothing has changed."""
    names = [f"p{number}" for number in range(8)]
    competition = race(dict.fromkeys(names, 5), make_board(storage))

    def restless(name: str) -> bool:
        """Whether the player takes part in the end, as far as they were told."""
        here, row = True, player(name)
        for _ in range(5):
            try:
                (leave if here else join)(competition, row, SOON)
                here = not here
            except OperationalError as error:
                if "database is locked" not in str(error):
                    raise
        return here

    told = dict(zip(names, at_once([partial(restless, name) for name in names]), strict=True))
    remove_withdrawn_due(SOON)

    there = Participant.objects.filter(competition=competition, left_at=None)
    assert set(there.values_list("player__external_id", flat=True)) == {name for name in names if told[name]}
    assert not set(points_of(competition)) - {name for name in names if told[name]}


def test_who_is_back_before_they_are_taken_out_stays() -> None:
    competition = race({"ann": 9})
    leave(competition, player("ann"), SOON)
    gone = Participant.objects.select_related("competition__board").get()
    join(competition, player("ann"), SOON)
    score(competition, {"ann": 3})

    remove_or_defer(gone, SOON)

    assert points_of(competition) == {"ann": 3}


@pytest.mark.parametrize("storage", STORAGES)
def test_who_leaves_while_redis_is_away_and_joins_again_has_no_score(storage: str) -> None:
    competition = race({"ann": 9, "bob": 5}, make_board(storage))
    with redis_away():
        leave(competition, player("ann"), SOON)

    join(competition, player("ann"), SOON + HOUR)

    remove_withdrawn_due(SOON + HOUR)
    follow(competition)
    assert points_of(competition) == {"bob": 5}


def test_who_joins_again_while_redis_is_away_yet_is_refused_and_is_gone() -> None:
    competition = race({"ann": 9, "bob": 5}, make_board("redis"))
    with redis_away():
        leave(competition, player("ann"), SOON)
        with pytest.raises(StorageUnavailable):
            join(competition, player("ann"), SOON + HOUR)

    assert not Participant.objects.get(player__external_id="ann").takes_part
    assert (remove_withdrawn_due(SOON + HOUR), points_of(competition)) == (1, {"bob": 5})


@pytest.mark.parametrize("storage", STORAGES)
def test_who_joins_again_before_leaving_has_taken_them_out_has_no_score(
    monkeypatch: pytest.MonkeyPatch, storage: str
) -> None:
    competition = race({"ann": 9, "bob": 5}, make_board(storage))
    again = partial(join, competition, player("ann"), SOON)
    let_happen_before(monkeypatch, joining, "remove_just_withdrawn", again)

    leave(competition, player("ann"), SOON)

    follow(competition)
    assert Participant.objects.get(player__external_id="ann").takes_part
    assert points_of(competition) == {"bob": 5}
