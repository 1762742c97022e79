"""Joining and leaving: every refusal, the last place exactly once, and a standing that goes with its player."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest

from competitions import errors
from competitions.models import Competition, Invitation, Participant
from competitions.services.join import join, leave
from competitions.services.strays import take_out, take_out_strays
from foundation import redis
from foundation.errors import SunwiError
from leaderboards.errors import Banned
from leaderboards.models import Player
from tests.at_once import at_once
from tests.competitions.site import (
    END,
    HOUR,
    SOON,
    START,
    STORAGES,
    draft,
    joined,
    make_board,
    open_competition,
    player,
    points_of,
    raced,
    score,
)

pytestmark = pytest.mark.django_db(transaction=True)


def asked(competition: Competition, player: Player) -> str:
    """What became of asking to join."""
    try:
        join(competition, player, SOON)
    except SunwiError as error:
        return error.code
    return "joined"


@pytest.mark.parametrize(
    ("settings", "when", "code", "refusal"),
    [
        ({}, END, "", errors.CompetitionOver),
        ({"join_until": SOON}, SOON, "", errors.JoiningOver),
        ({"joining": "code", "join_code": "Sesame"}, SOON, "wrong", errors.WrongCode),
        ({"joining": "code", "join_code": "Sesame"}, SOON, "", errors.WrongCode),
        ({"joining": "list"}, SOON, "", errors.NotInvited),
    ],
)
def test_who_may_not_join_is_told_why(
    links: None, settings: dict[str, Any], when: datetime, code: str, refusal: type[SunwiError]
) -> None:
    competition = open_competition(**settings)

    with pytest.raises(refusal):
        join(competition, player("ann"), when, code)

    assert not Participant.objects.exists()


def test_nobody_joins_a_draft_or_what_was_cancelled(links: None) -> None:
    competition = draft()

    with pytest.raises(errors.NotOpenYet):
        join(competition, player("ann"), SOON)
    Competition.objects.update(published_at=START, cancelled_at=START)
    with pytest.raises(errors.CompetitionOver):
        join(competition, player("ann"), SOON)


def test_a_code_is_the_same_whatever_its_capitals_and_a_list_opens_to_its_players(links: None) -> None:
    by_code = open_competition(joining="code", join_code="Sesame ")
    by_list = open_competition(by_code.board, joining="list")
    Invitation.objects.create(competition=by_list, external_id="ann")

    join(by_code, player("ann"), SOON, " sesamE")
    join(by_list, player("ann"), SOON)

    assert Participant.objects.filter(Participant.TAKING_PART).count() == 2


def test_joining_twice_is_refused_and_so_are_the_banned_and_the_disqualified(links: None) -> None:
    competition = open_competition()
    [ann, bob] = joined(competition, "ann", "bob")
    Participant.objects.filter(player=bob).update(disqualified_at=SOON)
    Player.objects.filter(pk=player("eve").pk).update(banned_at=SOON)

    with pytest.raises(errors.AlreadyJoined):
        join(competition, ann, SOON)
    with pytest.raises(errors.Disqualified):
        join(competition, bob, SOON)
    with pytest.raises(Banned):
        join(competition, player("eve"), SOON)


def test_the_last_places_are_given_once_each_however_many_ask_at_once(links: None) -> None:
    competition = open_competition(most_participants=3)
    players = [player(f"p{number}") for number in range(12)]

    answers = at_once([partial(asked, competition, one) for one in players])

    assert sorted(answers) == ["competition_full"] * 9 + ["joined"] * 3
    assert Participant.objects.count() == 3


def test_one_who_asks_twice_at_once_takes_part_once(links: None) -> None:
    competition, ann = open_competition(), player("ann")

    answers = at_once([partial(asked, competition, ann)] * 4)

    assert sorted(answers) == ["already_joined"] * 3 + ["joined"]


def test_who_leaves_makes_room_and_may_come_back_while_there_is_some(links: None) -> None:
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
def test_who_leaves_takes_his_standing_along_and_comes_back_without_it(links: None, storage: str) -> None:
    competition = open_competition(make_board(storage))
    raced(competition, {"ann": 9, "bob": 5})

    leave(competition, player("ann"), SOON)
    [refused] = score(competition, {"ann": 7})
    left = points_of(competition)
    join(competition, player("ann"), SOON + HOUR)
    [back] = score(competition, {"ann": 3}, SOON + HOUR)

    assert left == {"bob": 5}
    assert (refused.code, back.code) == ("not_joined", None)
    assert points_of(competition) == {"ann": 3, "bob": 5}


def test_who_leaves_while_redis_is_away_is_taken_out_when_it_is_back(
    links: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    competition = open_competition(make_board("redis"))
    raced(competition, {"ann": 9, "bob": 5})
    with monkeypatch.context() as patch:
        patch.setattr(redis.Link, "_exchange", _away)
        leave(competition, player("ann"), SOON)
    redis.boards().reset()

    found = take_out_strays(competition, SOON)

    assert found == 1
    assert points_of(competition) == {"bob": 5}


def test_who_is_back_already_when_he_would_be_taken_out_stays(links: None) -> None:
    competition = open_competition()
    raced(competition, {"ann": 9})
    leave(competition, player("ann"), SOON)
    gone = Participant.objects.select_related("competition__board").get()
    join(competition, player("ann"), SOON)
    score(competition, {"ann": 3})

    take_out(gone, SOON)

    assert points_of(competition) == {"ann": 3}


def test_leaving_is_refused_to_strangers_and_after_the_end(links: None) -> None:
    competition = open_competition()
    [ann] = joined(competition, "ann")

    with pytest.raises(errors.NotAParticipant):
        leave(competition, player("eve"), SOON)
    with pytest.raises(errors.CompetitionOver):
        leave(competition, ann, END)
    leave(competition, ann, END - timedelta(seconds=1))
    with pytest.raises(errors.NotAParticipant):
        leave(competition, ann, END - timedelta(seconds=1))


def _away(*_: object, **__: object) -> None:
    raise redis.RedisAway("Redis is away.")
