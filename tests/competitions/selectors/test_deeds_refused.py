"""Whoever a jury's act would refuse is left out of what is foretold."""

import pytest

from competitions.errors import BadCompetition, CompetitionOver
from competitions.models import Participant
from competitions.selectors.previews.effects import ActionEffect, voiding
from competitions.services.lifecycle.cancel import cancel
from competitions.services.results.judge import unvoid, void
from leaderboards.models import Submission
from tests.competitions.site import HOUR, MINUTE, SOON, period_of, race

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]
LATER = SOON + 2 * HOUR


def test_what_was_scored_before_its_player_joined_again_comes_back_in_no_look() -> None:
    competition = race({"ann": 9, "bob": 5})
    score = Submission.objects.get(points=9)
    void(competition, score, "A car.", SOON + MINUTE, None)
    there = set(voiding(period_of(competition), [score], restored=True).states)
    Participant.objects.filter(player=score.player).update(joined_at=SOON + HOUR)

    foretold = voiding(period_of(competition), [score], restored=True)

    assert (there, foretold) == ({score.player_id}, ActionEffect())
    with pytest.raises(BadCompetition, match="before does not count"):
        unvoid(competition, score, "No car.", LATER, None)


def test_of_a_cancelled_competition_no_score_is_voided_or_restored_in_a_look() -> None:
    competition = race({"ann": 9, "bob": 5})
    nine, five = Submission.objects.order_by("-points")
    void(competition, nine, "A car.", SOON + MINUTE, None)
    cancel(competition, "Rain.", SOON + 2 * MINUTE, None)
    period = period_of(competition)

    assert voiding(period, [five]) == voiding(period, [nine], restored=True) == ActionEffect()
    with pytest.raises(CompetitionOver):
        unvoid(competition, nine, "No car.", LATER, None)
