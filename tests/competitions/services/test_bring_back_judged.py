"""Bringing back and the jury: what it voided stays void, and who it disqualified meanwhile stays so, and is told."""

import pytest
from django.utils.translation import override

from competitions.models import Change, Notice, Participant, Revision
from competitions.notice_texts import sentences
from competitions.services.lifecycle.confirm import confirm
from competitions.services.lifecycle.finish import finish_due
from competitions.services.participants.disqualify import disqualify, reinstate
from competitions.services.participants.join import join, leave
from competitions.services.results.judge import unvoid, void
from leaderboards.models import Submission
from tests.competitions.services.bringing import LATER, back, left
from tests.competitions.services.results.test_judge import CLOSED, JUDGED, KEEPING, of
from tests.competitions.site import (
    MINUTE,
    SOON,
    player,
    points_of,
    race,
    ranks,
    score,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


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
