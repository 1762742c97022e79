"""Gaps between rows, from which pages are read by cursors.

A gap is identified by a standing, not by a number of rows: rows that move elsewhere meanwhile are neither repeated
nor left out, and a walk in one direction always ends.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Gap:
    """The gap behind (``is_after``) or before a standing's place, whether or not the player still stands there.

    ``value`` is scaled points or criteria in their order; ``at_ms`` is None where the layout keeps no time. Where
    members have the player's number in SQL, it is ``number``: it leads to the place of one who was erased meanwhile.
    """

    value: tuple[int, ...]
    at_ms: int | None
    player: str
    is_after: bool
    number: int | None = None


@dataclass(frozen=True, slots=True)
class PageEnds:
    """The gaps at the ends of a page; None where there are no rows beyond.

    ``last_index`` is set for a page by offset: how many rows the page and those before it are. Whether there are rows
    behind them is then up to the total.
    """

    before: Gap | None = None
    behind: Gap | None = None
    last_index: int | None = None

    def within(self, total: int) -> "PageEnds":
        """Return the ends in a period of ``total`` rows."""
        if self.last_index is None or self.last_index < total:
            return self
        return replace(self, behind=None)


NO_ENDS = PageEnds()
