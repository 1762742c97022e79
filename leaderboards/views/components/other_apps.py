"""What apps above add to pages of boards and players, where they are installed; leaderboards do not know them.

Each is registered with the addresses of its app (``urls.py``), because only pages need it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.http import HttpRequest

from leaderboards.models import Board, Player

Search = Callable[[HttpRequest, str], Sequence[Any]]
CountUnread = Callable[[Player], int]


@dataclass(frozen=True, slots=True)
class Coming:
    """A moment that concerns the viewer: at ``at`` a period of the board, or the competition ``name``, starts or ends.

    ``seconds_left`` until then change all the time, so an ETag does not cover them.
    """

    at: datetime
    board: Board
    name: str
    address: str
    seconds_left: int = field(repr=False)
    is_start: bool = False


@dataclass(frozen=True, slots=True)
class News:
    """What happened to the viewer lately, and ``where``: on which board or in which competition.

    It happened at ``at``, or if ``is_since`` after that; the time is told on the clock of ``zone``. ``player`` is who
    did it, empty for nobody.
    """

    board: Board
    words: str
    where: str
    address: str
    at: datetime
    zone: str
    is_since: bool = False
    player: str = ""

    @property
    def name(self) -> str:
        """What its mark has the letter of."""
        return self.where


@dataclass(frozen=True, slots=True)
class LeadRow:
    """One of the first rows of a race, as text; ``tied`` if others share its rank."""

    player: str
    name: str
    rank: int | None
    tied: bool
    result: str
    country: str = ""


@dataclass(frozen=True, slots=True)
class HomeLead:
    """The race that a new visitor of the home page sees first: what runs (``kind``), until when, and its first rows.

    ``participants`` says how many take part. ``seconds_left`` change all the time, so an ETag does not cover them; None
    where nothing ends.
    """

    board: Board
    name: str
    address: str
    kind: str
    participants: str
    rows: Sequence[LeadRow]
    ends_at: datetime | None
    seconds_left: int | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class HomePart:
    """A live part of the home page: its template, what that shows, and ``seen``, all of it that an ETag covers.

    ``coming`` and ``news`` concern the viewer alone, and stand beside their places. ``lead`` may lead the page, and
    ``beside_lead`` is what the part shows then.
    """

    template: str
    shown: Any
    seen: object
    coming: Sequence[Coming] = ()
    news: Sequence[News] = ()
    lead: HomeLead | None = None
    beside_lead: Any = None


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
