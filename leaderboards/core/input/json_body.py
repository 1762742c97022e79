"""JSON bodies with exact numbers: no float is ever made on the way from a game server to a board.

Whole numbers become ``int``, all others ``Decimal``. The traps: Python's own reader takes NaN, rounds
decimals, keeps the last of two equal names, and dies of depth.
"""

import json
from decimal import Decimal
from typing import Any, NoReturn

from leaderboards.core.input.points import decimal_of


def read_json(body: bytes) -> object:
    """What the body holds. Raises ``ValueError`` with a sentence for the caller."""
    try:
        return json.loads(
            body.decode("utf-8"),
            parse_int=_whole,
            parse_float=_exact,
            parse_constant=_refuse_constant,
            object_pairs_hook=_named_once,
        )
    except UnicodeDecodeError:
        raise ValueError("The body is not UTF-8.") from None
    except RecursionError:
        raise ValueError("The body is nested too deeply.") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}.") from None


def _whole(text: str) -> int | Decimal:
    # Python refuses, and takes long over, integers of thousands of digits; a Decimal holds them at once.
    return int(text) if len(text) <= 20 else Decimal(text)


def _exact(text: str) -> Decimal:
    number = decimal_of(text)
    if number is None:
        raise ValueError("The body is not JSON: a number is malformed.")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"The body is not JSON: {name} is no JSON number.")


class DuplicateKeys(dict[str, Any]):
    """An object in which a name stands twice. Anybody who reads it must refuse it: nobody knows which was meant."""


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    return read if len(read) == len(pairs) else DuplicateKeys(read)
