"""Pages by cursor, and windows around a player: the query of each, and its rows and ends cut out of the answer.

A page by cursor and a window ask for one row more on each side, which tells whether anything is there. For a
page by offset the total tells it, so that what is cached of it stays valid while others write behind it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from leaderboards.core.ranking.gaps import NO_ENDS, Gap, PageEnds
from leaderboards.models import Period
from leaderboards.stores.base import Around, AroundGap, Page, RankedRow, split_at_gap


@dataclass(frozen=True, slots=True)
class CursorPage:
    """Up to ``limit`` rows behind a gap, or before it if ``is_backward``; best first in both cases."""

    gap: Gap
    is_backward: bool
    limit: int


def page_query(wanted: Page | CursorPage) -> Page | AroundGap:
    """Return the query for the page; ``cut_page`` takes its answer."""
    if isinstance(wanted, Page):
        return wanted
    ahead, behind = (wanted.limit + 1, 1) if wanted.is_backward else (1, wanted.limit + 1)
    return AroundGap(wanted.gap, ahead, behind)


def cut_page(period: Period, wanted: Page | CursorPage, rows: Sequence[RankedRow]) -> tuple[list[RankedRow], PageEnds]:
    """Return the rows of the page and its ends; for a page by offset call ``ends.within``. Raises ``BadCursor``."""
    if isinstance(wanted, Page):
        return list(rows), _ends_by_offset(period, wanted, rows)
    before, behind = split_at_gap(period, wanted.gap, rows)
    if wanted.is_backward:
        shown, above, below = before[-wanted.limit :], len(before) > wanted.limit, bool(behind)
    else:
        shown, above, below = behind[: wanted.limit], bool(before), len(behind) > wanted.limit
    first, last = _outer_gaps(period, shown) if shown else (wanted.gap, wanted.gap)
    return shown, PageEnds(first if above else None, last if below else None)


def window_query(wanted: Around) -> Around:
    """Return the query for a player's window; ``cut_window`` takes its answer."""
    return Around(wanted.player, wanted.radius + 1)


def cut_window(period: Period, wanted: Around, rows: Sequence[RankedRow]) -> tuple[list[RankedRow], PageEnds]:
    """Return the player with up to ``wanted.radius`` rows on each side, and the window's ends; none if not ranked."""
    players = [period.layout.player_of(each.member) for each in rows]
    if wanted.player not in players:
        return [], NO_ENDS
    place = players.index(wanted.player)
    first, last = max(0, place - wanted.radius), place + wanted.radius + 1
    before, behind = _outer_gaps(period, rows[first:last])
    return list(rows[first:last]), PageEnds(before if first else None, behind if last < len(rows) else None)


def _ends_by_offset(period: Period, wanted: Page, rows: Sequence[RankedRow]) -> PageEnds:
    if not rows:
        return NO_ENDS
    first, last = _outer_gaps(period, rows)
    return PageEnds(first if wanted.offset else None, last, wanted.offset + len(rows))


def _outer_gaps(period: Period, rows: Sequence[RankedRow]) -> tuple[Gap, Gap]:
    """Return the gaps before the first and behind the last of the rows."""
    return replace(_gap_behind(period, rows[0]), is_after=False), _gap_behind(period, rows[-1])


def _gap_behind(period: Period, row: RankedRow) -> Gap:
    standing = period.layout.unpack(row.score, row.member)
    return Gap(standing.value, standing.at_ms, standing.player, True, period.layout.number_of(row.member))
