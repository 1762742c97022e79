"""What apps above add to pages of boards and players, where they are installed; leaderboards do not know them.

Each is registered with the addresses of its app (``urls.py``), because only pages need it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from leaderboards.models import Player

Search = Callable[[HttpRequest, str], Sequence[Any]]
CountUnread = Callable[[Player], int]


@dataclass(frozen=True, slots=True)
class HomePart:
    """A live part of the home page: its template, what that shows, and ``seen``, all of it that an ETag covers."""

    template: str
    shown: Any
    seen: object


BuildHomePart = Callable[[HttpRequest], HomePart]
_searches: list[Search] = []
_unread: list[CountUnread] = []
_home_parts: list[BuildHomePart] = []


def register_search(search: Search) -> None:
    """Let ``search`` find competitions by name for a viewer, the best first. Registering twice has no effect."""
    if search not in _searches:
        _searches.append(search)


def register_unread(count: CountUnread) -> None:
    """Let ``count`` say how many unread notices a player has. Registering twice has no effect."""
    if count not in _unread:
        _unread.append(count)


def register_home_part(build: BuildHomePart) -> None:
    """Let ``build`` make a part of the home page that follows beside the boards. Registering twice has no effect."""
    if build not in _home_parts:
        _home_parts.append(build)


def home_parts(request: HttpRequest) -> list[HomePart]:
    """Return the parts of other apps, as the viewer may see them."""
    return [build(request) for build in _home_parts]


def find(request: HttpRequest, sought: str) -> list[Any]:
    """Everything that the registered searches find that the viewer may see."""
    return [each for search in _searches for each in search(request, sought)]


def count_unread(player: Player) -> int:
    """How many unread notices the player has; 0 without an inbox."""
    return sum(count(player) for count in _unread)
