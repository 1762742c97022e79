"""A player's picture or generated face, and the flag of their country."""

import re
from functools import lru_cache
from html import escape

from django.templatetags.static import PrefixNode
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from foundation.sunwi_settings import sunwi_settings
from leaderboards.core.faces import drawn, face_of, parts_of
from leaderboards.countries import country_name
from leaderboards.models import Player
from leaderboards.selectors.player_data.names import picture_of

_PLAIN = re.compile(r"[\w/.:-]+").fullmatch  # HTML wants quotes around nothing of this
_PIXELS = {"l": 44, "xl": 112}


def face_html(player: str, size: str = "", picture: str | None = None) -> SafeString:
    """Render the face of a player id; ``size`` is a class of face.css: ``l``, ``xl``, or empty for the small one.

    ``picture`` is the digest of their picture, empty for none; by default the one that was read with the name.
    """
    digest = picture_of(player) if picture is None else picture
    return _picture_html(digest, size) if digest and sunwi_settings.PICTURE_HOSTS else _drawn_html(player, size)


def row_face_html(player: str) -> SafeString:
    """Render the face in a row of standings, where style sheets find it by its place."""
    digest = picture_of(player)
    return _picture_html(digest, "") if digest and sunwi_settings.PICTURE_HOSTS else _drawn_in_row(player)


def player_face_html(player: Player, size: str = "") -> SafeString:
    """Render the face of a player whose row is at hand; ``size`` as in ``face_html``."""
    return face_html(player.external_id, size, player.picture if player.picture_from == player.avatar_url else "")


@lru_cache(maxsize=16_384)
def _picture_html(digest: str, size: str) -> SafeString:
    kind = "large" if size == "xl" else "small"
    pixels = _PIXELS.get(size, 28)
    name = f"face is-picture is-{size}" if size else "face is-picture"
    return format_html(
        '<img class="{}" src="{}" alt="" width="{}" height="{}" loading="lazy" decoding="async">',
        *(name, reverse("player-picture", args=[digest, kind]), pixels, pixels),
    )


@lru_cache(maxsize=16_384)
def _drawn_html(player: str, size: str) -> SafeString:
    text = drawn(face_of(player))
    return mark_safe(text.replace('class="face', f'class="face is-{size}', 1) if size else text)  # noqa: S308 - it is made of our own HTML


@lru_cache(maxsize=16_384)
def _drawn_in_row(player: str) -> SafeString:
    return mark_safe(f"<i data-f={parts_of(face_of(player))}></i>")  # noqa: S308 - letters and digits of our own


def flag_html(country: str, *, in_row: bool = False) -> SafeString:
    """Render the flag of a country (ISO 3166, two capital letters); empty if the code is unknown.

    Its title is its name, for eyes and ears alike. In a row of standings style sheets find it by its place.
    """
    return _flag(country, get_language() or "en", in_row) if country else SafeString()


@lru_cache(maxsize=1024)
def _flag(country: str, language: str, in_row: bool) -> SafeString:
    name = escape(country_name(country, language))
    if not name:
        return SafeString()
    source = escape(f"{PrefixNode.handle_simple('STATIC_URL')}flags/{country.lower()}.webp")
    text = f"<img{'' if in_row else ' class=flag'} src={attribute(source)} title={attribute(name)} loading=lazy>"
    return mark_safe(text)  # noqa: S308 - its parts are escaped above


def attribute(text: str) -> str:
    """Return an escaped text as the value of an attribute, in quotes if HTML needs them."""
    return text if _PLAIN(text) else f'"{text}"'
