"""What the first page tells a viewer of themselves: their places with movement, who has passed them, and what is next.

Movement and overtaking are told since the last look at each period, from at most two statements a minute
(``selectors/history/lately.py``). Only the rows right ahead of the viewer are known, so who passed them and went on
further is not named.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboards import formats
from leaderboards.models import Board
from leaderboards.selectors import BoardPage, Row
from leaderboards.selectors.history.lately import RankThen, ranks_lately
from leaderboards.views.components.other_apps import Coming, News
from leaderboards.views.components.period_labels import is_running
from leaderboards.views.components.table_rows import Gap, Move, gap_ahead, gap_behind, result

MOST_PLACES = 4
MOST_COMING = 4
MOST_PASSED = 2
MOST_NEWS = 4


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """The viewer's place on a board: rank, the number of ``others`` who share it, and the gap to the next row.

    ``move`` is the change of rank since the look at ``since``; both None if it is not known.
    """

    board: Board
    rank: int
    others: int
    gap: Gap | None
    result: str
    move: Move | None = None
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class OwnHome:
    """The viewer's best places, what ends or starts next for them, and what happened to them lately."""

    places: Sequence[OwnPlace] = ()
    coming: Sequence[Coming] = ()
    news: Sequence[News] = ()


def own_home(pages: Iterable[BoardPage], coming: Iterable[Coming], news: Iterable[News], at: datetime) -> OwnHome:
    """Return what the viewer of these pages of boards sees of themselves, with what other apps know.

    Boards on which the viewer is not ranked are left out.
    """
    mine = [page for page in pages if page.me is not None and page.me.rank is not None]
    best = sorted(mine, key=lambda page: (page.me and page.me.rank) or 0)[:MOST_PLACES]
    then = ranks_lately([key for page in best for key in _asked(page)])
    passed = [told for page in best if (told := _passed(page, then)) is not None]
    ends = [end for page in mine if (end := _end(page, at)) is not None]
    return OwnHome(
        [_place(page, then) for page in best],
        sorted([*ends, *coming], key=lambda each: each.at)[:MOST_COMING],
        [*passed[:MOST_PASSED], *news][:MOST_NEWS],
    )


_Key = tuple[int, str, str]


def _key(page: BoardPage, row: Row) -> _Key:
    return page.standings.board.seq, page.standings.period.label, row.player


def _asked(page: BoardPage) -> list[_Key]:
    return [_key(page, row) for row in (page.me, *_ahead(page)) if row is not None]


def _ahead(page: BoardPage) -> list[Row]:
    """The rows right ahead of the viewer, the best first."""
    me = page.me
    return [row for row in page.neighbours if me and row.rank and me.rank and row.rank < me.rank]


def _place(page: BoardPage, then: dict[_Key, RankThen]) -> OwnPlace:
    board, me = page.standings.board, page.me
    assert me is not None  # noqa: S101 - for the type checker: ``own_home`` has left the others out
    assert me.rank is not None  # noqa: S101 - the same
    gap_to = gap_behind if me.rank == 1 else gap_ahead
    gap, before = gap_to(board, me, page.neighbours), then.get(_key(page, me))
    move = None if before is None else _move(me.rank, before)
    since = before.since if before and move else None
    return OwnPlace(board, me.rank, (me.tied or 1) - 1, gap, result(board, me), move, since)


def _move(rank: int, before: RankThen) -> Move | None:
    if before.rank is None:
        return Move("new") if before.is_whole else None
    by = before.rank - rank
    return Move("up" if by > 0 else "down" if by < 0 else "same", abs(by))


def _passed(page: BoardPage, then: dict[_Key, RankThen]) -> News | None:
    """Say who of those right ahead was behind the viewer, or level with them, at the last look."""
    board, me = page.standings.board, page.me
    before = None if me is None else then.get(_key(page, me))
    if me is None or before is None or before.rank is None:
        return None
    passers = [row for row in _ahead(page) if _was_behind(then.get(_key(page, row)), before)]
    if not passers:
        return None
    return News(
        board,
        _passed_words([row.name for row in passers]),
        board.name,
        f"{reverse('board', args=[board.seq])}#me",
        before.since,
        board.timezone,
        is_since=True,
        player=passers[-1].player,
    )


def _was_behind(other: RankThen | None, me: RankThen) -> bool:
    if other is None or me.rank is None:
        return False
    return other.is_whole if other.rank is None else other.rank >= me.rank


def _passed_words(names: Collection[str]) -> str:
    *others, nearest = names
    if not others:
        return _("%(name)s passed you") % {"name": _isolated(nearest)}
    words = _("%(name)s and %(number)s more passed you")
    return words % {"name": _isolated(nearest), "number": formats.number(len(others))}


def _isolated(name: str) -> str:
    """Let a name keep its own direction within the sentence."""
    return f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"


def _end(page: BoardPage, at: datetime) -> Coming | None:
    board, period = page.standings.board, page.standings.period
    left = period.seconds_left(at)
    if period.ends_at is None or left is None or not is_running(period, at):
        return None
    return Coming(period.ends_at, board, board.name, reverse("board", args=[board.seq]), left)
