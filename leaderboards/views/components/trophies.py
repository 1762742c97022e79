"""Trophies on a player's page: final places among the first three, of boards and of what other apps know."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from leaderboards.models import Board, Player


@dataclass(frozen=True, slots=True)
class Trophy:
    """A place among the first three. ``named`` has the name of what was won, ``when`` its dates (HTML or text)."""

    rank: int
    tied: bool
    board: Board
    name: str
    address: str
    when: str
    at: datetime


FindTrophies = Callable[[Player, datetime], Sequence[Trophy]]
_sources: list[FindTrophies] = []


def register_trophies(source: FindTrophies) -> None:
    """Let ``source`` find a player's trophies as everybody may see them. Registering twice has no effect."""
    if source not in _sources:
        _sources.append(source)


def trophies_elsewhere(player: Player, at: datetime) -> list[Trophy]:
    """Return the trophies that the registered sources find."""
    return [trophy for source in _sources for trophy in source(player, at)]
