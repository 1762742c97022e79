"""What tests of senders share: scores, and what a board shows of them."""

from typing import Any

from sunwi_client import Score

NEVER = 3600.0
NOBODY = "http://127.0.0.1:9"


def one(board: int, nth: int = 1) -> Score:
    return Score(board=board, player=f"p{nth}", points=1)


def counts(client: Any, board: int) -> dict[str, Any]:
    return {row["player"]: row["points"] for row in client.top(board, limit=100)["rows"]}
