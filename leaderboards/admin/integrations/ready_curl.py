"""A request with a service key that can be pasted into a terminal: what a game server's programmer tries first."""

import json
import shlex
from decimal import Decimal
from typing import Any

from foundation.models import ServiceKey
from foundation.sunwi_settings import sunwi_settings
from leaderboards.models import Board

WRITES = "scores:write"
IN_THE_PLACE_OF_THE_KEY = "$SUNWI_KEY"


def curl_of(key: ServiceKey, text: str = "") -> str:
    """The command; it writes nothing, since it asks for a dry run. Without the key's ``text``, which is shown once, a
    variable of the shell stands in its place. Empty for a key that demands signatures, which curl does not make."""
    if key.is_signed:
        return ""
    site = str(sunwi_settings.SITE_URL).rstrip("/")
    header = f'"Authorization: Bearer {text or IN_THE_PLACE_OF_THE_KEY}"'
    if WRITES not in key.scopes:
        return f"curl {shlex.quote(f'{site}/api/v1/boards')} \\\n  -H {header}"
    body = json.dumps({"entries": [_entry(_first_board(key))]}, ensure_ascii=False)
    return (
        f"curl {shlex.quote(f'{site}/api/v1/scores?dry_run=true')} \\\n  -H {header} \\\n"
        f"  -H 'Content-Type: application/json' \\\n  -d {shlex.quote(body)}"
    )


def example_points(board: Board) -> Decimal:
    """Points that the board takes: 1, or what it takes that is next to 1."""
    return min(max(Decimal(1), board.minimum), board.maximum)


def _first_board(key: ServiceKey) -> Board | None:
    """One that the key reaches and that takes scores of its own, if there is any."""
    boards = Board.objects.filter(retired_at=None).order_by("seq")
    if key.boards is not None:
        boards = boards.filter(pk__in=key.boards)
    return boards.first()


def _entry(board: Board | None) -> dict[str, Any]:
    if board is None:
        return {"board": 1, "player": "test-player", "points": 1}
    target = {"competition": 1} if board.is_event else {"board": board.seq}
    fields = board.rules.fields
    worth = {"fields": {each.name: 1 for each in fields if not each.is_time}} if fields else {"points": _number(board)}
    return {**target, "player": "test-player", **worth}


def _number(board: Board) -> int | float:
    points = example_points(board)
    return int(points) if points == points.to_integral_value() else float(points)
