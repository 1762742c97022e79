"""Whom one follows, in the standings of a competition: their ranks among all, and nothing that a freeze hides."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from competitions.models import Competition
from competitions.services.lifecycle.freeze import freeze_due
from foundation import clock
from leaderboards.services.players.follow import follow
from tests.competitions.factories import END, HOUR, MINUTE, CompetitionFactory
from tests.competitions.site import raced, score
from tests.competitions.views.conftest import SetClock, home
from tests.leaderboards.views.board_pages.test_filters import rows
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]
FOLLOWING = "?of=following"


@pytest.fixture
def cup() -> Competition:
    competition = CompetitionFactory.create(freeze_minutes=60)
    raced(competition, {"ann": 9, "bob": 7, "cleo": 4, "dan": 2})
    return competition


@pytest.fixture
def cleo(cup: Competition) -> Client:
    """Follows bob, and is on the third place herself."""
    del cup
    client = signed_in(Client(), "cleo's", "cleo")
    follow(User.objects.get(username="cleo's"), "bob", clock.now())
    return client


def test_they_have_their_ranks_among_all_and_oneself_stands_among_them(cup: Competition, cleo: Client) -> None:
    page = cleo.get(home(cup, FOLLOWING)).content.decode()

    assert [(within, player) for within, _rank, player in rows(page)] == [("1", "bob"), ("2", "cleo")]
    assert [rank.lstrip("=") for _within, rank, _player in rows(page)] == ["2", "3"]
    assert "Following: 2 of 4 players" in text(cleo.get(home(cup, FOLLOWING)))
    assert f'href="{home(cup)}?of=following"' in cleo.get(home(cup)).content.decode()


def test_guests_are_asked_to_sign_in_and_are_not_offered_it(cup: Competition, client: Client) -> None:
    page = client.get(home(cup, FOLLOWING))

    assert "Sign in to see whom you follow." in text(page)
    assert f"next={home(cup)}%3Fof%3Dfollowing" in page.content.decode()
    assert "of=following" not in client.get(home(cup)).content.decode()
    assert client.get(home(cup, "?of=KR")).status_code == 404


def test_who_follows_nobody_sees_themselves_and_how_to_follow(cup: Competition) -> None:
    dan = signed_in(Client(), "dan's", "dan")

    page = text(dan.get(home(cup, FOLLOWING)))

    assert "You follow nobody yet. Every player's page has a button" in page.replace("\u2019", "'")
    assert "Following: 1 of 4 players" in page


def test_live_parts_follow_who_is_followed_and_keep_still_behind_a_freeze(
    cup: Competition, cleo: Client, set_clock: SetClock
) -> None:
    parts = home(cup, "?fragment=1&of=following")
    first = cleo.get(parts)
    score(cup, {"bob": 5000})
    moved = cleo.get(parts)

    freeze_due(END - HOUR)
    set_clock(END - HOUR + MINUTE)
    frozen = cleo.get(parts)
    score(cup, {"bob": 765_432}, END - HOUR + MINUTE)

    assert "5,00" in moved.content.decode()
    assert first["ETag"] != moved["ETag"]
    assert cleo.get(parts)["ETag"] == frozen["ETag"]
    assert "765,4" not in cleo.get(home(cup, FOLLOWING)).content.decode()
