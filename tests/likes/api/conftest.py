"""Songs that can be liked, of the storage that a test names; and a game server whose key may like."""

from collections.abc import Callable, Collection, Iterator

import pytest

from foundation import clock
from leaderboards.errors import BoardForbidden
from leaderboards.models import Board
from likes import registry
from likes.core.kinds import Storage
from likes.services.settle import settle_due
from tests.leaderboards.api.conftest import Caller, anybody, make_key
from tests.leaderboards.factories import BoardFactory
from tests.likes.factories import LikeableFactory

__all__ = ["anybody", "make_key"]

KIND = "song"
SONGS = ("1", "2", "3", "opus:12.b-3")


def _admit(thing: str, player: str) -> None:
    if player == "critic":
        raise BoardForbidden("Critics like nothing.")


@pytest.fixture
def game(make_key: Callable[..., str]) -> Caller:
    """A game server whose key likes, and no more."""
    return Caller(make_key("likes:write"))


@pytest.fixture
def boards() -> dict[str, Board]:
    """The boards of those songs that have one."""
    return {}


@pytest.fixture
def songs(links: None, boards: dict[str, Board], storage: Storage, repeatable: bool) -> Iterator[str]:
    """Things that are there to be liked; the kind's name."""

    def known(things: Collection[str]) -> dict[str, Board | None]:
        return {song: boards.get(song) for song in SONGS if song in things}

    LikeableFactory.create(kind=KIND, boards=known, storage=storage, repeatable=repeatable, admit=_admit)
    settle_due(clock.now())
    yield KIND
    registry.withdraw(KIND)


@pytest.fixture
def secret(songs: str, boards: dict[str, Board]) -> Board:
    """A private board, whose song is 1; the others are everybody's."""
    boards["1"] = BoardFactory.create(visibility="private")
    return boards["1"]
