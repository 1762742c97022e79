"""Find players by name, and boards by player. Names need not be unique; ids identify players.

A prefix shared by millions of names has a bounded cost: names are read in the order of the index, in ``WINDOWS`` until
enough of them may be shown, for ``PATIENCE_MS`` (for a board the first ``BOARD_WINDOW``). Hidden players are left out
before they count, so however many there are, they hide nobody else.
"""

from collections.abc import Iterator
from functools import partial

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Value

from foundation import clock
from leaderboards.core.input.folding import MAX_LENGTH, Ranges, begins_with, fold, is_searchable, prefix_ranges
from leaderboards.core.periods import PeriodKind
from leaderboards.models import Board, PeriodState, Player, Standing, Visibility
from leaderboards.selectors.visibility.restrictions import visible_q
from leaderboards.stores.sql.reads import run_with_timeout

MOST = 20
WINDOWS = (200, 1000, 4000)  # names read one after the other
MOST_ON_BOARD = 200
BOARD_WINDOW = 5000
PATIENCE_MS = 500


def players_called(name: str) -> list[str]:
    """Return the ids of up to ``MOST`` players of this name, ignoring case, the oldest first."""
    if not name or "\0" in name:  # PostgreSQL refuses NUL
        return []
    called = players_of_name(name).values_list("external_id", flat=True)[:MOST]
    return run_with_timeout(lambda: list(called), PATIENCE_MS) or []


def players_of_name(name: str) -> QuerySet[Player]:
    """Return the visible players of this name, ignoring case, the oldest first.

    Ordered by an expression: PostgreSQL would walk the whole table by primary key to find the first few.
    """
    called = Player.objects.filter(visible_q(None, ""), name__iexact=name).exclude(name="")
    return called.order_by(F("pk") + Value(0))


def players_found(asked: str, most: int, include_unlisted: bool = False) -> list[Player]:
    """Return up to ``most`` players: first by id, then by exact name, by folded name, and by prefix of the folded name.

    A prefix finds only players who are shown in the ranking of a public board, unless ``include_unlisted``: others are
    found by their whole name.
    """
    exact = list(dict.fromkeys([asked, *players_called(asked)]))[:MOST]
    known = Player.objects.filter(visible_q(None, ""), external_id__in=exact).in_bulk(field_name="external_id")
    named = sorted((known[each] for each in exact if each in known), key=lambda each: _exactness(each, asked))
    return list(dict.fromkeys([*named, *_listed(asked, most, include_unlisted)]))[:most]


def ids_alike_on_board(asked: str, board: Board) -> Iterator[list[str]]:
    """Yield ids of players who are shown on the board with a standing, ``MOST`` at a time: first by folded name, then
    by prefix of the folded name. They may have no standing in a certain period."""
    wanted = _wanted(asked)
    found = _on_board(wanted, board) if wanted else []
    same = [each.external_id for each in found if each.folded_name == wanted]
    others = [each.external_id for each in found if each.folded_name != wanted]
    for ids in (same, others):
        for first in range(0, len(ids), MOST):
            yield ids[first : first + MOST]


def _wanted(asked: str) -> str:
    """Return the folded prefix; empty if it is too short."""
    wanted = fold(asked)[:MAX_LENGTH].rstrip()
    return wanted if is_searchable(wanted) else ""


def _listed(asked: str, most: int, include_unlisted: bool) -> list[Player]:
    """Return up to ``most`` players who may be listed, by prefix of the folded name: those that are found in time."""
    found: list[Player] = []
    if wanted := _wanted(asked):
        run_with_timeout(lambda: _collect(found, wanted, most, include_unlisted), PATIENCE_MS)
    return found[:most]


def _collect(found: list[Player], wanted: str, most: int, include_unlisted: bool) -> None:
    """Add players to ``found`` until there are ``most``, the windows are read, or half the time is over."""
    ranges, until = prefix_ranges(wanted), clock.monotonic() + PATIENCE_MS / 2000
    for first, end in ranges:
        start: str | Player = first
        for size in WINDOWS:
            rows = list(visible_between(start, end)[:size])
            found += [each for each in _shown(rows, wanted, include_unlisted) if _is_current(each, ranges)]
            if len(found) >= most or clock.monotonic() > until:
                return
            if len(rows) < size:
                break
            start = rows[-1]


def _shown(rows: list[Player], folded: str, include_unlisted: bool) -> list[Player]:
    """Return those of the visible players ``rows`` who may be listed."""
    if include_unlisted or not rows:
        return rows
    ranked = Standing.objects.filter(visible_q("period__board", "player", "period"), score__isnull=False)
    public = Exists(ranked.filter(player=OuterRef("pk"), period__board__visibility=Visibility.PUBLIC))
    listed = Player.objects.filter(Q(folded_name=folded) | Q(public), pk__in=[each.pk for each in rows])
    shown = set(listed.values_list("pk", flat=True))
    return [each for each in rows if each.pk in shown]


def _on_board(wanted: str, board: Board) -> list[Player]:
    """Return players by prefix of the folded name who are shown on the board with a standing."""
    there = Standing.objects.filter(visible_q(board.seq, "player", "period"), period__board=board)
    found: list[Player] = []
    ranges = prefix_ranges(wanted)
    for start, end in ranges:
        first = visible_between(start, end).values("pk")[:BOARD_WINDOW]
        on_it = Player.objects.filter(Exists(there.filter(player=OuterRef("pk"))), pk__in=first)
        rows = on_it.order_by("folded_name", "pk")[: MOST_ON_BOARD - len(found)]
        found += run_with_timeout(partial(list, rows), PATIENCE_MS) or []
    return [each for each in found if _is_current(each, ranges)]


def _is_current(player: Player, ranges: Ranges) -> bool:
    """Return whether the name matches; the folded one is stale until ``fold_names`` has run."""
    return begins_with(fold(player.name), ranges)


def _exactness(player: Player, asked: str) -> tuple[bool, bool]:
    return player.external_id != asked, player.name != asked


def visible_between(start: str | Player, end: str) -> QuerySet[Player]:
    """Return the visible players with ``start`` <= folded name < ``end``, in the order of the index; a player as
    ``start`` is the last one before."""
    named = Player.objects.filter(visible_q(None, ""), folded_name__lt=end).order_by("folded_name", "pk")
    if isinstance(start, str):
        return named.filter(folded_name__gte=start)
    behind = Q(folded_name__gt=start.folded_name) | Q(pk__gt=start.pk)
    return named.filter(behind, folded_name__gte=start.folded_name)


def boards_of(player: Player) -> list[Board]:
    """Return up to ``MOST`` public boards in whose running periods the player has a standing in SQL."""
    standing = Standing.objects.filter(player=player, score__isnull=False, period__state=PeriodState.OPEN)
    public = Board.objects.filter(visibility=Visibility.PUBLIC).exclude(period=PeriodKind.EVENT)
    return list(public.filter(seq__in=standing.values("period__board"))[:MOST])
