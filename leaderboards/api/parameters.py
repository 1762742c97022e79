"""What stands in addresses: numbers in ASCII digits, periods, and several players at once."""

import re
from collections.abc import Sequence
from typing import Annotated, Any

from ninja.params.functions import Path, Query
from pydantic import BeforeValidator

from foundation.problems import BadRequest
from leaderboards.core.entries import read_player
from leaderboards.errors import BadPlayer

MOST_NAMED = 100
MOST_ROWS = 100
MOST_AROUND = 50
FARTHEST = 2**53
_DIGITS = re.compile(r"-?[0-9]{1,17}")


def _digits(raw: Any) -> Any:
    if isinstance(raw, str) and not _DIGITS.fullmatch(raw):
        raise ValueError("a whole number in ASCII digits is needed")
    return raw


Whole = Annotated[int, BeforeValidator(_digits)]

# Defaults of views' arguments, one for each parameter of the contract.
SEQ = Path(..., description="The board's number.", example=1)
PLAYER = Path(..., description="The game's own id of the player, percent-encoded.", example="alice")
PERIOD = Query("current", description="`current`, `previous` or a label such as `2026-47`.", example="current")
OFFSET = Query(0, ge=0, le=FARTHEST, description="How many of the best rows to pass over.")
LIMIT = Query(10, ge=1, le=MOST_ROWS, description="How many rows to answer.")
LISTED = Query(MOST_ROWS, ge=1, le=MOST_ROWS, description="How many rows to answer.")
RADIUS = Query(4, ge=1, le=MOST_AROUND, description="How many rows on each side of the player.")
IDS = Query(..., description=f"Players, separated by commas; repeatable; up to {MOST_NAMED}.", example=["alice,bob"])
NAME = Query(None, description="Only the board of this name.", example="Weekly wins")
DRY_RUN = Query(False, description="Judge the entries and apply nothing.")
RANKS = Query(False, description="Tell each player's rank before and after the request.")


def players_named(ids: Sequence[str]) -> list[str]:
    """The players in ``ids``: comma separated, repeatable. Raises ``BadRequest``."""
    wanted = list(dict.fromkeys(name for part in ids for name in part.split(",")))
    if len(wanted) > MOST_NAMED:
        raise _bad_ids(f"{len(wanted)} players are named; up to {MOST_NAMED} are possible at once.")
    try:
        return [read_player(name) for name in wanted]
    except BadPlayer as error:
        raise _bad_ids(error.detail) from error


def _bad_ids(detail: str) -> BadRequest:
    return BadRequest(f"`ids`: {detail}", [{"parameter": "ids", "detail": detail}])
