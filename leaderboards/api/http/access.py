"""Authentication by service key, and which boards a key may read or write. Cookies and logins are ignored here.

Two callables for the routes: ``RequireKey(scope)`` demands a key with the scope, ``OptionalKey()`` admits anybody, but
refuses a wrong key. Both run once per request, before anything else of it is read, so rate limits apply here too.
"""

from collections.abc import Callable
from typing import Literal, TypeVar

from django.http import HttpRequest
from ninja.security.base import AuthBase

from foundation.audit.actor import identify
from foundation.errors import SunwiError, Unauthenticated
from foundation.http.client_address import client_network
from foundation.messages import Message
from foundation.models import ServiceKey
from foundation.security import service_keys
from foundation.security.networks import AddressForbidden
from foundation.throttling.rate_limit import throttle
from leaderboards import selectors
from leaderboards.api.http.paging import requests_counted
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
        _throttle_key("write", key)
        return key


class OptionalKey(_ServiceKeyAuth):
    """A key if one is sent; a wrong one is 401."""

    def __call__(self, request: HttpRequest) -> ServiceKey | Literal["anybody"]:
        if "HTTP_AUTHORIZATION" not in request.META:
            throttle("read", client_network(request))
            return "anybody"
        key = _authenticated(request)
        _throttle_key("read", key, requests_counted(request))
        return key


def key_of(request: HttpRequest) -> ServiceKey | None:
    """The key that the request came with."""
    key = getattr(request, "auth", None)
    return key if isinstance(key, ServiceKey) else None


def may_lag(request: HttpRequest) -> bool:
    """Whether replicas may answer pages to the caller: nobody's key, or one that may only read."""
    key = key_of(request)
    return key is None or all(scope.endswith(":read") for scope in key.scopes)


def board_to_read(request: HttpRequest, seq: int) -> Board:
    """The board. Raises ``UnknownBoard``, and for a private one ``Unauthenticated`` or ``Forbidden``."""
    board = selectors.board_by_seq(seq)
    admit_reader(request, board)
    return board


def standings_to_read(request: HttpRequest, seq: int) -> Board:
    """The board. Raises as ``board_to_read``, and ``UnknownPeriod`` if only its competitions show its standings."""
    return _standings_for(request, selectors.board_by_seq(seq))


def read_standings_of(request: HttpRequest, seq: int, read: Callable[[Board], Answer]) -> tuple[Board, Answer]:
    """The board and the result of ``read``. Raises what ``standings_to_read`` and ``read`` raise.

    The cached board is tried first; Redis compares its cache version as it answers. If that is refused, and not by
    Redis, the refusal does not count: the board is read from SQL and the caller is checked again.
    """
    cached = selectors.peek_cached_board(seq)
    if cached is not None:
        try:
            return cached, read(_standings_for(request, cached))
        except NotRanked:
            raise
        except SunwiError:
            pass
    board = standings_to_read(request, seq)
    return board, read(board)


def standings_to_write(request: HttpRequest, seq: int) -> Board:
    """The board, if the key reaches it and it is no board of competitions. Raises as ``standings_to_read``."""
    board = board_to_write(request, seq)
    _refuse_event_board(board)
    return board


def board_to_write(request: HttpRequest, seq: int) -> Board:
    """The board, if the key reaches it. Raises ``UnknownBoard`` or ``BoardForbidden``."""
    board = selectors.board_by_seq(seq)
    admit_writer(request, board)
    return board


def admit_reader(request: HttpRequest, board: Board) -> None:
    """Raise ``Unauthenticated`` or ``Forbidden`` if the board is private and the caller may not read it."""
    if is_private(board):
        key = key_of(request)
        if key is None:
            raise Unauthenticated(
                Message(
                    "Board %(board)s is private: send a service key with the scope %(scope)s.",
                    board=board.seq,
                    scope=READ_PRIVATE,
                )
            )
        service_keys.require(key, READ_PRIVATE)
        _require_board(key, board)


def admit_writer(request: HttpRequest, board: Board) -> None:
    """Raise ``Unauthenticated`` or ``BoardForbidden`` if the caller's key does not reach the board."""
    key = key_of(request)
    if key is None:
        raise Unauthenticated(Message("Send a service key."))
    _require_board(key, board)


def admit_everywhere(request: HttpRequest) -> None:
    """Raise ``Unauthenticated``, or ``BoardForbidden`` if the key is limited to boards: the request concerns all."""
    key = key_of(request)
    if key is None:
        raise Unauthenticated(Message("Send a service key."))
    if key.boards is not None:
        limits = ", ".join(map(str, key.boards))
        detail = (
            f"This key is limited to boards ({limits}); this is no matter of one board. Use a key without that limit."
        )
        raise BoardForbidden(detail)


def may_list(request: HttpRequest, board: Board) -> bool:
    """Whether lists show the board to the caller."""
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
    """The key of the request, if its conditions are met.

    A caller with a wrong key, or without its signature or address, is rate-limited by their address.
    """
    try:
        key = service_keys.authenticate(request.META.get("HTTP_AUTHORIZATION"))
        require_key_conditions(request, key)
        identify(key)
    except (Unauthenticated, AddressForbidden):
        throttle("read", client_network(request))
        raise
    return key


def _throttle_key(rule: str, key: ServiceKey, requests: int = 1) -> None:
    """Count a request of ``key`` as so many.

    A limit of its own counts reads and writes together, the site's count each apart.
    """
    own = key.limit
    throttle("key" if own else rule, f"{key.pk} {key.name}", own, requests)


def _refuse_event_board(board: Board) -> None:
    """Raise ``UnknownPeriod``: a competition may hide its standings, so no label of the board may show them."""
    if board.is_event:
        raise UnknownPeriod(Message("Board %(board)s counts in competitions: use the competition.", board=board.seq))


def _require_board(key: ServiceKey, board: Board) -> None:
    if not key.allows_board(board.seq):
        raise BoardForbidden(Message("This key does not reach board %(board)s.", board=board.seq))
