"""Restrictions as SQL conditions, and the viewer to whom a shadow does not apply: the shadowed player.

``selectors/visibility/hidden.py`` lists the players hidden in one period; the conditions here need no period.
The trap: a result that was read within ``viewing_as`` may contain a shadowed player, so it must not be cached for
other viewers.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboards.models import Board, Period, Player, Restriction, RestrictionKind, Visibility

ANY_BOARD = "any"  # value of ``board``: a restriction of any board or period counts

_viewer: ContextVar[str | None] = ContextVar("shadowed_viewer", default=None)


def active_restrictions() -> QuerySet[Restriction]:
    """Query the restrictions that are not lifted."""
    return Restriction.objects.filter(Restriction.RUNNING).order_by()


@contextmanager
def viewing_as(player: str | None) -> Iterator[None]:
    """Read as the player of this id: they see what everybody sees, and themselves even if shadowed."""
    token = _viewer.set(player)
    try:
        yield
    finally:
        _viewer.reset(token)


def current_viewer() -> str | None:
    """Return the id of the player for whom is being read; None for everybody."""
    return _viewer.get()


def visible_q(board: str | int | None, player: str = "player", period: str | int | None = None) -> Q:
    """The condition of rows whose player is not banned, and not restricted on all boards, the board or the period.

    ``board`` and ``period`` are paths from the row, or numbers; with None, restrictions of single boards or periods
    do not count. ``player`` is the path to the player, "" if the row is the player.
    """
    banned_at = f"{player}__banned_at" if player else "banned_at"
    return Q(**{banned_at: None}) & ~Q(restricted(board, player, period))


def restricted(board: str | int | None, player: str = "player", period: str | int | None = None) -> Exists:
    """The condition that an active restriction applies to the row's player; arguments as in ``visible_q``.

    With ``ANY_BOARD``, restrictions of any board or period count. A shadow does not count for the player of
    ``viewing_as``.
    """
    applying = active_restrictions().filter(player=OuterRef(player or "pk"))
    on = Q(board=None)
    if board == ANY_BOARD:
        on = Q()
    elif board is not None:
        on |= Q(board=OuterRef(board) if isinstance(board, str) else board, period=None)
    if period is not None:
        on |= Q(period=OuterRef(period) if isinstance(period, str) else period)
    viewer = current_viewer()
    if viewer is not None:
        applying = applying.exclude(kind=RestrictionKind.SHADOWED, player__external_id=viewer)
    return Exists(applying.filter(on))


def banned_from(board: str | int, player: str = "player") -> Q:
    """The condition of rows whose player is banned, everywhere or from the ``board``; paths as in ``visible_q``."""
    banned_at = f"{player}__banned_at__isnull" if player else "banned_at__isnull"
    on = OuterRef(board) if isinstance(board, str) else board
    own = active_restrictions().filter(kind=RestrictionKind.BANNED, board=on, player=OuterRef(player or "pk"))
    return Q(**{banned_at: False}) | Q(Exists(own))


def restricted_only_by(players: Collection[int], kind: str, board: int | None, period: int | None = None) -> list[int]:
    """Return those of ``players`` (internal numbers) to whom this restriction applies and no wider or other one.

    The restriction is of a board (by number), of all boards (None), or of one period (by number). A restriction of a
    single board may coexist with one of all boards, and one of a single period with one of its board.
    """
    here = active_restrictions().filter(player__in=players)
    if kind == RestrictionKind.BANNED and board is None:  # stored in the player's own row
        banned = Player.objects.filter(pk__in=players, banned_at__isnull=False)
        return list(banned.exclude(pk__in=here.filter(board=None).values("player")).values_list("pk", flat=True))
    this = Q(kind=kind, board=board, period=period)
    wider = here.filter(Q(board=None) | Q(board=board, period=None)).exclude(this)
    only_this = here.filter(this, player__banned_at=None).exclude(player__in=wider.values("player"))
    return list(only_this.values_list("player", flat=True))


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What a player may know about their own restrictions: hidden everywhere, on boards or in periods; banned
    everywhere or from boards. Shadows are never included."""

    everywhere: bool = False
    hidden: tuple[Board, ...] = ()
    banned: tuple[Board, ...] = ()
    periods: tuple[Period, ...] = ()
    banned_everywhere: bool = False


NOT_EXCLUDED = Exclusion()


def exclusion_of(player: Player) -> Exclusion:
    """Return a player's restrictions on public boards, with one SQL statement."""
    return _exclusion(player, Q(board=None) | Q(board__visibility=Visibility.PUBLIC))


def exclusion_on_board(external_id: str, board: Board, period: Period | None) -> Exclusion:
    """Return the restrictions of the player of this id that apply to one board, or one of its periods."""
    player = Player.objects.filter(external_id=external_id).first()
    here = Q(board=None) | Q(board=board, period=None)
    return NOT_EXCLUDED if player is None else _exclusion(player, here if period is None else here | Q(period=period))


def _exclusion(player: Player, where: Q) -> Exclusion:
    visible = active_restrictions().filter(where, player=player).exclude(kind=RestrictionKind.SHADOWED)
    rows = list(visible.select_related("board", "period__board").order_by("board", "period"))

    def boards(kind: str) -> tuple[Board, ...]:
        return tuple(row.board for row in rows if row.kind == kind and row.board is not None and row.period is None)

    everywhere = any(row.board is None for row in rows)
    hidden = boards(RestrictionKind.HIDDEN)
    periods = tuple(row.period for row in rows if row.period is not None and row.board not in hidden)
    is_banned = player.banned_at is not None
    return Exclusion(everywhere, hidden, boards(RestrictionKind.BANNED), periods, is_banned)
