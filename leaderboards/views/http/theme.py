"""The theme of pages that a viewer chose: light or dark, in a cookie; without it pages follow the device.

The trap: pages that are cached for everybody have no theme, so who has the cookie gets pages of their own.
"""

from collections.abc import Mapping

_HTML = b"<html "
THEME_COOKIE = "theme"
THEMES = ("light", "dark")


def chosen_theme(cookies: Mapping[str, str]) -> str:
    """Return the chosen theme; empty if none, or one that does not exist, is named."""
    theme = cookies.get(THEME_COOKIE, "")
    return theme if theme in THEMES else ""


def with_theme(cookies: Mapping[str, str], page: bytes) -> bytes:
    """Return a page that was rendered for everybody with the viewer's theme in it."""
    theme = chosen_theme(cookies)
    return page.replace(_HTML, f'<html class="is-{theme}" '.encode(), 1) if theme else page
