"""Find players by name, and boards by player. Names need not be unique; ids identify players.

A prefix shared by millions of names costs no more than a rare one: the first ``WINDOW`` names are read in the order of
the index (for a board the first ``BOARD_WINDOW``), and restrictions are checked for those alone.
"""

from django.db.models import Exists, F, OuterRef, QuerySet, Value

from leaderboards.core.input.folding import MAX_LENGTH, begins_with, fold, is_searchable, prefix_bounds
from leaderboards.core.periods import PeriodKind
from leaderboards.models import Board, PeriodState, Player, Standing, Visibility
from leaderboards.selectors.visibility.restrictions import visible_q
from leaderboards.stores.sql.reads import run_with_timeout

MOST = 20
WINDOW = 200
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
    alike = _alike(asked)
    shown = _shown(alike, fold(asked), include_unlisted) if alike else set()
    rest = [each for each in alike if each.pk in shown]
    return list(dict.fromkeys([*named, *rest]))[:most]


def ids_alike_on_board(asked: str, board: Board) -> tuple[list[str], list[str]]:
    """Return the ids of players with a standing on the board, by folded name and by prefix of the folded name."""
    found, wanted = _alike(asked, board), fold(asked)
    same = [each.external_id for each in found if each.folded_name == wanted]
    return same[:MOST], [each.external_id for each in found if each.folded_name != wanted][:MOST]


def _shown(alike: list[Player], folded: str, include_unlisted: bool) -> set[int]:
    """Return the primary keys of those of ``alike`` who may be listed."""
    seen = Player.objects.filter(visible_q(None, ""), pk__in=[each.pk for each in alike])
    same = seen.filter(folded_name=folded)
    if not include_unlisted:
        ranked = Standing.objects.filter(visible_q("period__board", "player", "period"), score__isnull=False)
        seen = seen.filter(Exists(ranked.filter(player=OuterRef("pk"), period__board__visibility=Visibility.PUBLIC)))
    found = run_with_timeout(
        lambda: [*same.values_list("pk", flat=True), *seen.values_list("pk", flat=True)], PATIENCE_MS
    )
    return set(found or [])


def _exactness(player: Player, asked: str) -> tuple[bool, bool]:
    return player.external_id != asked, player.name != asked


def _alike(asked: str, board: Board | None = None) -> list[Player]:
    """Return the first ``WINDOW`` players by prefix of the folded name, hidden players included; with ``board``, those
    of the first ``BOARD_WINDOW`` who have a standing there."""
    wanted = fold(asked)[:MAX_LENGTH].rstrip()
    if not is_searchable(wanted):
        return []
    bounds = prefix_bounds(wanted)
    rows = players_between(*bounds)
    if board is not None:
        there = Standing.objects.filter(player=OuterRef("pk"), period__board=board)
        first = rows.values("pk")[:BOARD_WINDOW]
        rows = Player.objects.filter(Exists(there), pk__in=first).order_by("folded_name", "pk")
    found = run_with_timeout(lambda: list(rows[:WINDOW]), PATIENCE_MS) or []
    return [each for each in found if begins_with(fold(each.name), bounds)]  # an older release may have renamed them


def players_between(start: str, end: str) -> QuerySet[Player]:
    """Return the players with ``start`` <= folded name < ``end``, in the order of the index."""
    named = Player.objects.filter(folded_name__gte=start, folded_name__lt=end)
    return named.order_by("folded_name", "pk")


def boards_of(player: Player) -> list[Board]:
    """Return up to ``MOST`` public boards in whose running periods the player has a standing in SQL."""
    standing = Standing.objects.filter(player=player, score__isnull=False, period__state=PeriodState.OPEN)
    public = Board.objects.filter(visibility=Visibility.PUBLIC).exclude(period=PeriodKind.EVENT)
    return list(public.filter(seq__in=standing.values("period__board"))[:MOST])
