"""What a page says of participants who have no place: before the start, while it runs, and when it is over."""

import pytest
from django.test import Client

from competitions.services.lifecycle.finish import finish_due
from competitions.services.results.judge import void
from leaderboards.models import Submission
from tests.competitions.factories import DAY, END, HOUR, MINUTE
from tests.competitions.site import SOON, joined, open_competition, raced
from tests.competitions.views.conftest import SetClock, home
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def test_before_the_start_a_participant_reads_once_that_it_has_not_started(ann: Client, set_clock: SetClock) -> None:
    competition = open_competition(starts_at=END, ends_at=END + DAY)
    joined(competition, "ann")
    set_clock(END - HOUR)

    page = text(ann.get(home(competition)))

    assert "It has not started yet." in page
    assert "You have not started yet" not in page
    set_clock(END + HOUR)
    assert "You have not started yet. Your first score puts you into the ranking." in text(ann.get(home(competition)))


def test_in_a_final_result_they_are_without_a_result_also_if_the_jury_voided_their_score(
    ann: Client, client: Client, set_clock: SetClock
) -> None:
    competition = open_competition(team_score="sum")
    raced(competition, {"ann": 9, "dan": 4})
    joined(competition, "bob")
    finish_due(END + MINUTE)
    void(competition, Submission.objects.get(player__external_id="ann"), "Came by car.", END + HOUR, None)
    set_clock(END + HOUR)
    boss = signed_in(Client(), "boss", is_staff=True, is_superuser=True)

    public = text(client.get(home(competition, "?player=bob")))
    run_by = text(boss.get(f"/admin/competitions/competition/{competition.pk}/standings/"))

    assert "Without a result ann bob" in public
    assert "bob has no result." in public
    assert "You have no result." in text(ann.get(home(competition)))
    assert "1 ranked, 2 without a score" in run_by
    assert "Without a result" in run_by
    for page in (public, run_by):
        assert "ot started" not in page


def test_while_it_runs_they_have_not_started(client: Client, set_clock: SetClock) -> None:
    competition = open_competition()
    joined(competition, "bob")
    set_clock(SOON)

    page = text(client.get(home(competition, "?player=bob")))

    assert "Not started bob" in page
    assert "bob has not started yet." in page
