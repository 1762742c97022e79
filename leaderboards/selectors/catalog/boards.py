"""Find boards. While SQL is unavailable, boards that were read before come from a cache."""

from collections.abc import Collection, Mapping
from copy import copy

from foundation.db.resilience import CACHE_TTL, OldAnswer, StaleIfErrorCache
from foundation.db.row_versions import row_version_loader
from foundation.messages import Message
from leaderboards.core import keys
from leaderboards.core.input.name_matches import MOST_NAMES, FoldedNames
from leaderboards.errors import UnknownBoard
from leaderboards.models import Board, Visibility
from leaderboards.selectors.catalog.cache_versions import MAX_READ_STALENESS_SECONDS, changed_since


def _load(numbers: Collection[int]) -> dict[int, Board]:
    return Board.objects.in_bulk([seq for seq in numbers if 0 < seq < 2**31])


def _changed(old: Mapping[int, OldAnswer[Board]]) -> set[int]:
    changed = changed_since({keys.board(seq): row.age for seq, row in old.items()})
    return {seq for seq in old if keys.board(seq) in changed}


_cache: StaleIfErrorCache[int, Board] = StaleIfErrorCache(
    _load, stamps=row_version_loader(Board._meta.db_table, "seq"), outdated=_changed
)

_names = {False: FoldedNames(), True: FoldedNames()}  # by ``include_private``


def board_by_seq(seq: int) -> Board:
    """Return the board of this number. Raises ``UnknownBoard``."""
    board = _cache.get(seq)
    if board is None:
        raise UnknownBoard(Message("There is no board %(board)s.", board=seq))
    return copy(board)  # callers may change their copy


def peek_cached_board(seq: int) -> Board | None:
    """Return the cached board if it is younger than ``MAX_READ_STALENESS_SECONDS``, without asking SQL.

    Only for readers that compare the cache version of the board's period.
    """
    cached = _cache.peek(seq, MAX_READ_STALENESS_SECONDS)
    if cached is None:
        return None
    board = copy(cached.answer)
    board.cached_since = cached.since
    return board


def cached_boards(numbers: Collection[int]) -> dict[int, Board]:
    """Return the existing boards among these numbers, at most ``CACHE_TTL`` seconds old. For submissions only."""
    return _cache.get_many(numbers, fresh=CACHE_TTL)


def clear_board_cache() -> None:
    """Make this process see a changed board at once."""
    _cache.forget()


def boards_listed(name: str | None = None, include_private: bool = False) -> list[Board]:
    """List the public boards by number, private ones too with ``include_private``; only those called ``name``."""
    boards = Board.objects.all()
    if not include_private:
        boards = boards.filter(visibility=Visibility.PUBLIC)
    if name is None:
        return list(boards)
    return list(boards.filter(name=name)) if "\0" not in name else []  # PostgreSQL refuses NUL


def boards_called(sought: str, most: int, include_private: bool = False) -> list[Board]:
    """Return up to ``most`` public boards, private ones too with ``include_private``, whose name matches, the best
    match first. Only the names of the newest ``MOST_NAMES`` boards are looked at."""
    boards = Board.objects.all() if include_private else Board.objects.filter(visibility=Visibility.PUBLIC)
    names = list(boards.order_by("-seq").values_list("seq", "name")[:MOST_NAMES])
    numbers = _names[include_private].best(reversed(names), sought)[:most]
    found = boards.in_bulk(numbers)
    return [found[number] for number in numbers if number in found]
