"""The base class of all errors that Sunwi reports to callers, and one class for each kind.

Each app adds its own subclasses in its ``errors.py``. A class has a stable ``code`` for programs; an instance has
``detail``, a sentence for people that says what was wrong and what to do. The HTTP statuses are in
``foundation/http/problems.py``.
"""

from typing import ClassVar


class SunwiError(Exception):
    """An error for the caller. ``detail`` is shown to them: it must contain no secret, Redis key or SQL."""

    code: ClassVar[str] = "error"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class Invalid(SunwiError):
    """The request's values are not acceptable."""

    code = "invalid"


class InvalidField(Invalid):
    """A part of what was sent is not acceptable; ``field`` is the one to change, "" if it is none alone."""

    def __init__(self, detail: str, field: str = "") -> None:
        super().__init__(detail)
        self.field = field


class Unauthenticated(SunwiError):
    """No valid key: missing, unknown, revoked or expired."""

    code = "unauthenticated"


class Forbidden(SunwiError):
    """The caller is known and may not do this."""

    code = "forbidden"


class NotFound(SunwiError):
    """It does not exist, or the caller may not know that it does."""

    code = "not_found"


class Conflict(SunwiError):
    """The request conflicts with the stored state."""

    code = "conflict"


class NotAvailable(Invalid):
    """The storage of what is asked for cannot do it, now or later; ``detail`` says what to do instead."""

    code = "not_available"


class Unavailable(SunwiError):
    """A server that is needed is unavailable; the same request may succeed later."""

    code = "unavailable"
    retry_after: ClassVar[int] = 1


class RateLimited(SunwiError):
    """The caller is over a rate limit; the next request is accepted in ``retry_after`` whole seconds."""

    code = "rate_limited"

    def __init__(self, detail: str, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after
