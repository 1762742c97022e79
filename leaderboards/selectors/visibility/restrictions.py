"""Restrictions as conditions of SQL, and for whom the shadowed are shown: for themselves, on their own pages.

``selectors/visibility/hidden.py`` says who is left out of a period. Here is what asks for players without a period. The
trap: whatever is read within ``viewing_as`` may show a shadowed player, so nothing of it may be kept for others.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboards.models import Board, Period, Player, Restriction, RestrictionKind, Visibility

ANY_BOARD = "any"  # board

_viewer: ContextVar[str | None] = ContextVar("shadowed_viewer", default=None)


def active_restrictions() -> QuerySet[Restriction]:
    """The restrictions that nobody has lifted."""
    return Restriction.objects.filter(Restriction.RUNNING).order_by()


@contextmanager
def viewing_as(player: str | None) -> Iterator[None]:
    """Read as the player of this id sees it, whose page it is: the same as everybody, and themselves if shadowed."""
    token = _viewer.set(player)
    try:
        yield
    finally:
        _viewer.reset(token)


def current_viewer() -> str | None:
    """The id of the player for whom this is read; None for everybody."""
    return _viewer.get()


def visible_q(board: str | int | None, player: str = "player", period: str | int | None = None) -> Q:
    """Rows whose player is neither banned nor restricted on all boards, nor on the row's ``board``, nor in its
    ``period``.

    ``board`` and ``period`` are paths to them from the row, or their numbers; with None restrictions of single boards,
    or of single periods, do not count. ``player`` is the path to the player, "" where the row is the player.
    """
    banned_at = f"{player}__banned_at" if player else "banned_at"
    return Q(**{banned_at: None}) & ~Q(restricted(board, player, period))


def restricted(board: str | int | None, player: str = "player", period: str | int | None = None) -> Exists:
    """Whether a running restriction keeps the row's player out, likewise, or out of ``ANY_BOARD`` board or period.

    A shadow does not keep out whom it is ``viewing_as``.
    """
    out = active_restrictions().filter(player=OuterRef(player or "pk"))
    on = Q(board=None)
    if board == ANY_BOARD:
        on = Q()
    elif board is not None:
        on |= Q(board=OuterRef(board) if isinstance(board, str) else board, period=None)
    if period is not None:
        on |= Q(period=OuterRef(period) if isinstance(period, str) else period)
    own = current_viewer()
    if own is not None:
        out = out.exclude(kind=RestrictionKind.SHADOWED, player__external_id=own)
    return Exists(out.filter(on))


def banned_from(board: str | int, player: str = "player") -> Q:
    """Rows whose player may not score on the ``board``, being banned from everything or from it; paths likewise."""
    banned_at = f"{player}__banned_at__isnull" if player else "banned_at__isnull"
    on = OuterRef(board) if isinstance(board, str) else board
    own = active_restrictions().filter(kind=RestrictionKind.BANNED, board=on, player=OuterRef(player or "pk"))
    return Q(**{banned_at: False}) | Q(Exists(own))


def restricted_only_by(players: Collection[int], kind: str, board: int | None, period: int | None = None) -> list[int]:
    """Those of these players (internal numbers) who are kept out by this restriction (on a board, by its number, or on
    all, or in one period, by its number) and by nothing else that holds there. Restrictions of single boards may hold
    beside one of all, and those of single periods beside one of their board."""
    here = active_restrictions().filter(player__in=players)
    if kind == RestrictionKind.BANNED and board is None:  # which the player's own row says
        banned = Player.objects.filter(pk__in=players, banned_at__isnull=False)
        return list(banned.exclude(pk__in=here.filter(board=None).values("player")).values_list("pk", flat=True))
    this = Q(kind=kind, board=board, period=period)
    wider = here.filter(Q(board=None) | Q(board=board, period=None)).exclude(this)
    own = here.filter(this, player__banned_at=None).exclude(player__in=wider.values("player"))
    return list(own.values_list("player", flat=True))


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What a player is told of themselves: whether they are hidden on all boards, else on which ones, and in which of
    their periods; and whether they are banned, else from which boards. Nothing of shadows."""

    everywhere: bool = False
    hidden: tuple[Board, ...] = ()
    banned: tuple[Board, ...] = ()
    periods: tuple[Period, ...] = ()
    banned_everywhere: bool = False


NOT_EXCLUDED = Exclusion()


def exclusion_of(player: Player) -> Exclusion:
    """Where moderators keep a player out, of public boards, in one statement."""
    return _told(player, Q(board=None) | Q(board__visibility=Visibility.PUBLIC))


def exclusion_on_board(external_id: str, board: Board, period: Period | None) -> Exclusion:
    """What keeps the player of this id out of one board, or of one of its periods."""
    player = Player.objects.filter(external_id=external_id).first()
    here = Q(board=None) | Q(board=board, period=None)
    return NOT_EXCLUDED if player is None else _told(player, here if period is None else here | Q(period=period))


def _told(player: Player, where: Q) -> Exclusion:
    rows = active_restrictions().filter(where, player=player).exclude(kind=RestrictionKind.SHADOWED)
    told = list(rows.select_related("board", "period__board").order_by("board", "period"))

    def boards(kind: str) -> tuple[Board, ...]:
        return tuple(row.board for row in told if row.kind == kind and row.board is not None and row.period is None)

    everywhere = any(row.board is None for row in told)
    hidden = boards(RestrictionKind.HIDDEN)
    periods = tuple(row.period for row in told if row.period is not None and row.board not in hidden)
    is_banned = player.banned_at is not None
    return Exclusion(everywhere, hidden, boards(RestrictionKind.BANNED), periods, is_banned)
