"""What apps above add to pages of boards and players, where they are installed; leaderboards do not know them.

Each is registered with the addresses of its app (``urls.py``), because only pages need it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from django.http import HttpRequest

from leaderboards.models import Player

Search = Callable[[HttpRequest, str], Sequence[Any]]
CountUnread = Callable[[Player], int]
_searches: list[Search] = []
_unread: list[CountUnread] = []


def register_search(search: Search) -> None:
    """Let ``search`` find competitions by name for a viewer, the best first. Registering twice has no effect."""
    if search not in _searches:
        _searches.append(search)


def register_unread(count: CountUnread) -> None:
    """Let ``count`` say how many unread notices a player has. Registering twice has no effect."""
    if count not in _unread:
        _unread.append(count)


def find(request: HttpRequest, sought: str) -> list[Any]:
    """Everything that the registered searches find that the viewer may see."""
    return [each for search in _searches for each in search(request, sought)]


def count_unread(player: Player) -> int:
    """How many unread notices the player has; 0 without an inbox."""
    return sum(count(player) for count in _unread)
