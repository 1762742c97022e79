"""Parameters of paths and queries: numbers in ASCII digits, periods, and lists of players."""

import re
from collections.abc import Sequence
from typing import Annotated, Any

from ninja.params.functions import Path, Query
from pydantic import BeforeValidator, Field

from foundation.http.problems import BadRequest
from leaderboards.core.input.entries import read_player
from leaderboards.errors import BadPlayer

MOST_NAMED = 100
MOST_ROWS = 100
MOST_ROWS_WITH_KEY = 1000
MOST_AROUND = 50
FARTHEST = 2**53
MOST_DIGITS = 17  # SQL's own numbers may be longer
_DIGITS = re.compile(r"(-?)([0-9]+)")


def _digits(raw: Any) -> Any:
    """The number. Raises ``ValueError`` for other text, or for too many digits."""
    if not isinstance(raw, str):
        return raw
    sign, digits = _read_digits(raw)
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"Input should have at most {MOST_DIGITS} digits")
    return int(f"{sign}{digits}")


def _bounded(raw: Any) -> Any:
    """The number; one with too many digits becomes a number beyond every bound, so the error names the bound."""
    if not isinstance(raw, str):
        return raw
    sign, digits = _read_digits(raw)
    return int(f"{sign}{digits}") if len(digits) <= MOST_DIGITS else int(f"{sign}1{'0' * MOST_DIGITS}")


def _read_digits(raw: str) -> tuple[str, str]:
    """The sign, and the digits without leading zeros."""
    match = _DIGITS.fullmatch(raw)
    if match is None:
        raise ValueError("Input should be a whole number in ASCII digits")
    return match[1], match[2].lstrip("0") or "0"


WholeNumber = Annotated[int, BeforeValidator(_digits)]
PositiveNumber = Annotated[int, Field(ge=1), BeforeValidator(_digits)]
Bounded = Annotated[int, BeforeValidator(_bounded)]  # for parameters with bounds

# Defaults of the views' arguments, one per parameter of the contract.
SEQ = Path(..., description="The board's number.", example=1)
PLAYER = Path(..., description="The game's own id of the player, percent-encoded.", example="alice")
PERIOD = Query("current", description="`current`, `previous` or a label such as `2026-47`.", example="current")
OFFSET = Query(0, ge=0, le=FARTHEST, description="How many of the best rows to pass over.")
_ROWS = f"How many rows to answer: up to {MOST_ROWS}, with a service key up to {MOST_ROWS_WITH_KEY:,}."
LIMIT = Query(10, ge=1, le=MOST_ROWS_WITH_KEY, description=_ROWS)
LISTED = Query(MOST_ROWS, ge=1, le=MOST_ROWS_WITH_KEY, description=_ROWS)
CURSOR = Query(None, description="`next_cursor` or `previous_cursor` of a page, in place of `offset` and `period`.")
RADIUS = Query(4, ge=1, le=MOST_AROUND, description="How many rows on each side of the player.")
IDS = Query(..., description=f"Players, separated by commas; repeatable; up to {MOST_NAMED}.", example=["alice", "bob"])
VIEWER = Query(None, description="Whose row and neighbours are told: the game's own id.", example="alice")
ALSO = Query(
    [], description=f"Others to tell of, separated by commas; repeatable; up to {MOST_NAMED}.", example=["bob"]
)
NAME = Query(None, description="Only the board of this name.", example="Weekly wins")
DRY_RUN = Query(False, description="Judge the entries and apply nothing.")
EXACT = Query(False, description="Count now, also where a histogram of many players would answer at once.")
RAW = Query(False, description="Texts as they are, also those that a spreadsheet would run as formulas.")
METADATA = Query(False, description="With the `metadata` of each row that has any.")
METADATA_COLUMN = Query(False, description="With a column `metadata` behind the others: JSON, empty for none.")
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
