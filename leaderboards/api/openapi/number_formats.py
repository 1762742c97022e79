"""Formats of the numbers in the OpenAPI document, so that generated clients have types that hold every value.

Without a format, generators for Go, C# and Java take 32 bits for integers, and Go takes 32 bits for other numbers too.
"""

from typing import Any

MOST_OF_32_BITS = 2**31 - 1
_NOT_SCHEMAS = ("example", "examples", "default", "enum", "const")


def add_formats(part: Any) -> None:
    """Add ``int64`` to each integer without bounds within 32 bits, and ``double`` to each other number, in place."""
    if isinstance(part, list):
        for each in part:
            add_formats(each)
    if not isinstance(part, dict):
        return
    types = _types_of(part)
    if "number" in types:
        part.setdefault("format", "double")
    elif "integer" in types and not _is_small(part):
        part.setdefault("format", "int64")
    for name, each in part.items():
        if name not in _NOT_SCHEMAS:
            add_formats(each)


def _types_of(part: dict[str, Any]) -> list[Any]:
    kind = part.get("type")
    return kind if isinstance(kind, list) else [kind] if isinstance(kind, str) else []


def _is_small(schema: dict[str, Any]) -> bool:
    """Whether its bounds are within 32 bits; a maximum alone says it of what counts or numbers things."""
    maximum, minimum = schema.get("maximum"), schema.get("minimum", 0)
    return maximum is not None and maximum <= MOST_OF_32_BITS and minimum >= -MOST_OF_32_BITS
