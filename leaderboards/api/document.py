"""The OpenAPI document: what django-ninja reads off the code, with refusals, examples and code samples added.

Examples carry boards that really exist here, as far as there are any; without a database they carry the
numbers of a fresh demo.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.db import Error as SqlError
from ninja import NinjaAPI

from foundation import clock
from leaderboards import selectors
from leaderboards.api.samples import Call, as_markdown, code_samples
from leaderboards.api.schemas import Problem
from leaderboards.core.periods import window_at
from leaderboards.models import Board

BASE_PATH = "/api/v1"
PROBLEM = "#/components/schemas/Problem"

REFUSALS = {
    400: "The body is not JSON.",
    401: "No key where one is needed, or a wrong, revoked or expired one.",
    403: "The key lacks the scope, or does not reach the board.",
    404: "There is no such board, period or player.",
    405: "The address does not have this method.",
    409: "The period takes no more changes.",
    411: "The body came without a Content-Length.",
    413: "The body is over 1 MiB.",
    422: "A parameter, the body or a player's id is of the wrong shape; `errors` says where.",
    500: "A fault on this side. It is in the log.",
    503: "What answers or decides this is away; `Retry-After` says when to try again.",
}
_EVERYWHERE = (405, 500, 503)
_READING = (401, 403, 404, 422)
_BODY = (400, 411, 413, 422)
_REFUSED: dict[str, tuple[int, ...]] = {
    "submit_scores": (*_BODY, 401, 403),
    "list_boards": (401,),
    "delete_player": (*_READING, 409),
    "put_player": (*_BODY, 401, 403, 404),
    "make_link_code": (401, 403, 404, 422),
}
_TAGGED = (
    *("list_boards", "read_board", "read_standings", "export_standings", "read_player_row", "read_around"),
    *("read_named_players", "read_distribution"),
)
_SERVICE_KEY = {
    "type": "http",
    "scheme": "bearer",
    "description": "A service key, as an admin made it: `Authorization: Bearer sunwi_…`. Public boards need none.",
}


class Api(NinjaAPI):
    """The API, with its document made whole."""

    def get_openapi_operation_id(self, operation: Any) -> str:
        """The view's name, which says what it does."""
        return str(operation.view_func.__name__)

    def get_openapi_schema(self, **kwargs: Any) -> Any:
        """The document as django-ninja makes it, completed."""
        document = super().get_openapi_schema(**kwargs)
        schemas = document["components"]["schemas"]
        schemas["Problem"] = Problem.json_schema()
        document["components"]["securitySchemes"] = {"ServiceKey": _SERVICE_KEY}
        real = _real_boards()
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                _complete(operation, method, path, real)
        return document


@dataclass(frozen=True, slots=True)
class _Real:
    """A board of points and one of criteria, with the running period's label."""

    points: int
    raid: int
    fields: dict[str, int]
    label: str


def _real_boards() -> _Real:
    try:
        boards = [board for board in selectors.boards_listed() if not board.is_event and not board.retired_at]
    except SqlError:
        boards = []
    points = next((board for board in boards if not board.criteria), None)
    raid = next((board for board in boards if board.criteria), None)
    return _Real(
        points=points.seq if points else 1,
        raid=raid.seq if raid else 3,
        fields=_fields(raid) if raid else {"stage": 23346, "members": 230},
        label=window_at(points.calendar, clock.now()).label if points else "2026-47",
    )


def _fields(board: Board) -> dict[str, int]:
    """A value that the board takes: half of each criterion's greatest."""
    return {field.name: field.maximum // 2 for field in board.rules.fields}


def _complete(operation: dict[str, Any], method: str, path: str, real: _Real) -> None:
    name = operation["operationId"]
    responses = operation["responses"]
    for status in sorted({*_REFUSED.get(name, _READING), *_EVERYWHERE}):
        responses[status] = {
            "description": REFUSALS[status],
            "content": {"application/problem+json": {"schema": {"$ref": PROBLEM}}},
        }
    operation["security"] = [{}, {"ServiceKey": []}] if name in _TAGGED else [{"ServiceKey": []}]
    if name in _TAGGED:
        responses[304] = {"description": "`If-None-Match` named the answer's ETag."}
    if name == "export_standings":
        responses[200] = _csv()
    body, example = _bodies(real).get(name), _answers(real).get(name)
    if body is not None:
        operation["requestBody"] = body
    if example is not None:
        responses[200]["content"]["application/json"]["example"] = example
    for parameter in operation["parameters"]:
        if parameter["name"] == "seq":
            parameter["example"] = real.points
    samples = code_samples(_call(name, method, path, real, body))
    operation["x-codeSamples"] = samples
    operation["description"] = f"{operation.get('description', '')}\n\n{as_markdown(samples)}"


def _csv() -> dict[str, Any]:
    return {
        "description": "A line for each player, best first: rank, player, name, points or a column for each "
        "criterion, achieved_at, tied.",
        "headers": {
            "As-Of": {"description": "When it was so.", "schema": {"type": "string", "format": "date-time"}},
            "Live": {
                "description": "`false` where Redis is away and the newest scores may be missing.",
                "schema": {"type": "string", "enum": ["true", "false"]},
            },
        },
        "content": {"text/csv": {"schema": {"type": "string"}}},
    }


def _call(name: str, method: str, path: str, real: _Real, body: dict[str, Any] | None) -> Call:
    filled = path.replace("{seq}", str(real.points)).replace("{player}", quote("alice"))
    query = {
        "read_standings": "?offset=0&limit=10",
        "read_named_players": "?ids=alice,bob",
        "read_around": "?radius=4",
        "export_standings": f"?period={real.label}",
        "submit_scores": "?ranks=true",
    }.get(name, "")
    example = body["content"]["application/json"]["example"] if body else None
    return Call(method.upper(), filled + query, example)


def _bodies(real: _Real) -> dict[str, dict[str, Any]]:
    return {
        "submit_scores": _body(_entries_schema(), _entries(real)),
        "put_player": _body(_profile_schema(), {"name": "Alice", "country": "KR"}),
    }


def _body(schema: dict[str, Any], example: Any) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}


def _entries(real: _Real) -> dict[str, Any]:
    return {
        "entries": [
            {"board": real.points, "player": "alice", "points": 150, "id": "match-771:alice"},
            {"board": real.points, "player": "bob", "points": "12", "id": "match-771:bob"},
            {"board": real.raid, "player": "dave", "fields": real.fields},
        ]
    }


def _entries_schema() -> dict[str, Any]:
    entry = {
        "type": "object",
        "additionalProperties": False,
        "required": ["player"],
        "properties": {
            "board": {"type": "integer", "minimum": 1, "description": "The board's number; or `competition`."},
            "competition": {"type": "integer", "minimum": 1, "description": "The competition's number."},
            "player": {
                "type": "string",
                "minLength": 1,
                "maxLength": 64,
                "description": "The game's own id: any script, NFC, no control character, `/` or `,`.",
            },
            "points": {
                "type": ["number", "string"],
                "description": "A number or a decimal string, an exact multiple of 10^-decimals; or `fields`.",
            },
            "fields": {"type": "object", "additionalProperties": {"type": "integer"}, "description": "By criterion."},
            "at": {"type": "string", "format": "date-time", "description": "When it happened; default: on arrival."},
            "id": {
                "type": "string",
                "minLength": 1,
                "maxLength": 128,
                "description": "The caller's own id of the entry: sent again it changes nothing.",
            },
        },
    }
    entries = {"type": "array", "minItems": 1, "maxItems": 1000, "items": entry}
    return {
        "type": "object", "additionalProperties": False, "required": ["entries"], "properties": {"entries": entries},
    }  # fmt: skip


def _profile_schema() -> dict[str, Any]:
    texts = {
        "name": {"type": "string", "maxLength": 100},
        "avatar_url": {"type": "string", "maxLength": 200, "description": "http or https; empty for none."},
        "country": {"type": "string", "pattern": "^([A-Z]{2})?$", "description": "ISO 3166; empty for none."},
    }
    return {"type": "object", "additionalProperties": False, "properties": texts}


def _answers(real: _Real) -> dict[str, Any]:
    row = {"rank": 3, "player": "alice", "name": "Alice", "points": 150, "tied": 1}
    entry = {"status": "updated", "player": "alice", "board": real.points, "period": real.label, "points": 150}
    return {
        "submit_scores": {
            "accepted": 1,
            "rejected": 1,
            "results": [
                {**entry, "rank": 3, "previous_rank": 9},
                {"status": "rejected", "player": "dave", "board": real.raid, "code": "period_closed", "detail": "…"},
            ],
        },
        "read_named_players": {"board": real.points, "period": _period(real), **_MOMENT, "total": 57, "rows": [row]},
        "read_around": {"board": real.points, "period": _period(real), **_MOMENT, "total": 57, "rows": [row]},
        "read_standings": {"board": real.points, "period": _period(real), **_MOMENT, "total": 57, "rows": [row]},
    }


_MOMENT = {"as_of": "2026-11-20T09:00:00Z", "live": True}


def _period(real: _Real) -> dict[str, Any]:
    return {
        "label": real.label, "starts_at": "2026-11-16T00:00:00Z", "ends_at": "2026-11-23T00:00:00Z", "state": "open",
    }  # fmt: skip
