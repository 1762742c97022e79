"""Things that can be liked, of every storage; and a game server whose key may like."""

from collections.abc import Callable, Collection, Iterator

import pytest

from foundation import clock
from leaderboards.errors import BoardForbidden
from leaderboards.models import Board
from likes import registry
from likes.core.kinds import Storage
from likes.registry import Likeable
from likes.services.settle import settle_due
from tests.leaderboards.api.conftest import Caller, Make, anybody, make_board, make_key
from tests.links import links

__all__ = ["anybody", "links", "make_board", "make_key"]

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
def provide(links: None, transactional_db: None) -> Iterator[Callable[..., None]]:
    """Has songs liked, in this storage; ``boards`` names the board of those that have one."""

    def provided(
        storage: Storage = Storage.HYBRID, boards: dict[str, int] | None = None, repeatable: bool = False
    ) -> None:
        def known(things: Collection[str]) -> dict[str, Board | None]:
            numbers = {song: (boards or {}).get(song) for song in SONGS if song in things}
            rows = Board.objects.in_bulk([each for each in numbers.values() if each])
            return {song: rows[number] if number else None for song, number in numbers.items()}

        registry.provide(Likeable(KIND, known, storage=storage, repeatable=repeatable, admit=_admit))
        settle_due(clock.now())

    yield provided
    registry.withdraw(KIND)


@pytest.fixture(params=list(Storage), ids=lambda storage: storage.value)
def songs(request: pytest.FixtureRequest, provide: Callable[..., None]) -> str:
    """Songs of every storage, one after the other; the kind's name."""
    provide(request.param)
    return KIND


@pytest.fixture
def secret(provide: Callable[..., None], make_board: Make) -> int:
    """A private board, whose song is 1; the others are everybody's."""
    board = make_board("Secret", visibility="private")
    provide(boards={"1": board})
    return board
