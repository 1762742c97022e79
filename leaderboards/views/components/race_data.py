"""What a race shows: players, their ranks and rows at each moment, and the viewer's own line."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from leaderboards.core.race import LINES, Drawn


class Tick(NamedTuple):
    """A time above the lines: its position, its text, and the time itself where it is one of a day.

    The day on which something happens is the board's; a time of the day is told in the reader's zone by a script.
    """

    x: int
    label: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Race:
    """The race of a page. ``xs`` are the positions of its columns, the last of which is the present.

    Each player has a row and a rank in each column, None before they were ranked. ``ticks`` are the times above the
    lines, with their positions. If it ``is_frozen``, the last column is the moment at which a freeze began. Players in
    ``tied`` share their present rank with others; ``at_first`` is how many share the first one.
    """

    zone: str
    moments: tuple[datetime, ...]
    xs: tuple[int, ...]
    players: tuple[str, ...]
    names: Mapping[str, str]
    rows: tuple[tuple[int | None, ...], ...]
    ranks: Mapping[str, tuple[int | None, ...]]
    ticks: tuple[Tick, ...]
    is_over: bool
    is_frozen: bool = False
    tied: frozenset[str] = frozenset()
    at_first: int = 1

    @property
    def is_level(self) -> bool:
        """Whether more share the first rank than there are lines: which ten are drawn would be chance."""
        return self.at_first > LINES

    @property
    def has_times_of_day(self) -> bool:
        """Whether the times above the lines are those of a day, not days."""
        return any(tick.at for tick in self.ticks)

    @property
    def height(self) -> int:
        """The height in rows."""
        return len(self.players)


@dataclass(frozen=True, slots=True)
class Mine:
    """The viewer's line and ranks. ``nth`` is their index among the players, None if they are below them."""

    nth: int | None
    name: str
    ranks: tuple[int | None, ...]
    drawn: Drawn
    is_tied: bool = False
