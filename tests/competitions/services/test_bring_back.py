"""Who left or was removed by mistake is brought back with the scores that they had when they went."""

from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import OperationalError
from django.utils.translation import override

from competitions import errors
from competitions.models import Change, Competition, Notice, Participant, Revision
from competitions.sentences import sentences
from competitions.services import bring_back as module
from competitions.services.bring_back import bring_back
from competitions.services.cancel import cancel
from competitions.services.confirm import confirm
from competitions.services.disqualify import disqualify, reinstate, remove
from competitions.services.finish import finish_due
from competitions.services.join import join, leave
from competitions.services.judge import LateScore, accept_late, unvoid, void
from competitions.services.strays import take_out_due
from leaderboards import errors as refused
from leaderboards.models import Submission
from leaderboards.services.close import close_due
from leaderboards.services.erase import erase_player
from tests.at_once import at_once
from tests.competitions.services.mishaps import dying_at, redis_away
from tests.competitions.services.test_judge import CLOSED, JUDGED, KEEPING, is_whole, of
from tests.competitions.site import (
    DAY,
    HOUR,
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

LATER = SOON + HOUR


def left(storage: str = "hybrid", **settings: Any) -> Competition:
    """Ann had 4, then 9, and cleo 7; ann is removed, cleo leaves; bob's 5 stays."""
    competition = race({"ann": 4, "bob": 5, "cleo": 7}, make_board(storage), review_hours=24, **settings)
    score(competition, {"ann": 9}, SOON + MINUTE)
    points_of(competition)
    remove(competition, player("ann"), "Asked by mail.", SOON + 2 * MINUTE, None)
    leave(competition, player("cleo"), SOON + 2 * MINUTE)
    return competition


def back(competition: Competition, name: str, at: Any = LATER) -> Participant:
    return bring_back(competition, player(name), "It was a mistake.", at, None)


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


def test_scores_that_the_jury_voided_stay_void_until_it_restores_them() -> None:
    competition = race({"ann": 4})
    score(competition, {"ann": 9}, SOON + MINUTE)
    void(competition, of("ann", 9), "Came by car.", SOON + 2 * MINUTE, None)
    leave(competition, player("ann"), SOON + 2 * MINUTE)  # of the same moment

    back(competition, "ann")
    before = points_of(competition)
    unvoid(competition, of("ann", 9), "It was theirs.", LATER, None)

    assert before == {"ann": 4}
    assert points_of(competition) == {"ann": 9}


@pytest.mark.parametrize("storage", KEEPING)
@pytest.mark.parametrize("when", ["running", "final"])
def test_what_the_jury_voids_of_somebody_who_has_gone_is_on_record_and_stays_void(storage: str, when: str) -> None:
    competition, at = left(storage), LATER
    if when == "final":
        finish_due(CLOSED)
        confirm(competition, JUDGED, None)
        at = JUDGED
    published = Revision.objects.count()

    first, again = (void(competition, of("ann", 9), "Came by car.", at, None) for _ in range(2))
    nothing = (ranks(competition, at), Revision.objects.count())
    back(competition, "ann", at)
    without = ranks(competition, at)
    unvoid(competition, of("ann", 9), "It was theirs.", at, None)

    assert first is not None
    assert (first.reason, first.details["player"], first.details["score"]) == ("Came by car.", "ann", "9")
    assert again is None
    assert nothing == ([("bob", 1, 5)], published)
    assert without == [("bob", 1, 5), ("ann", 2, 4)]
    assert ranks(competition, at) == [("ann", 1, 9), ("bob", 2, 5)]
    assert void(competition, of("ann", 9), "By car after all.", at, None) is not None
    assert Change.objects.filter(kind="voided").count() == 2


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


@pytest.mark.parametrize(("storage", "kept"), [("sql", True), ("redis", False)])
def test_whoever_was_disqualified_meanwhile_stays_so_with_the_reason_and_is_told(storage: str, kept: bool) -> None:
    competition = left(storage)
    disqualify(competition, player("ann"), "Came by car.", SOON + 3 * MINUTE, None)

    found = back(competition, "ann")

    assert (found.takes_part, found.left_at, found.reason) == (False, None, "Came by car.")
    assert Participant.objects.get(pk=found.pk).reason == "Came by car."
    with override("en"):
        [said] = sentences(Notice.objects.get(kind="brought_back"), "UTC")
    assert "your disqualification stands" in said
    assert "You take part" not in said
    assert ("Your scores of before were not kept." in said) is not kept
    assert "It was a mistake." in said
    reinstate(competition, player("ann"), "It was not theirs.", LATER, None)
    assert ranks(competition, LATER)[0] == (("ann", 1, 9) if kept else ("bob", 1, 5))


def test_whoever_is_reinstated_and_has_gone_is_not_told_that_they_take_part() -> None:
    competition = left()
    disqualify(competition, player("ann"), "Came by car.", SOON + 3 * MINUTE, None)

    found = reinstate(competition, player("ann"), "It was not theirs.", LATER, None)

    with override("en"):
        [said] = sentences(Notice.objects.get(kind="reinstated"), "UTC")
    assert not found.takes_part
    assert "Your disqualification was lifted. You do not take part" in said


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
        with patch("competitions.services.strays.take_out_one", side_effect=OperationalError("database is locked")):
            leave(competition, player(name), SOON + MINUTE)
    assert take_out_due(SOON + MINUTE - timedelta(seconds=2)) == 2

    back(competition, "ann")

    assert points_of(competition) == {"ann": 9, "bob": 5}


def test_what_the_jury_voided_stays_void_what_it_restored_comes_back_and_nothing_from_before_joining() -> None:
    competition = race({"ann": 4})
    leave(competition, player("ann"), SOON)
    join(competition, player("ann"), SOON + MINUTE)
    for points in (6, 8, 9):
        score(competition, {"ann": points}, SOON + 2 * MINUTE)
    rows = {row.points: row for row in Submission.objects.all()}
    at = SOON + 3 * MINUTE
    for points in (8, 9):
        void(competition, rows[points], "By car.", at, None)
    unvoid(competition, rows[8], "By bicycle.", at, None)
    leave(competition, player("ann"), at)

    back(competition, "ann")

    assert points_of(competition) == {"ann": 8}
    assert set(Submission.objects.filter(voided_at=None).values_list("points", flat=True)) == {6, 8}
