"""Finding players by name, and boards by player. Names need not be unique; ids say who somebody is.

A prefix that millions of names begin with costs no more than another: the index is read in the order of the names, and
no further than ``WINDOW`` of them, whoever of these may be shown.
"""

from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboards.core.input.folding import MAX_LENGTH, begins_with, fold, is_searchable, prefix_bounds
from leaderboards.core.periods import PeriodKind
from leaderboards.models import Board, PeriodState, Player, Standing, Visibility
from leaderboards.selectors.visibility.restrictions import visible_q
from leaderboards.stores.sql.reads import run_with_timeout

MOST = 20
WINDOW = 200
PATIENCE_MS = 500


def players_called(name: str) -> list[str]:
    """The ids of up to ``MOST`` players of this name, capitals or not, the longest known first."""
    if not name or "\0" in name:  # PostgreSQL refuses the question itself
        return []
    called = Player.objects.filter(visible_q(None, ""), name__iexact=name).exclude(name="").order_by("pk")
    return list(called.values_list("external_id", flat=True)[:MOST])


def players_found(asked: str, most: int, include_unlisted: bool = False) -> list[Player]:
    """Players of this id, then of this name, then of this name folded, then those whose folded name begins so.

    By a part of their name only those are found who stand on a public board, unless ``include_unlisted``: who plays on
    private boards alone is found by who knows their whole name.
    """
    exact = list(dict.fromkeys([asked, *players_called(asked)]))[:MOST]
    known = Player.objects.filter(visible_q(None, ""), external_id__in=exact).in_bulk(field_name="external_id")
    named = sorted((known[each] for each in exact if each in known), key=lambda each: _exactness(each, asked))
    alike = _alike(asked)
    shown = _shown(alike, fold(asked), include_unlisted) if alike else set()
    rest = [each for each in alike if each.pk in shown]
    return list(dict.fromkeys([*named, *rest]))[:most]


def ids_alike_on_board(asked: str, board: Board) -> tuple[list[str], list[str]]:
    """The ids of players who stand on the board and are called so when folded, and of those whose name begins so."""
    alike = _alike(asked)
    there = Standing.objects.filter(player__in=[each.pk for each in alike], period__board=board)
    numbers = set(there.values_list("player", flat=True)) if alike else set()
    found, wanted = [each for each in alike if each.pk in numbers], fold(asked)
    same = [each.external_id for each in found if each.folded_name == wanted]
    return same[:MOST], [each.external_id for each in found if each.folded_name != wanted][:MOST]


def _shown(alike: list[Player], folded: str, include_unlisted: bool) -> set[int]:
    """The numbers of those of them who may be told."""
    on_public = Standing.objects.filter(player=OuterRef("pk"), period__board__visibility=Visibility.PUBLIC)
    seen = Player.objects.filter(visible_q(None, ""), pk__in=[each.pk for each in alike])
    if not include_unlisted:
        seen = seen.filter(Exists(on_public) | Q(folded_name=folded))
    return set(run_with_timeout(lambda: list(seen.values_list("pk", flat=True)), PATIENCE_MS) or [])


def _exactness(player: Player, asked: str) -> tuple[bool, bool]:
    return player.external_id != asked, player.name != asked


def _alike(asked: str) -> list[Player]:
    """The first ``WINDOW`` whose folded name begins so, by name; hidden players are among them."""
    wanted = fold(asked)[:MAX_LENGTH].rstrip()
    if not is_searchable(wanted):
        return []
    bounds = prefix_bounds(wanted)
    rows = players_between(*bounds)[:WINDOW]
    found = run_with_timeout(lambda: list(rows), PATIENCE_MS) or []
    return [each for each in found if begins_with(fold(each.name), bounds)]  # not who was renamed behind the column


def players_between(start: str, end: str) -> QuerySet[Player]:
    """Players whose folded name is not before ``start`` and is before ``end``, in the order of their index."""
    named = Player.objects.filter(folded_name__gte=start, folded_name__lt=end)
    return named.order_by("folded_name", "pk")


def boards_of(player: Player) -> list[Board]:
    """The public boards on whose running periods they stand, as SQL knows; up to ``MOST``."""
    standing = Standing.objects.filter(player=player, score__isnull=False, period__state=PeriodState.OPEN)
    public = Board.objects.filter(visibility=Visibility.PUBLIC).exclude(period=PeriodKind.EVENT)
    return list(public.filter(seq__in=standing.values("period__board"))[:MOST])
