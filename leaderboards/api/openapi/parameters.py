"""What parameters may be, in the OpenAPI document: the bounds that the code enforces in its own words.

The code that reads them refuses with better sentences than a schema could, so the views' arguments have no such bounds;
here they stand for generated clients, from the constants of that code. What no schema can say (a player's id in NFC, a
cursor of this list) is said in words.
"""

from collections.abc import Mapping
from typing import Any

from leaderboards.api.http.parameters import MOST_DIGITS, MOST_NAMED
from leaderboards.core.input.cursors import MOST_CHARACTERS
from leaderboards.core.input.entries import MAX_PLAYER_LENGTH
from leaderboards.models import Board, Period

GREATEST_NUMBER = 10**MOST_DIGITS - 1
# Without look-ahead, and with capitals in the numbers of characters: regular expressions of Go know neither.
_UNSHOWN = r"\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069"
_NEVER = rf"{_UNSHOWN},/"
SHOWN = rf"^[^{_UNSHOWN}]*$"  # a text of one line, which may be empty
SEEN = rf"^[^{_UNSHOWN}]*[^\s{_UNSHOWN}][^{_UNSHOWN}]*$"  # one with more than blanks
PLAYER_ID: dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_PLAYER_LENGTH,
    "pattern": rf"^[^\s{_NEVER}]([^{_NEVER}]*[^\s{_NEVER}])?$",
    "not": {"enum": [".", ".."]},
}
NUMBER = {"minimum": 1, "maximum": GREATEST_NUMBER}  # of a board, a competition, a team…
_BOUNDS: dict[str, Mapping[str, Any]] = {
    "player": PLAYER_ID,
    "ids": {"maxItems": MOST_NAMED, "items": PLAYER_ID},
    "period": {"minLength": 1, "maxLength": Period._meta.get_field("label").max_length},
    "name": {"maxLength": Board._meta.get_field("name").max_length},
    "cursor": {"minLength": 1, "maxLength": MOST_CHARACTERS, "pattern": "^[A-Za-z0-9_-]+$"},
}


def bound(parameter: dict[str, Any], own: Mapping[str, Mapping[str, Any]]) -> None:
    """Add the bounds to a parameter in place; ``own`` are those of the operation, by the parameters' names."""
    name = parameter["name"]
    schema = parameter["schema"] = _without_null(parameter["schema"])
    if schema.get("type") == "integer" and "maximum" not in schema:
        schema |= NUMBER
    schema |= own.get(name, _BOUNDS.get(name, {}))


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """An address cannot say null: who wants none leaves the parameter out."""
    kinds = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    if len(kinds) != 1:
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf" and (key, value) != ("default", None)}
    return {**kinds[0], **rest}
