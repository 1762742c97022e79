"""Request bodies: size limit, content type, and JSON with exact numbers."""

from typing import cast

from django.conf import settings
from django.http import HttpRequest

from foundation.http.problems import BadRequest, LengthMissing, Malformed, NotJson, TooLarge
from leaderboards.core.input.entries import quote_untrusted
from leaderboards.core.input.json_body import DuplicateKeys, read_json

MAX_BYTES = 1024 * 1024
MAX_DRAINED = 8 * MAX_BYTES
JSON = "application/json"


def body_of(request: HttpRequest) -> object:
    """The body, parsed. Raises ``TooLarge``, ``LengthMissing``, ``NotJson`` or ``Malformed``."""
    content = bytes_of(request)
    if content:
        _refuse_other_type(request.META.get("CONTENT_TYPE") or "")
    try:
        return read_json(content)
    except ValueError as error:
        raise Malformed(str(error)) from error


def bytes_of(request: HttpRequest) -> bytes:
    """The body as it was sent. Raises ``TooLarge`` or ``LengthMissing`` before it is stored."""
    length = request.META.get("CONTENT_LENGTH") or ""
    if not length and "HTTP_TRANSFER_ENCODING" in request.META:
        raise LengthMissing("Send the body with a Content-Length, not in chunks.")
    most = max_bytes()
    if length.isdigit() and int(length) > most:
        _drain(request)
        raise TooLarge(f"The body has {int(length):,} bytes; at most {most:,} are taken. Send it in parts.")
    return request.body


def max_bytes() -> int:
    """The bytes that a body may have: ``MAX_BYTES``, or fewer where the project's setting for all bodies is lower."""
    of_project = cast("int | None", settings.DATA_UPLOAD_MAX_MEMORY_SIZE)  # None, for no bound, is not in its type
    return MAX_BYTES if of_project is None else min(MAX_BYTES, of_project)


def _refuse_other_type(declared: str) -> None:
    """Raise ``NotJson`` for another content type. It also stops forms of other sites, which are never JSON."""
    if declared.partition(";")[0].strip().lower() != JSON:
        said = f"this one is declared as {quote_untrusted(declared)}" if declared else "this one declares none"
        raise NotJson(f"Send the body with `Content-Type: {JSON}`; {said}.")


def _drain(request: HttpRequest) -> None:
    """Read and drop the excess, up to a bound: a client that is still sending would not receive the refusal."""
    left = MAX_DRAINED
    while left > 0 and (part := request.read(65_536)):
        left -= len(part)


def object_of(request: HttpRequest, fields: tuple[str, ...]) -> dict[str, object]:
    """The body, which must be an object with no other fields than ``fields``. Raises ``BadRequest`` too."""
    body = body_of(request)
    if not isinstance(body, dict):
        raise BadRequest(f"The body must be an object with {_listed(fields)}.")
    if isinstance(body, DuplicateKeys):
        raise BadRequest("A name stands twice in the body: send each field once.")
    unknown = [name for name in body if name not in fields]
    if unknown:
        detail = f"There is no field {str(unknown[0])[:40]!r} here; there is {_listed(fields)}."
        raise BadRequest(detail, [{"pointer": "#", "detail": detail}])
    return body


def _listed(fields: tuple[str, ...]) -> str:
    return ", ".join(f"`{field}`" for field in fields)
