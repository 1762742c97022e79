"""Parse JSON bodies with exact numbers: no floats between a game server and a board.

Whole numbers become ``int``, all others ``Decimal``. The traps: Python's own parser accepts NaN, rounds decimals,
takes the last of duplicate keys, and fails on deep nesting.
"""

import json
from decimal import Decimal
from typing import Any, NoReturn

from leaderboards.core.input.points import decimal_of


def read_json(body: bytes) -> object:
    """Parse a body. Raises ``ValueError`` with a sentence for the caller."""
    try:
        return json.loads(
            body.decode("utf-8"),
            parse_int=_parse_int,
            parse_float=_parse_decimal,
            parse_constant=_refuse_constant,
            object_pairs_hook=_parse_object,
        )
    except UnicodeDecodeError:
        raise ValueError("The body is not UTF-8.") from None
    except RecursionError:
        raise ValueError("The body is nested too deeply.") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}.") from None


def _parse_int(text: str) -> int | Decimal:
    # Python is slow at, and refuses, integers of thousands of digits; a Decimal is not.
    return int(text) if len(text) <= 20 else Decimal(text)


def _parse_decimal(text: str) -> Decimal:
    number = decimal_of(text)
    if number is None:
        raise ValueError("The body is not JSON: a number is malformed.")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"The body is not JSON: {name} is no JSON number.")


class DuplicateKeys(dict[str, Any]):
    """An object with duplicate keys. Callers must refuse it."""


def _parse_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    return members if len(members) == len(pairs) else DuplicateKeys(members)
