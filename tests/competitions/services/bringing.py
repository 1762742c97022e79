"""Who left or was removed from a competition, and is brought back: what tests of bringing back begin with."""

from typing import Any

from competitions.models import Competition, Participant
from competitions.services.participants.bring_back import bring_back
from competitions.services.participants.disqualify import remove
from competitions.services.participants.join import leave
from tests.competitions.site import (
    HOUR,
    MINUTE,
    SOON,
    make_board,
    player,
    points_of,
    race,
    score,
)

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
    """Brought back by hand."""
    return bring_back(competition, player(name), "It was a mistake.", at, None)
