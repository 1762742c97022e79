"""A clock that stands where a test puts it, players who have signed in, a comment, and the addresses of pages."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.test import Client
from pytest_django import Settings

from competitions.models import Comment, Competition
from foundation import clock
from tests.competitions.factories import CompetitionFactory
from tests.competitions.talking import say
from tests.leaderboards.views.pages import signed_in

SetClock = Callable[[datetime], None]


def home(competition: Competition, rest: str = "") -> str:
    return f"/competitions/{competition.pk}/{rest}"


def of(competition: Competition, rest: str = "") -> str:
    return home(competition, f"comments/{rest}")


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> SetClock:
    """From now on it is this moment. Staff stay signed in over the days that a test takes."""
    settings.STAFF_SESSION_HOURS, settings.STAFF_IDLE_MINUTES = 24 * 14, 0
    return lambda at: monkeypatch.setattr(clock, "now", lambda: at)


@pytest.fixture
def ann(db: None) -> Client:
    return signed_in(Client(), "ann", "ann")


@pytest.fixture
def bob(db: None) -> Client:
    return signed_in(Client(), "bob", "bob")


@pytest.fixture
def cup() -> Competition:
    return CompetitionFactory.create()


@pytest.fixture
def comment(cup: Competition) -> Comment:
    """What ann said."""
    return say(cup, "ann", "Helo")
