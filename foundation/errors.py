"""The root of everything that Sunwi refuses, and the few kinds of refusal.

Each app adds one class per refusal in its own ``errors.py``. A class carries a stable ``code``
for programs; an instance carries ``detail``, a sentence for people that says what was wrong
and what to do. HTTP statuses are not known here: they live in ``foundation/http/problems.py``.
"""

from typing import ClassVar


class SunwiError(Exception):
    """A refusal. ``detail`` is shown to the caller: no secret, no Redis key, no SQL goes into it."""

    code: ClassVar[str] = "error"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class Invalid(SunwiError):
    """What was sent cannot be accepted as it is."""

    code = "invalid"


class Unauthenticated(SunwiError):
    """No key, or one that is not known, revoked or expired."""

    code = "unauthenticated"


class Forbidden(SunwiError):
    """The caller is known and may not do this."""

    code = "forbidden"


class NotFound(SunwiError):
    """There is no such thing, or the caller may not know of it."""

    code = "not_found"


class Conflict(SunwiError):
    """It clashes with what is stored already."""

    code = "conflict"


class Unavailable(SunwiError):
    """What decides is away for the moment; the same request may go through later."""

    code = "unavailable"
    retry_after: ClassVar[int] = 1


class RateLimited(SunwiError):
    """The caller asks too often; ``retry_after`` (whole seconds) says when the next request will be let in."""

    code = "rate_limited"

    def __init__(self, detail: str, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after
