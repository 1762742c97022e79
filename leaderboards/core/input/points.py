"""Convert points between exact decimals and the whole numbers that are used internally.

Scaled means times 10^decimals: 12.5 with two decimals is 1250. The trap is size: 1e999999999 is a short text and a
number that fits no memory, so a number becomes an int only after its size is checked.
"""

import re
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal

from foundation.messages import Message
from leaderboards.errors import BadPoints, OutOfRange

_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
_TOO_LARGE = 10**19
_NUMBER = re.compile(r"([+-]?[0-9]+(?:\.[0-9]+)?)(?:[eE]([+-]?)([0-9]+))?")


def read_points(raw: object) -> Decimal | int:
    """Parse a JSON number or a decimal string in ASCII digits exactly. Raises ``BadPoints``."""
    if type(raw) is int:  # and no bool
        return raw
    if isinstance(raw, Decimal) and raw.is_finite():
        return raw
    if isinstance(raw, str):
        number = decimal_of(raw)
        if number is not None:
            return number
        raise BadPoints(
            Message(
                "`points` %(points)s is no decimal number in ASCII digits, such as 150 or 12.50.", points=repr(raw[:40])
            )
        )
    raise BadPoints(Message('`points` must be a number or a decimal string, such as 150 or "12.50".'))


def decimal_of(text: str) -> Decimal | None:
    """Parse a decimal number; None if it is none. Exponents above 10^9 are cut, since such numbers are refused."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    mantissa, sign, exponent = match.groups(default="")
    if len(exponent) > 9:
        exponent = exponent.lstrip("0") or "0"
        exponent = exponent if len(exponent) <= 9 else "999999999"
    return Decimal(f"{mantissa}e{sign}{exponent or 0}")


def scaled(points: Decimal | int, decimals: int) -> int:
    """Return ``points`` times 10^decimals. Raises ``BadPoints`` if that is no whole number, ``OutOfRange`` if huge."""
    if not -_TOO_LARGE < points < _TOO_LARGE:
        raise OutOfRange(Message("The number is far outside what any board allows."))
    if isinstance(points, int):
        return points * int(10**decimals)
    shifted = points.scaleb(decimals, _EXACT)
    if shifted != shifted.to_integral_value(context=_EXACT):
        places = f"at most {decimals} decimals" if decimals else "no decimals"
        raise BadPoints(
            Message(
                "`points` has %(places)s here: send an exact multiple of %(step)s.",
                places=places,
                step=points_text(1, decimals),
            )
        )
    return int(shifted)


def points_text(value: int, decimals: int) -> str:
    """Format scaled points exactly, without trailing zeros."""
    whole, fraction = divmod(abs(value), 10**decimals)
    tail = f".{fraction:0{decimals}d}".rstrip("0") if fraction else ""
    return f"{'-' if value < 0 else ''}{whole}{tail}"


def points_number(value: int, decimals: int) -> int | Decimal:
    """Return scaled points as a number for JSON: an int if it is whole."""
    if not decimals:
        return value
    text = points_text(value, decimals)
    return Decimal(text) if "." in text else int(text)
