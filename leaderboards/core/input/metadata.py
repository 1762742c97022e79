"""Metadata of a submission: a small JSON object of the game, which decides nothing and is returned as it was sent.

It is kept as compact text with sorted names, so that equal metadata is equal text. Numbers stay exact: they are
written as they were read. The traps: a short number such as 1e999999 is no long text and must not become one; and SQL
cannot store a lone surrogate.
"""

import json
from decimal import Decimal

from foundation.messages import Message
from leaderboards.core.input.json_body import DuplicateKeys
from leaderboards.errors import BadEntry

MAX_BYTES = 2048
MAX_DEPTH = 16
MAX_EXPONENT = 999_999


def read_metadata(raw: object) -> str:
    """Return the object as text, in at most ``MAX_BYTES`` of UTF-8. Raises ``BadEntry``."""
    if not isinstance(raw, dict):
        raise BadEntry(Message('`metadata` must be an object, such as {"map": "canyon"}.'))
    text = _text_of(raw, MAX_DEPTH)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise BadEntry(Message("`metadata` contains half of a character (a lone surrogate).")) from None
    if size > MAX_BYTES:
        raise BadEntry(
            Message(
                "`metadata` has %(number)s bytes as compact JSON; %(most)s are allowed.",
                number=f"{size:,}",
                most=f"{MAX_BYTES:,}",
            )
        )
    return text


def _text_of(value: object, depth: int) -> str:
    """Return the text of a value in which objects and lists may nest ``depth`` levels deep."""
    if depth == 0 and isinstance(value, dict | list):
        raise BadEntry(Message("`metadata` is nested more than %(most)s levels deep.", most=MAX_DEPTH))
    if isinstance(value, DuplicateKeys):
        raise BadEntry(Message("A name stands twice in `metadata`: send each once."))
    if isinstance(value, dict):
        return f"{{{','.join(f'{_text_of(name, 0)}:{_text_of(value[name], depth - 1)}' for name in sorted(value))}}}"
    if isinstance(value, list):
        return f"[{','.join(_text_of(each, depth - 1) for each in value)}]"
    if isinstance(value, Decimal):
        return _number_text(value)
    return json.dumps(value, ensure_ascii=False)


def _number_text(value: Decimal) -> str:
    """The number as it was read. One beyond ``MAX_EXPONENT`` would be another than was sent: the reader cuts it."""
    if abs(value.adjusted()) > MAX_EXPONENT:
        raise BadEntry(Message("A number in `metadata` is beyond 1e%(most)s: send it as a text.", most=MAX_EXPONENT))
    return str(value)
