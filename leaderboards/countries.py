"""The names of countries, by their codes (ISO 3166, two capital letters)."""

import json
from functools import cache

from foundation import file_locations

_NO_COUNTRIES = {"EU", "UN", "XX"}  # flags of no country


def country_name(country: str, language: str) -> str:
    """Return the name of a country; empty if the code is unknown."""
    names = _countries().get(country, {})
    return names.get(language) or names.get("en", "")


def countries(language: str) -> list[tuple[str, str]]:
    """Return the countries as code and name, in the order of their names."""
    named = [(code, country_name(code, language)) for code in _countries() if code not in _NO_COUNTRIES]
    return sorted(named, key=lambda each: each[1])


@cache
def _countries() -> dict[str, dict[str, str]]:
    countries: dict[str, dict[str, str]] = json.loads(
        (file_locations.folder("static") / "flags" / "countries.json").read_text("utf-8")
    )
    return countries
