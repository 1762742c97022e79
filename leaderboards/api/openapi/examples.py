"""The descriptions of the operations on boards for the OpenAPI document: errors, example call, example response.

Examples name boards that exist on this site, if there are any; without a database they name those of a fresh demo.
"""

from dataclasses import dataclass
from typing import Any

from django.db import Error as SqlError

from foundation import clock
from leaderboards import selectors
from leaderboards.api.openapi.document import BODY, READING, OperationDoc, body
from leaderboards.api.openapi.parameters import PLAYER_ID, SHOWN
from leaderboards.api.openapi.schemas import ProblemOfScores
from leaderboards.api.openapi.shared import MARK
from leaderboards.api.routes.scores import MAX_ENTRIES
from leaderboards.core.input.entries import MAX_ID_LENGTH
from leaderboards.core.input.profiles import LONGEST_NAME, LONGEST_URL
from leaderboards.core.periods import latest_window
from leaderboards.models import Board

MOMENT = {"as_of": "2026-11-20T09:00:00Z", "live": True}
ROW = {"rank": 3, "player": "alice", "name": "Alice", "points": 150, "tied": 1}
AROUND_CURSORS = {"around_previous_cursor": None, "around_next_cursor": None}
# Of the board 1 in 2026-47, before and behind a row of 150 points.
CURSORS = {"previous_cursor": None, "next_cursor": "WzEsImIxIiwiMjAyNi00NyIsMSwiYWxpY2UiLG51bGwsMTUwXQ"}
CSV: dict[str, Any] = {
    "description": "A line for each player, best first: rank, player, name, points or a column for each "
    "criterion, achieved_at, tied.",
    "content": {"text/csv": {"schema": {"type": "string"}}},
}


def board_operation_docs() -> dict[str, OperationDoc]:
    """By the operations' names."""
    real = _real_boards()
    board = {"seq": real.points}
    alice = board | {"player": "alice"}
    page = {"board": real.points, "period": _period(real), **MOMENT, "total": 57, "rows": [ROW]}
    return {
        "submit_scores": OperationDoc(
            refusals=(*BODY, 401, 403),
            problems={503: ProblemOfScores},
            query="?ranks=true",
            body=body(_entries_schema(), _entries(real)),
            answer=_results(real),
        ),
        "list_boards": OperationDoc(refusals=(401,), query="?offset=0&limit=100"),
        "read_board": OperationDoc(path=board),
        "list_periods": OperationDoc(path=board, query="?limit=10", answer=_periods(real)),
        "read_standings": OperationDoc(path=board, query="?offset=0&limit=10", answer=page | CURSORS),
        "export_standings": OperationDoc(
            path=board, query=f"?period={real.label}", raw_response=CSV, headers=("As-Of", "Live", "Content-Hash")
        ),
        "read_named_players": OperationDoc(path=board, query="?ids=alice,bob", answer=page),
        "read_player_row": OperationDoc(path=alice),
        "read_percentile": OperationDoc(path=alice),
        "read_around": OperationDoc(path=alice, query="?radius=4", answer=page | CURSORS),
        "read_view": OperationDoc(path=board, query="?player=alice&radius=4&limit=10&ids=bob", answer=view_of(page)),
        "read_distribution": OperationDoc(path=board),
        "delete_player": OperationDoc(refusals=(*READING, 409), path=alice),
        "put_player": OperationDoc(
            refusals=(*BODY, 401, 403, 404),
            path=alice,
            body=body(_profile_schema(), {"name": "Alice", "country": "KR"}),
        ),
        "make_link_code": OperationDoc(path=alice),
    }


def view_of(page: dict[str, Any]) -> dict[str, Any]:
    """The example of several things for that of a page."""
    head = {name: value for name, value in page.items() if name != "rows"}
    bob = ROW | {"rank": 9, "player": "bob", "name": "Bob", "points": 12}
    me = ROW | {"percentile": 96.4}
    return {**head, "list": page["rows"], **CURSORS, "me": me, "around": [ROW], "named": [bob]} | AROUND_CURSORS


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
        label=latest_window(points.calendar, clock.now()).label if points else "2026-47",
    )


def _fields(board: Board) -> dict[str, int]:
    """A value that the board takes: half of each criterion's greatest."""
    return {field.name: field.maximum // 2 for field in board.rules.fields}


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
        "title": "Entry",
        "type": "object",
        "additionalProperties": False,
        "required": ["player"],
        "properties": {
            "board": {"type": "integer", "minimum": 1, "description": "The board's number; or `competition`."},
            "competition": {"type": "integer", "minimum": 1, "description": "The competition's number."},
            "player": {
                **PLAYER_ID,
                "description": "The game's own id: any script, NFC, no control character, `/` or `,`.",
            },
            "points": {
                "type": ["number", "string"],
                "description": "A number or a decimal string, an exact multiple of 10^-decimals; or `fields`.",
            },
            "fields": {
                "type": "object",
                "additionalProperties": {"type": "integer"},
                "description": "By criterion.",
                MARK: "FieldValues",
            },
            "at": {"type": "string", "format": "date-time", "description": "When it happened; default: on arrival."},
            "id": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_ID_LENGTH,
                "description": "The caller's own id of the entry: sent again it changes nothing.",
            },
            "operator": {
                "type": "string",
                "enum": ["set", "best", "increment", "decrement"],
                MARK: "OperatorOfEntry",
                "description": "What it does in place of the board's `update`, if the board's `operators` have it.",
            },
            "metadata": {
                "type": "object",
                "additionalProperties": True,
                MARK: "Metadata",
                "description": "The game's own data, up to 2,048 bytes as compact JSON; not on boards of Redis.",
            },
        },
    }
    entries = {"type": "array", "minItems": 1, "maxItems": MAX_ENTRIES, "items": entry}
    return {
        "title": "EntriesBody", "type": "object", "additionalProperties": False, "required": ["entries"],
        "properties": {"entries": entries},
    }  # fmt: skip  # as a table


def _profile_schema() -> dict[str, Any]:
    texts = {
        "name": {"type": "string", "maxLength": LONGEST_NAME, "pattern": SHOWN},
        "avatar_url": {
            "type": "string",
            "maxLength": LONGEST_URL,
            "pattern": "^(https?://[A-Za-z0-9._-]+(:[0-9]{1,5})?([/?#][!-~]*)?)?$",
            "description": "http or https; empty for none.",
        },
        "country": {"type": "string", "pattern": "^([A-Z]{2})?$", "description": "ISO 3166; empty for none."},
    }
    return {"title": "ProfileBody", "type": "object", "additionalProperties": False, "properties": texts}


def _results(real: _Real) -> dict[str, Any]:
    entry = {"status": "updated", "player": "alice", "board": real.points, "period": real.label, "points": 150}
    return {
        "accepted": 1,
        "rejected": 1,
        "results": [
            {**entry, "rank": 3, "previous_rank": 9},
            {"status": "rejected", "player": "dave", "board": real.raid, "code": "period_closed", "detail": "…"},
        ],
    }


def _periods(real: _Real) -> dict[str, Any]:
    week = {"starts_at": "2026-11-09T00:00:00Z", "ends_at": "2026-11-16T00:00:00Z", "state": "final"}
    won = [{"player": "alice", "name": "Alice", "points": 410}]
    return {
        "board": real.points,
        "total": 2,
        "as_of": MOMENT["as_of"],
        "rows": [
            {**_period(real), "players": 57, "winners": None},
            {"label": "2026-46", **week, "players": 61, "winners": won},
        ],
        "previous_cursor": None,
        "next_cursor": None,
    }


def _period(real: _Real) -> dict[str, Any]:
    return {
        "label": real.label, "starts_at": "2026-11-16T00:00:00Z", "ends_at": "2026-11-23T00:00:00Z", "state": "open",
    }  # fmt: skip  # as a table
