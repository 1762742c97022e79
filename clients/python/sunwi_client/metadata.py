"""Metadata of a score: what the server accepts of it, checked before it is sent."""

import json
from collections.abc import Mapping

MOST_BYTES = 2048
MOST_LEVELS = 16


def check_metadata(metadata: object) -> None:
    """Raise ``ValueError`` unless it is a JSON object of up to 2,048 bytes of compact UTF-8, nested up to 16 levels."""
    if not isinstance(metadata, Mapping):
        raise ValueError(f'`metadata` is a JSON object, such as {{"map": "canyon"}}, not {metadata!r}.')  # noqa: TRY004 - as for every other bad value
    _check(dict(metadata), MOST_LEVELS)
    try:
        text = json.dumps(dict(metadata), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise ValueError(f"`metadata` is no JSON: {error}.") from None
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise ValueError("`metadata` contains half of a character (a lone surrogate).") from None
    if size > MOST_BYTES:
        raise ValueError(f"`metadata` has {size:,} bytes as compact JSON; {MOST_BYTES:,} are allowed.")


def _check(value: object, levels: int) -> None:
    """Refuse what is nested too deep (or holds itself), and names that are no text."""
    if levels == 0 and isinstance(value, dict | list | tuple):
        raise ValueError(f"`metadata` is nested more than {MOST_LEVELS} levels deep.")
    if isinstance(value, dict):
        for name, each in value.items():
            if not isinstance(name, str):
                raise ValueError(f"`metadata` has the name {name!r}: names are texts.")  # noqa: TRY004 - as for every other bad value
            _check(each, levels - 1)
    elif isinstance(value, list | tuple):
        for each in value:
            _check(each, levels - 1)
