"""Clients that are generated of the OpenAPI document have types that hold every number."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from leaderboards.api.openapi.number_formats import add_formats

INT32 = 2**31 - 1


def numbers(part: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each schema of a number, with its place."""
    if isinstance(part, list):
        for nth, each in enumerate(part):
            yield from numbers(each, f"{place}/{nth}")
    if isinstance(part, dict):
        types = part["type"] if isinstance(part.get("type"), list) else [part.get("type")]
        if {"integer", "number"}.intersection(each for each in types if isinstance(each, str)):
            yield place, part
        for name, each in part.items():
            if name not in ("example", "examples"):
                yield from numbers(each, f"{place}/{name}")


@pytest.mark.django_db
def test_every_number_of_the_document_has_a_wide_format_unless_it_is_small() -> None:
    document = Client().get("/api/openapi.json").json()

    found = dict(numbers(document))
    narrow = [
        place
        for place, schema in found.items()
        if schema.get("format") != ("double" if "number" in schema["type"] else "int64")
        and not ("integer" in schema["type"] and abs(schema.get("maximum", INT32 + 1)) <= INT32)
    ]

    assert narrow == []
    assert len(found) > 100
    result = document["components"]["schemas"]["Result"]["properties"]["points"]
    assert {each.get("format") for _, each in numbers(result)} == {"int64", "double"}


@pytest.mark.parametrize(
    ("schema", "formatted"),
    [
        ({"type": "integer"}, "int64"),
        ({"type": "integer", "maximum": INT32}, None),
        ({"type": "integer", "maximum": INT32 + 1}, "int64"),
        ({"type": "integer", "minimum": -INT32 - 2, "maximum": 1}, "int64"),
        ({"type": "integer", "format": "other"}, "other"),
        ({"type": ["integer", "null"]}, "int64"),
        ({"type": "number"}, "double"),
        ({"type": "string"}, None),
    ],
)
def test_a_number_gets_the_format_that_holds_its_bounds(schema: dict[str, Any], formatted: str | None) -> None:
    add_formats(schema)

    assert schema.get("format") == formatted
