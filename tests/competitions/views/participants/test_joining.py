"""Joining and leaving on the page: what each visitor is offered, and every refusal as a sentence."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from competitions.models import Competition, Participant
from competitions.services.participants.disqualify import disqualify
from foundation import clock
from foundation.throttling.limits import Limit
from tests.competitions.factories import END, HOUR, START
from tests.competitions.site import joined, open_competition, player, raced
from tests.competitions.views.conftest import SetClock, home
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def taking_part(competition: Competition) -> list[str]:
    rows = competition.participants.filter(Participant.TAKING_PART)
    return list(rows.values_list("player__external_id", flat=True))


def test_a_player_joins_and_leaves_and_takes_the_standing_along(ann: Client) -> None:
    competition = open_competition()

    page = text(ann.post(home(competition), follow=True))
    assert "You have not started yet. Your first score puts you into the ranking. You take part. Leave" in page
    assert "Not started ann You" in page
    assert "You take part already." in text(ann.post(home(competition)))

    raced(competition, {"bob": 5})
    asked = text(ann.get(home(competition, "leave/")))
    page = text(ann.post(home(competition, "leave/"), follow=True))
    assert "Your standing is taken out of the ranking." in asked
    assert "1 bob 5" in page
    assert taking_part(competition) == ["bob"]
    assert "You do not take part in this competition." in text(ann.post(home(competition, "leave/")))


def test_nobody_joins_without_a_player_nor_by_somebody_elses_page(client: Client, ann: Client) -> None:
    competition = open_competition()
    unlinked, careful = signed_in(Client(), "bob"), Client(enforce_csrf_checks=True)
    careful.cookies = ann.cookies

    assert f'href="/accounts/login/?next={home(competition)}"' in client.get(home(competition)).content.decode()
    assert "Link your player to join" in text(unlinked.get(home(competition)))
    assert client.post(home(competition))["Location"] == f"/accounts/login/?next={home(competition)}"
    assert "Sign in and link your player first." in text(unlinked.post(home(competition)))
    assert careful.post(home(competition)).status_code == 403
    assert taking_part(competition) == []


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"joining": "code", "join_code": "FRIENDS"}, "This code does not open the competition."),
        ({"joining": "list"}, "Only players on the list may join."),
        ({"join_until": START + HOUR}, "Joining was possible until"),
        ({"most_participants": 1}, "All places are taken."),
    ],
)
def test_a_refusal_is_a_sentence(ann: Client, settings: dict[str, Any], sentence: str) -> None:
    competition = open_competition(**settings)
    competition.participants.create(player=player("bob"), joined_at=START)

    assert sentence in text(ann.post(home(competition), {"code": "enemies"}))
    assert taking_part(competition) == ["bob"]


def test_a_code_opens_it_until_one_has_guessed_too_often(ann: Client, bob: Client, settings: Settings) -> None:
    settings.RATE_LIMITS = settings.RATE_LIMITS | {"join": Limit(2, 60)}
    competition = open_competition(joining="code", join_code="FRIENDS")

    guessed = [bob.post(home(competition), {"code": code}) for code in ("guess", "again", "friends")][-1]
    asked = text(ann.get(home(competition)))
    ann.post(home(competition), {"code": " friends "})

    assert (guessed.status_code, 1 <= int(guessed["Retry-After"]) <= 60) == (429, True)
    assert "A moment, please" in text(guessed)
    assert "Code" in asked
    assert taking_part(competition) == ["ann"]


def test_after_the_end_nothing_is_offered_and_whoever_was_disqualified_reads_why(
    ann: Client, bob: Client, set_clock: SetClock
) -> None:
    competition = open_competition()
    joined(competition, "ann", "bob")
    disqualify(competition, player("bob"), "Two accounts.", clock.now(), None)
    assert "You were disqualified. Two accounts." in text(bob.get(home(competition)))
    assert "You were disqualified and cannot join again." in text(bob.post(home(competition)))

    set_clock(END + HOUR)
    page = text(ann.get(home(competition)))

    assert "This competition is over." in text(ann.post(home(competition)))
    assert "You took part." in page
    assert "Leave" not in page
