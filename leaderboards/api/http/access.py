"""Who calls, and what their key opens. Never a cookie: a browser's login opens nothing here.

Two callables for the routes: ``RequireKey(scope)`` demands a key with the scope, ``OptionalKey()`` takes anybody, but
refuses a key that is wrong. Both run once for each request, before anything else of it is read; so the brake is here.
"""

from collections.abc import Callable
from typing import Literal, TypeVar

from django.http import HttpRequest
from ninja.security.base import AuthBase

from foundation.audit.actor import identify
from foundation.errors import SunwiError, Unauthenticated
from foundation.http.client_address import client_network
from foundation.models import ServiceKey
from foundation.security import service_keys
from foundation.security.networks import AddressForbidden
from foundation.throttling.rate_limit import throttle
from leaderboards import selectors
from leaderboards.api.http.request_guards import require_key_conditions
from leaderboards.errors import BoardForbidden, NotRanked, UnknownPeriod
from leaderboards.models import Board, Visibility

READ_PRIVATE = "boards:read"
Answer = TypeVar("Answer")


class _ServiceKeyAuth(AuthBase):
    openapi_type = "http"
    openapi_scheme = "bearer"


class RequireKey(_ServiceKeyAuth):
    """A key with ``scope``, or 401 and 403."""

    def __init__(self, scope: str) -> None:
        super().__init__()
        self._scope = scope

    def __call__(self, request: HttpRequest) -> ServiceKey:
        key = _authenticated(request)
        service_keys.require(key, self._scope)
        _brake("write", key)
        return key


class OptionalKey(_ServiceKeyAuth):
    """A key if one is sent; a wrong one is 401, here too."""

    def __call__(self, request: HttpRequest) -> ServiceKey | Literal["anybody"]:
        if "HTTP_AUTHORIZATION" not in request.META:
            throttle("read", client_network(request))
            return "anybody"
        key = _authenticated(request)
        _brake("read", key)
        return key


def key_of(request: HttpRequest) -> ServiceKey | None:
    """The key that the request came with."""
    key = getattr(request, "auth", None)
    return key if isinstance(key, ServiceKey) else None


def board_to_read(request: HttpRequest, seq: int) -> Board:
    """The board. Raises ``UnknownBoard``, and for a private one ``Unauthenticated`` or ``Forbidden``."""
    board = selectors.board_by_seq(seq)
    admit_reader(request, board)
    return board


def standings_to_read(request: HttpRequest, seq: int) -> Board:
    """The same, and ``UnknownPeriod`` for a board whose standings are read through its competitions alone."""
    return _standings_for(request, selectors.board_by_seq(seq))


def read_standings_of(request: HttpRequest, seq: int, read: Callable[[Board], Answer]) -> tuple[Board, Answer]:
    """The board, and what ``read`` tells of its standings. Raises as ``standings_to_read`` does, and as ``read`` does.

    At first by what is remembered of the last moment, whose edition Redis compares as it answers. Whatever is refused
    by that, and not by Redis, is refused by nobody: SQL is asked, and the caller admitted, anew.
    """
    known = selectors.peek_cached_board(seq)
    if known is not None:
        try:
            return known, read(_standings_for(request, known))
        except NotRanked:
            raise
        except SunwiError:
            pass
    board = standings_to_read(request, seq)
    return board, read(board)


def standings_to_write(request: HttpRequest, seq: int) -> Board:
    """The board, if the key reaches it and its standings are its own. Raises as ``standings_to_read`` does."""
    board = board_to_write(request, seq)
    _refuse_event_board(board)
    return board


def board_to_write(request: HttpRequest, seq: int) -> Board:
    """The board, if the key reaches it. Raises ``UnknownBoard`` or ``BoardForbidden``."""
    board = selectors.board_by_seq(seq)
    admit_writer(request, board)
    return board


def admit_reader(request: HttpRequest, board: Board) -> None:
    """Raise ``Unauthenticated`` or ``Forbidden`` where the board is private and the caller may not read it."""
    if is_private(board):
        key = key_of(request)
        if key is None:
            raise Unauthenticated(f"Board {board.seq} is private: send a service key with the scope {READ_PRIVATE}.")
        service_keys.require(key, READ_PRIVATE)
        _require_board(key, board)


def admit_writer(request: HttpRequest, board: Board) -> None:
    """Raise ``Unauthenticated`` or ``BoardForbidden`` where the caller's key does not reach the board."""
    key = key_of(request)
    if key is None:
        raise Unauthenticated("Send a service key.")
    _require_board(key, board)


def admit_everywhere(request: HttpRequest) -> None:
    """Raise ``Unauthenticated``, or ``BoardForbidden`` for a key that is limited to boards: what it asks is of all."""
    key = key_of(request)
    if key is None:
        raise Unauthenticated("Send a service key.")
    if key.boards is not None:
        limits = ", ".join(map(str, key.boards))
        detail = (
            f"This key is limited to boards ({limits}); this is no matter of one board. Use a key without that limit."
        )
        raise BoardForbidden(detail)


def may_list(request: HttpRequest, board: Board) -> bool:
    """Whether a list of boards shows this one to the caller."""
    key = key_of(request)
    may_read_private = key is not None and READ_PRIVATE in key.scopes and key.allows_board(board.seq)
    return may_read_private or not is_private(board)


def is_private(board: Board) -> bool:
    """Whether only keys read the board."""
    return board.visibility == Visibility.PRIVATE


def _standings_for(request: HttpRequest, board: Board) -> Board:
    admit_reader(request, board)
    _refuse_event_board(board)
    return board


def _authenticated(request: HttpRequest) -> ServiceKey:
    """The key that is sent, with what it demands. Who sends a wrong one, or lacks that, is known by their address
    only, and is braked as such."""
    try:
        key = service_keys.authenticate(request.META.get("HTTP_AUTHORIZATION"))
        require_key_conditions(request, key)
        identify(key)
    except (Unauthenticated, AddressForbidden):
        throttle("read", client_network(request))
        raise
    return key


def _brake(brake: str, key: ServiceKey) -> None:
    """Count a request with ``key``: a limit of its own counts all that it does, the site's reads and writes apart."""
    own = key.limit
    throttle("key" if own else brake, f"{key.pk} {key.name}", own)


def _refuse_event_board(board: Board) -> None:
    """A competition hides its standings for a while: they must not be had round it, by whatever label."""
    if board.is_event:
        raise UnknownPeriod(f"Board {board.seq} counts in competitions: use the competition.")


def _require_board(key: ServiceKey, board: Board) -> None:
    if not key.allows_board(board.seq):
        raise BoardForbidden(f"This key does not reach board {board.seq}.")
