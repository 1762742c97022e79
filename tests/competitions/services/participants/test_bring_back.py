"""Who left or was removed by mistake is brought back with the scores that they had when they went."""

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import OperationalError
from django.utils.translation import override

from competitions import errors
from competitions.models import Change, Notice, Participant, Revision
from competitions.notice_texts import sentences
from competitions.services.lifecycle.cancel import cancel
from competitions.services.lifecycle.confirm import confirm
from competitions.services.lifecycle.finish import finish_due
from competitions.services.participants import bring_back as module
from competitions.services.participants.bring_back import bring_back
from competitions.services.participants.join import join, leave
from competitions.services.participants.remove_withdrawn import remove_withdrawn_due
from competitions.services.results.late_scores import LateScore, accept_late
from leaderboards import errors as refused
from leaderboards.services.periods.close import close_due
from leaderboards.services.players.erase import erase_player
from tests.at_once import at_once
from tests.competitions.services.bringing import LATER, back, left
from tests.competitions.services.mishaps import dying_at, redis_away
from tests.competitions.services.results.test_judge import CLOSED, JUDGED, KEEPING, is_whole
from tests.competitions.site import (
    DAY,
    MINUTE,
    SOON,
    STORAGES,
    make_board,
    period_of,
    player,
    points_of,
    race,
    ranks,
    score,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.mark.parametrize("storage", KEEPING)
@pytest.mark.parametrize("when", ["running", "provisional", "final"])
def test_with_their_scores_they_have_the_places_of_before(storage: str, when: str) -> None:
    competition, at = left(storage), LATER
    if when != "running":
        finish_due(CLOSED)
        at = JUDGED
    if when == "final":
        confirm(competition, JUDGED, None)
    gone = ranks(competition, at)

    for name in ("ann", "cleo", "ann"):
        back(competition, name, at)

    assert gone == [("bob", 1, 5)]
    assert ranks(competition, at) == [("ann", 1, 9), ("cleo", 2, 7), ("bob", 3, 5)]
    assert points_of(competition) == {"ann": 9, "bob": 5, "cleo": 7}
    assert when == "running" or is_whole(competition)
    assert Participant.objects.filter(Participant.TAKING_PART, reason="").count() == 3
    record = Change.objects.filter(kind="brought_back").order_by("pk")
    assert [(each.details["player"], each.details["scores"]) for each in record] == [("ann", 2), ("cleo", 1)]
    assert Revision.objects.count() == (3 if when == "final" else 0)


def test_of_several_stays_the_last_comes_back() -> None:
    competition = race({"ann": 9})
    leave(competition, player("ann"), SOON + MINUTE)
    join(competition, player("ann"), SOON + 2 * MINUTE)
    score(competition, {"ann": 3}, SOON + 3 * MINUTE)
    leave(competition, player("ann"), SOON + 4 * MINUTE)

    back(competition, "ann")

    assert points_of(competition) == {"ann": 3}
    assert Participant.objects.get().joined_at == SOON + 2 * MINUTE


def test_who_was_not_taken_out_before_the_closing_has_their_standing_back_too() -> None:
    competition = race({"ann": 9, "bob": 5}, review_hours=24)
    Participant.objects.filter(player__external_id="ann").update(left_at=LATER)  # and SQL was busy ever since
    finish_due(CLOSED)
    gone = ranks(competition, JUDGED)

    back(competition, "ann", JUDGED)

    assert gone == [("bob", 1, 5)]
    assert ranks(competition, JUDGED) == [("ann", 1, 9), ("bob", 2, 5)]
    assert is_whole(competition)


def test_a_board_that_keeps_no_scores_gives_none_back_and_the_jury_accepts_them_late() -> None:
    competition = left("redis")
    finish_due(CLOSED)

    back(competition, "ann", JUDGED)
    without = ranks(competition, JUDGED)
    accept_late(competition, LateScore(player("ann"), SOON, 9), "As before.", JUDGED, None)

    assert without == [("bob", 1, 5)]
    assert ranks(competition, JUDGED) == [("ann", 1, 9), ("bob", 2, 5)]
    assert "scores" not in Change.objects.get(kind="brought_back").details


@pytest.mark.parametrize(
    ("storage", "told"),
    [("sql", "You take part again, and your scores count."), ("redis", "Your scores of before were not kept.")],
)
def test_they_are_told_with_the_reason_what_became_of_their_scores(storage: str, told: str) -> None:
    competition = left(storage)

    back(competition, "ann")

    notice = Notice.objects.get(kind="brought_back")
    with override("en"):
        [said] = sentences(notice, "UTC")
    assert notice.player == player("ann")
    assert told in said
    assert "It was a mistake." in said


def test_who_cannot_come_back_is_refused_and_nothing_is_done() -> None:
    competition, gone = left(), left("sql")
    cancel(gone, "Rain.", LATER, None)

    with pytest.raises(errors.CompetitionOver):
        back(gone, "ann")
    with pytest.raises(errors.NotAParticipant):
        back(competition, "eve")
    with pytest.raises(errors.BadCompetition):
        bring_back(competition, player("ann"), " ", LATER, None)
    close_due(CLOSED)  # nobody has marked it closed yet
    with pytest.raises(errors.NotClosed):
        back(competition, "ann", CLOSED)
    finish_due(CLOSED)
    with pytest.raises(refused.SubmissionsDropped):
        back(competition, "ann", CLOSED + period_of(competition).board.keep_submissions_days * DAY)

    assert not Change.objects.filter(kind="brought_back").exists()
    assert Participant.objects.filter(left_at=None).count() == 2  # bob, in both
    assert ranks(competition, JUDGED) == [("bob", 1, 5)]


@pytest.mark.parametrize("storage", STORAGES)
def test_who_was_erased_does_not_come_back(storage: str) -> None:
    competition = race({"ann": 9, "bob": 5}, make_board(storage))
    row = Participant.objects.select_related("player").get(player__external_id="ann")
    erase_player("ann", LATER)

    for who in (row.player, Participant.objects.select_related("player").get(pk=row.pk).player):
        with pytest.raises(refused.UnknownPlayer):
            bring_back(competition, who, "It was a mistake.", LATER, None)

    assert points_of(competition) == {"bob": 5}


@pytest.mark.parametrize("storage", STORAGES)
def test_two_at_once_bring_somebody_back_once_and_one_who_dies_has_done_nothing(storage: str) -> None:
    competition = left(storage)
    with dying_at(module, "bring_back.before_commit"):
        back(competition, "ann")
    nothing = (points_of(competition), Change.objects.filter(kind="brought_back").exists())

    at_once([lambda: back(competition, "ann").left_at] * 2)

    assert nothing == ({"bob": 5}, False)
    assert Change.objects.filter(kind="brought_back").count() == 1
    assert Notice.objects.filter(kind="brought_back").count() == 1
    assert points_of(competition) == ({"bob": 5} if storage == "redis" else {"ann": 9, "bob": 5})


def test_while_redis_is_away_a_closed_result_is_changed_all_the_same() -> None:
    competition = left()
    finish_due(CLOSED)

    with redis_away():
        back(competition, "cleo", JUDGED)

    assert ranks(competition, JUDGED) == [("cleo", 1, 7), ("bob", 2, 5)]


def test_scores_come_back_also_where_they_were_taken_out_by_a_clock_that_is_behind() -> None:
    competition = race({"ann": 9, "bob": 5, "cleo": 7})
    for name in ("ann", "cleo"):
        with patch(
            "competitions.services.participants.remove_withdrawn.remove_withdrawn_one",
            side_effect=OperationalError("database is locked"),
        ):
            leave(competition, player(name), SOON + MINUTE)
    assert remove_withdrawn_due(SOON + MINUTE - timedelta(seconds=2)) == 2

    back(competition, "ann")

    assert points_of(competition) == {"ann": 9, "bob": 5}
