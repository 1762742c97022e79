"""The id of the request that is being answered, for log lines, answers and Celery tasks.

The id comes from the header ``X-Request-ID`` if that is a valid id, else it is drawn. Tasks that are sent meanwhile
carry it as a header, and the worker's lines about them have it too; a task of the schedule has its own id instead. The
settings import this module (through the log formats), so it imports nothing of Django or Celery at the top.

The trap: Django logs refused requests and streams bodies after all middleware has returned, so the id stays until the
response is closed or the thread takes its next request.
"""

import re
import secrets
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

HEADER, META = "X-Request-ID", "HTTP_X_REQUEST_ID"
TASK_HEADER = "request_id"  # of a Celery message
RANDOM_BYTES = 12
_VALID = re.compile(r"[A-Za-z0-9._-]{1,128}", re.ASCII)


class Context(NamedTuple):
    """What log lines say of the work at hand; each text may be empty."""

    request_id: str = ""
    task: str = ""
    task_id: str = ""


NOTHING = Context()
_context: ContextVar[Context] = ContextVar("sunwi_request", default=NOTHING)
_outer: dict[str, Token[Context]] = {}  # by the id of the running task


def current() -> Context:
    """The context of this thread's request or task; ``NOTHING`` outside of both."""
    return _context.get()


def read_or_draw(value: object) -> str:
    """``value`` if it is a valid id (1 to 128 of ``A-Z a-z 0-9 . _ -``), else a new one of 24 hex digits."""
    if isinstance(value, str) and _VALID.fullmatch(value):
        return value
    return secrets.token_hex(RANDOM_BYTES)


class RequestIds:
    """Middleware around all others: gives each request its id, and returns it in ``X-Request-ID``."""

    def __init__(self, get_response: "Callable[[HttpRequest], HttpResponseBase]") -> None:
        self._get_response = get_response

    def __call__(self, request: "HttpRequest") -> "HttpResponseBase":
        request_id = read_or_draw(request.META.get(META))
        _context.set(Context(request_id))
        response = self._get_response(request)
        response.headers[HEADER] = request_id
        return response


def listen() -> None:
    """Connect to the signals of Django and Celery. Calling it twice has no effect."""
    from celery.signals import before_task_publish, task_postrun, task_prerun
    from django.core.signals import request_finished

    request_finished.connect(_forget, dispatch_uid="request id")
    before_task_publish.connect(_send, dispatch_uid="request id")
    task_prerun.connect(_begin_task, dispatch_uid="request id")
    task_postrun.connect(_end_task, dispatch_uid="request id")


def _forget(**_: Any) -> None:
    _context.set(NOTHING)


def _send(headers: dict[str, Any] | None = None, **_: Any) -> None:
    request_id = current().request_id
    if request_id and headers is not None:
        headers.setdefault(TASK_HEADER, request_id)


def _begin_task(task_id: str, task: Any, **_: Any) -> None:
    sent = getattr(task.request, TASK_HEADER, None)
    request_id = read_or_draw(sent or current().request_id or task_id)
    _outer[task_id] = _context.set(Context(request_id, task.name, task_id))


def _end_task(task_id: str, **_: Any) -> None:
    token = _outer.pop(task_id, None)
    if token is not None:
        _context.reset(token)
