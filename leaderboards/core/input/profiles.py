"""Check the profile that a game sends of a player: name, address of a picture, country."""

import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from leaderboards.core.input.names import has_bidi_control, is_printable

LONGEST_NAME, LONGEST_URL = 100, 200
_COUNTRY = re.compile(r"[A-Z]{2}")


def profile_errors(profile: Mapping[str, object]) -> dict[str, str]:
    """Return error messages by field; empty if all fields are valid. The fields are those of ``CHECKS``."""
    return {field: message for field, text in profile.items() if (message := CHECKS[field](text))}


def _name_error(text: object) -> str | None:
    if not isinstance(text, str) or len(text) > LONGEST_NAME:
        return f"`name` must be a text of up to {LONGEST_NAME} characters."
    if has_bidi_control(text):
        return "`name` contains a character that turns the direction of the text around it."
    return "`name` contains a character that cannot be shown." if not is_printable(text) else None


def _url_error(text: object) -> str | None:
    if not isinstance(text, str) or len(text) > LONGEST_URL or not (text == "" or _is_web_address(text)):
        return f"`avatar_url` must be an http or https address of up to {LONGEST_URL} characters, or empty."
    return None


def _country_error(text: object) -> str | None:
    if not isinstance(text, str) or not (text == "" or _COUNTRY.fullmatch(text)):
        return "`country` must be two capital letters (ISO 3166), or empty."
    return None


CHECKS: dict[str, Callable[[object], str | None]] = {
    "name": _name_error,
    "avatar_url": _url_error,
    "country": _country_error,
}


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https")
        and bool(parts.hostname)
        and text.isascii()
        and text.isprintable()
        and " " not in text
    )
