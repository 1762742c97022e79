"""A player's generated face, and the flag of their country."""

import json
from functools import cache, lru_cache
from html import escape

from django.templatetags.static import static
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from foundation import file_locations
from leaderboards.core.faces import drawn, face_of

_NO_COUNTRIES = {"EU", "UN", "XX"}  # flags of no country


@lru_cache(maxsize=16_384)
def face_html(player: str, size: str = "") -> SafeString:
    """Render the face of a player id; ``size`` is a class of face.css: ``l``, ``xl``, or empty in rows."""
    text = drawn(face_of(player))
    return mark_safe(text.replace('class="face', f'class="face is-{size}', 1) if size else text)  # noqa: S308 (of our own parts)


def flag_html(country: str) -> SafeString:
    """Render the flag of a country (ISO 3166, two capital letters); empty if the code is unknown."""
    return _flag(country, get_language() or "en") if country else SafeString()


def country_name(country: str, language: str) -> str:
    """Return the name of a country; empty if the code is unknown."""
    names = _countries().get(country, {})
    return names.get(language) or names.get("en", "")


def countries(language: str) -> list[tuple[str, str]]:
    """Return the countries as code and name, in the order of their names."""
    named = [(code, country_name(code, language)) for code in _countries() if code not in _NO_COUNTRIES]
    return sorted(named, key=lambda each: each[1])


@lru_cache(maxsize=1024)
def _flag(country: str, language: str) -> SafeString:
    name = escape(country_name(country, language))
    if not name:
        return SafeString()
    source = escape(static(f"flags/{country.lower()}.webp"))
    text = f'<img class="flag" src="{source}" alt="{name}" title="{name}" width="20" height="15" loading="lazy">'
    return mark_safe(text)  # noqa: S308 (escaped)


@cache
def _countries() -> dict[str, dict[str, str]]:
    countries: dict[str, dict[str, str]] = json.loads(
        (file_locations.folder("static") / "flags" / "countries.json").read_text("utf-8")
    )
    return countries
