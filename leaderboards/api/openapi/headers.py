"""The headers of requests and responses in the OpenAPI document, each once, among its components."""

from typing import Any

HEADERS = "#/components/headers/"


def _header(description: str, **schema: Any) -> dict[str, Any]:
    return {"description": description, "schema": {"type": "string", **schema}}


COMPONENTS: dict[str, dict[str, Any]] = {
    "X-Request-ID": _header("Under which the log has the request: the one that was sent, or a new one.", maxLength=128),
    "ETag": _header("Names the content; `If-None-Match` with it is answered 304 while that is the same. Weak."),
    "Retry-After": _header("In whole seconds.", type="integer", minimum=1),
    "Allow": _header("The methods that the address has, separated by commas."),
    "As-Of": _header("When it was so.", format="date-time"),
    "Live": _header("`false` where Redis is away and the newest scores may be missing.", enum=["true", "false"]),
    "Counting": _header(
        "`true` while results have come in that the totals do not have yet: ask again in seconds.",
        enum=["true", "false"],
    ),
    "Content-Hash": _header(
        "SHA-256 of a final result, in hexadecimal digits; absent before it is final.", pattern="^[0-9a-f]{64}$"
    ),
    "Link": _header("The latest revision (`latest-version`) and the list of them (`version-history`), by RFC 5829."),
}
IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "The ETag of an earlier answer: 304 without a body while the content is the same.",
    "schema": {"type": "string"},
}


def headers(*names: str) -> dict[str, Any]:
    """The headers of a response, as references."""
    return {name: {"$ref": HEADERS + name} for name in names}


def add_headers(responses: dict[Any, dict[str, Any]], reads: bool, more: tuple[str, ...] = ()) -> None:
    """Add the headers that each response has, in place; ``more`` are those of this operation's content."""
    for status, response in responses.items():
        names = ["X-Request-ID"]
        if int(status) in (200, 304):
            names += [*(["ETag"] if reads else []), *more]
        if int(status) in (429, 503):
            names.append("Retry-After")
        if int(status) == 405:
            names.append("Allow")
        response["headers"] = headers(*names) | response.get("headers", {})
