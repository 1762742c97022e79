"""What everybody gets, kept for one second by each process: however many watch a board, it is read once a second.

When the second is over one asker makes the next, and all others still get the old one until it is there. In memory,
since asking a cache for a page costs about as much as the rest of the answer. Whole answers are kept for anybody: he
has no session and no remembered player, so he sees what everybody may see. The trap: links repeat the whole query, so
an answer to a name that is not known here is never kept.
"""

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import wraps
from typing import Generic, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language, get_language_from_request

from foundation import clock
from leaderboards.views.answers import followed, private
from leaderboards.views.viewer import COOKIE, may_be_signed_in

View = Callable[..., HttpResponse]
Key = TypeVar("Key", bound=Hashable)
Made = TypeVar("Made")

KEPT_SECONDS = 1.0
STALE_SECONDS = 3.0
TURNS = 64  # at which different pages are made side by side
_NAMES = {"page", "period", "fragment", "embed", "screen"}
_ASKED = "HTTP_IF_NONE_MATCH"


@dataclass(slots=True)
class _Kept(Generic[Made]):
    """What was made, and when. Who may make the next one moves ``next_at`` on."""

    made: Made
    made_at: float
    next_at: float
    ends_at: float


class Second(Generic[Key, Made]):
    """What was made in the last second, by key; at most ``most`` of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[Key, _Kept[Made]] = {}
        self._lock = threading.Lock()
        self._turns = [threading.Lock() for _ in range(TURNS)]

    def of(self, key: Key, make: Callable[[], Made]) -> Made:
        """What is kept, else what ``make`` makes: one at a time, so that a crowd that comes at once waits for one."""
        found = self.found(key)
        if found is not None:
            return found
        with self._turns[hash(key) % TURNS]:
            kept = self._kept.get(key)
            if kept and kept.made_at + KEPT_SECONDS > clock.monotonic():
                return kept.made
            made = make()
            self.keep(key, made)
            return made

    def found(self, key: Key) -> Made | None:
        """What is kept; None for the one who has to make it."""
        at = clock.monotonic()
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept.ends_at <= at:
                return None
            if kept.next_at <= at:
                kept.next_at = kept.ends_at
                return None
            return kept.made

    def lately(self, key: Key) -> Made | None:
        """What is kept, needed or not."""
        kept = self._kept.get(key)
        return kept.made if kept and kept.ends_at > clock.monotonic() else None

    def in_time(self, key: Key) -> Made | None:
        """What is kept and needs no next one yet."""
        kept = self._kept.get(key)
        return kept.made if kept and kept.next_at > clock.monotonic() else None

    def keep(self, key: Key, made: Made) -> None:
        """From now on this is what the others get."""
        at = clock.monotonic()
        with self._lock:
            if len(self._kept) >= self._most:
                self._kept.clear()
            self._kept[key] = _Kept(made, at, at + KEPT_SECONDS, at + STALE_SECONDS)

    def forget(self) -> None:
        """Start anew."""
        with self._lock:
            self._kept.clear()

    def __len__(self) -> int:
        return len(self._kept)


@dataclass(frozen=True, slots=True)
class _Answer:
    """``etag`` is empty on whole pages."""

    etag: str
    body: bytes


# By language and address; of some 30 KB each.
_answers: Second[tuple[str | None, str], _Answer] = Second(256)


def kept_a_second(view: View) -> View:
    """The same view, asked at most about once a second for each address and language by those who are anybody."""

    @wraps(view)
    def answered(request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        if not is_anybody(request):
            return view(request, *args, **named)
        key = (get_language(), request.get_full_path())
        try:
            return _told(request, _answers.of(key, lambda: _made(request, lambda: view(request, *args, **named))))
        except _NotToKeep as found:
            return found.response

    return answered


def is_anybody(request: HttpRequest) -> bool:
    """Whether nothing is known of who asks, and the address says no more than which page is meant."""
    return not _is_somebody(request) and set(request.GET) <= _NAMES


def _is_somebody(request: HttpRequest) -> bool:
    return "HTTP_COOKIE" in request.META and (may_be_signed_in(request) or COOKIE in request.COOKIES)


def unchanged(request: HttpRequest) -> HttpResponse | None:
    """304 for anybody who has what is kept; None leaves the request to its view."""
    asked = request.META.get(_ASKED)
    if not asked or request.method != "GET" or _is_somebody(request):
        return None
    kept = _answers.in_time((get_language_from_request(request), request.get_full_path()))
    return _headed(HttpResponseNotModified(), asked) if kept and kept.etag == asked else None


def forget() -> None:
    """Start anew."""
    _answers.forget()


class _NotToKeep(Exception):
    """An answer that is for this asker alone, as it is."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__(response.status_code)
        self.response = response


def _made(request: HttpRequest, make: Callable[[], HttpResponse]) -> _Answer:
    """What any asker gets, whatever he has already."""
    asked = request.META.pop(_ASKED, None)
    response = make()
    if asked is not None:
        request.META[_ASKED] = asked
    if response.status_code != 200 or response.cookies:
        raise _NotToKeep(response)
    return _Answer(response.get("ETag", ""), response.content)


def _told(request: HttpRequest, kept: _Answer) -> HttpResponse:
    same = get_conditional_response(request, etag=kept.etag) if kept.etag else None
    return _headed(HttpResponse(kept.body) if same is None else same, kept.etag)


def _headed(response: HttpResponse, etag: str) -> HttpResponse:
    return followed(response, etag) if etag else private(response)
