"""Taking part: who may join, and who is sent away, disqualified or banned. Leaving is in ``test_leaving.py``."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest

from competitions import errors
from competitions.models import Change, Competition, Invitation, Participant, RewardGrant, SnapshotRow
from competitions.services import event_port as events
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.snapshots import take_due_snapshots
from competitions.services.participants.disqualify import disqualify, reinstate, remove
from competitions.services.participants.join import join, leave
from competitions.services.participants.remove_withdrawn import remove_withdrawn_due
from competitions.services.rewards.reward import grant_due_rewards
from foundation.errors import SunwiError
from leaderboards.errors import Banned
from leaderboards.models import Player
from leaderboards.services.periods.close import close_due
from leaderboards.services.submit.decide_redis import forget_bans
from tests.at_once import at_once
from tests.competitions.factories import DAY, END, HOUR, START, RewardTierFactory
from tests.competitions.site import (
    SOON,
    STORAGES,
    joined,
    make_board,
    open_competition,
    player,
    points_of,
    race,
    ranks,
    reloaded,
    score,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

BY_CODE: dict[str, Any] = {"joining": "code", "join_code": "Sesame "}
LAST = END - timedelta(seconds=1)


def asked(competition: Competition, player: Player) -> str:
    """What became of asking to join."""
    try:
        join(competition, player, SOON)
    except SunwiError as error:
        return error.code
    return "joined"


def straggle(monkeypatch: pytest.MonkeyPatch, competition: Competition, points: dict[str, int]) -> None:
    """Scores that were found to be of participants just before those went."""
    with monkeypatch.context() as patch:
        patch.setattr(events.CompetitionEvents, "joined_times", lambda _, pairs: dict.fromkeys(pairs, SOON))
        outcomes = score(competition, points)
    assert all(outcome.status.is_accepted for outcome in outcomes)


@pytest.mark.parametrize(
    ("state", "at", "code", "refusal"),
    [
        ({"published_at": None}, SOON, "", errors.NotOpenYet),
        ({"cancelled_at": START}, SOON, "", errors.CompetitionOver),
        ({}, END, "", errors.CompetitionOver),
        ({"join_until": SOON}, SOON, "", errors.JoiningOver),
        (BY_CODE, SOON, "wrong", errors.WrongCode),
        (BY_CODE, SOON, "", errors.WrongCode),
        ({"joining": "list"}, SOON, "", errors.NotInvited),
    ],
)
def test_who_may_not_join_is_told_why(
    state: dict[str, Any], at: datetime, code: str, refusal: type[SunwiError]
) -> None:
    competition = open_competition()
    Competition.objects.update(**state)

    with pytest.raises(refusal):
        join(reloaded(competition), player("ann"), at, code)

    assert not Participant.objects.exists()


def test_a_code_is_the_same_whatever_its_capitals_and_a_list_opens_to_its_players() -> None:
    by_code = open_competition(**BY_CODE)
    by_list = open_competition(by_code.board, joining="list")
    Invitation.objects.create(competition=by_list, external_id="ann")

    join(by_code, player("ann"), SOON, " sesamE")
    join(by_list, player("ann"), SOON)

    assert Participant.objects.filter(Participant.TAKING_PART).count() == 2


@pytest.mark.parametrize(
    ("places", "names", "answers"),
    [
        (3, [f"p{number}" for number in range(8)], ["competition_full"] * 5 + ["joined"] * 3),
        (None, ["ann"] * 4, ["already_joined"] * 3 + ["joined"]),
    ],
)
def test_each_place_is_given_once_however_many_ask_at_once(
    places: int | None, names: list[str], answers: list[str]
) -> None:
    competition = open_competition(most_participants=places)

    found = at_once([partial(asked, competition, player(name)) for name in names])

    assert sorted(found) == answers
    assert Participant.objects.count() == answers.count("joined")


def test_who_is_sent_away_makes_the_others_move_up_and_the_removed_may_come_back_unlike_the_banned() -> None:
    competition = race({"ann": 9, "bob": 5, "cleo": 4})
    ann, bob = player("ann"), player("bob")

    remove(competition, ann, "asked by mail", SOON, None)
    disqualify(competition, bob, "cheated", SOON, None)

    assert ranks(competition) == [("cleo", 1, 4)]
    assert set(Change.objects.values_list("kind", "details__player", "reason")) >= {
        ("removed", "ann", "asked by mail"),
        ("disqualified", "bob", "cheated"),
    }
    join(competition, ann, SOON)
    Player.objects.filter(pk=player("eve").pk).update(banned_at=SOON)
    for other, refusal in ((ann, errors.AlreadyJoined), (bob, errors.Disqualified), (player("eve"), Banned)):
        with pytest.raises(refusal):
            join(competition, other, SOON)
    with pytest.raises(errors.NotAParticipant):
        remove(competition, bob, "again", SOON, None)
    assert disqualify(competition, bob, "again", SOON, None).reason == "cheated"


def test_strangers_neither_leave_nor_are_disqualified_and_nobody_leaves_late_or_goes_without_a_reason() -> None:
    competition = open_competition()
    [ann] = joined(competition, "ann")

    with pytest.raises(errors.NotAParticipant):
        disqualify(competition, player("eve"), "cheated", SOON, None)
    for reason in ("  ", "x" * 301):
        with pytest.raises(errors.BadCompetition) as refusal:
            disqualify(competition, ann, reason, SOON, None)
        assert refusal.value.field == "reason"
    with pytest.raises(errors.CompetitionOver):
        leave(competition, ann, END)
    assert Participant.objects.get().takes_part

    leave(competition, ann, LAST)
    for name in ("ann", "eve"):
        with pytest.raises(errors.NotAParticipant):
            leave(competition, player(name), LAST)


@pytest.mark.parametrize("storage", STORAGES)
def test_a_score_under_way_brings_nobody_back(monkeypatch: pytest.MonkeyPatch, storage: str) -> None:
    competition = race({"ann": 9, "bob": 5}, make_board(storage))
    leave(competition, player("ann"), SOON)
    straggle(monkeypatch, competition, {"ann": 99})
    assert points_of(competition) == {"ann": 99, "bob": 5}

    assert (remove_withdrawn_due(SOON), points_of(competition), remove_withdrawn_due(SOON)) == (1, {"bob": 5}, 0)
    straggle(monkeypatch, competition, {"ann": 99})  # which nobody takes out before the period closes
    assert finish_due(END + DAY) == 1

    assert ranks(competition, END + DAY) == [("bob", 1, 5)]


@pytest.mark.parametrize("storage", STORAGES)
def test_the_disqualified_are_nowhere_and_who_is_reinstated_has_scores_and_place_back(storage: str) -> None:
    competition = race({"ann": 9, "bob": 5, "cleo": 4}, make_board(storage))
    before, ann = ranks(competition), player("ann")
    disqualify(competition, ann, "cheated", SOON, None)
    assert ranks(competition) == [("bob", 1, 5), ("cleo", 2, 4)]
    assert remove_withdrawn_due(SOON) == 0
    reinstate(competition, ann, "no cheat", SOON, None)
    assert ranks(competition) == before
    disqualify(competition, ann, "cheated", SOON, None)

    assert finish_due(END + DAY) == 1

    assert ranks(competition, END + DAY) == [("bob", 1, 5), ("cleo", 2, 4)]
    assert reinstate(reloaded(competition), ann, "no cheat", END + DAY, None).takes_part
    assert ranks(competition, END + DAY) == before
    assert Change.objects.filter(kind="reinstated", reason="no cheat").count() == 2
    reinstate(reloaded(competition), ann, "again", END + DAY, None)
    assert Change.objects.filter(kind="reinstated").count() == 2


def test_who_is_banned_is_in_no_ranking_and_wins_nothing_until_they_are_let_in_again() -> None:
    competition = race({"ann": 9, "bob": 5, "cleo": 4})
    RewardTierFactory.create(competition=competition)
    before = ranks(competition)
    Player.objects.filter(external_id="ann").update(banned_at=SOON)
    forget_bans()
    assert ranks(competition) == [("bob", 1, 5), ("cleo", 2, 4)]
    take_due_snapshots(SOON + HOUR)
    assert set(SnapshotRow.objects.values_list("player__external_id", "rank")) == {("bob", 1), ("cleo", 2)}

    finish_due(END + DAY)
    grant_due_rewards(END + DAY)

    assert list(RewardGrant.objects.values_list("player__external_id", "rank")) == [("bob", 1)]
    Player.objects.update(banned_at=None)
    forget_bans()
    assert ranks(competition, END + DAY) == before


def test_once_the_ranks_are_written_nobody_is_removed_and_the_disqualified_are_left_out() -> None:
    competition = race({"ann": 9, "bob": 5})
    for finish in (close_due, finish_due):  # the period is final before its competition is
        assert finish(END + DAY)
        with pytest.raises(errors.CompetitionOver):
            remove(competition, player("bob"), "too late", END + DAY, None)

    disqualify(reloaded(competition), player("ann"), "found out later", END + DAY, None)

    assert ranks(competition, END + DAY) == [("bob", 1, 5)]
    assert Participant.objects.get(player__external_id="bob").takes_part


def test_the_place_of_one_who_is_disqualified_stays_taken_so_that_reinstating_makes_never_one_too_many() -> None:
    competition = open_competition(most_participants=2)
    ann, _ = joined(competition, "ann", "bob")

    disqualify(competition, ann, "Came by car.", SOON, None)
    with pytest.raises(errors.CompetitionFull):
        join(competition, player("cleo"), SOON)
    reinstate(competition, ann, "By bicycle.", SOON, None)

    assert Participant.objects.filter(Participant.TAKING_PART).count() == 2
