"""A judge with a browser, and a result that waits for them."""

from typing import Any

from django.test import Client

from competitions.models import Competition
from competitions.services.lifecycle.finish import finish
from foundation import clock
from tests.competitions.admin.typed import ZONE
from tests.competitions.factories import DAY, HOUR, START, RewardTierFactory
from tests.competitions.site import (
    SOON,
    follow,
    joined,
    make_board,
    open_competition,
    reloaded,
    score,
)
from tests.staff import staff

SUBMISSIONS = "/admin/leaderboards/submission/"
PLAYED = SOON - DAY


def provisional(storage: str = "hybrid", board: dict[str, Any] | None = None, **settings: Any) -> Competition:
    """It ended an hour after START; alice leads bob, and gold waits."""
    competition = open_competition(
        make_board(storage, **(board or {})),
        timezone=ZONE,
        starts_at=START - DAY,
        ends_at=START + HOUR,
        review_hours=48,
        **settings,
    )
    joined(competition, "alice", "bob")
    competition.participants.update(joined_at=START - DAY)
    score(competition, {"alice": 30, "bob": 20}, PLAYED)
    follow(competition)
    RewardTierFactory.create(competition=competition)
    finish(competition, clock.now())
    return reloaded(competition)


def judge() -> Client:
    """Somebody of the group of that name."""
    return staff(name="judge", groups=["judge"])
