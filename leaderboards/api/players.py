"""What a game server says about players: their profile, and the code that links a user to one.

A player is the same on all boards, so a key that is limited to some says nothing of him.
"""

import re
from typing import Any
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from ninja import Router

from foundation import clock
from foundation.encoding import when
from foundation.problems import BadRequest
from leaderboards.api.access import Writes, admit_everywhere
from leaderboards.api.answers import answer
from leaderboards.api.bodies import object_of
from leaderboards.api.parameters import PLAYER
from leaderboards.api.schemas import LinkCodeShown, PlayerShown
from leaderboards.core.entries import read_player
from leaderboards.core.names import is_printed, turns_direction
from leaderboards.models import Player
from leaderboards.services.link import make_code
from leaderboards.services.players import FIELDS, set_profile

LONGEST_NAME, LONGEST_URL = 100, 200
_COUNTRY = re.compile(r"[A-Z]{2}")

router = Router(tags=["players"], auth=Writes("players:write"))


@router.put("/players/{player}", response=PlayerShown)
def put_player(request: HttpRequest, player: str = PLAYER) -> HttpResponse:
    """Set a player's name, avatar or country; what is not sent stays. Not with a key that is limited to boards."""
    admit_everywhere(request)
    profile = _profile(object_of(request, FIELDS))
    return answer(_player_shown(set_profile(read_player(player), profile, clock.now())))


@router.post("/players/{player}/link-code", response=LinkCodeShown)
def make_link_code(request: HttpRequest, player: str = PLAYER) -> HttpResponse:
    """A one-time code by which a signed-in user links himself to the player; likewise."""
    admit_everywhere(request)
    code, expires_at = make_code(read_player(player), clock.now())
    return answer({"code": code, "expires_at": when(expires_at)})


def _player_shown(player: Player) -> dict[str, Any]:
    return {"player": player.external_id} | {field: getattr(player, field) for field in FIELDS}


def _profile(sent: dict[str, object]) -> dict[str, str]:
    wrong = {field: why for field, text in sent.items() if (why := _CHECKS[field](text))}
    if wrong:
        errors = [{"pointer": f"#/{field}", "detail": why} for field, why in wrong.items()]
        raise BadRequest(" ".join(wrong.values()), errors)
    return {field: str(text) for field, text in sent.items()}


def _wrong_name(text: object) -> str | None:
    if not isinstance(text, str) or len(text) > LONGEST_NAME:
        return f"`name` must be a text of up to {LONGEST_NAME} characters."
    if turns_direction(text):
        return "`name` contains a character that turns the direction of the text around it."
    return "`name` contains a character that cannot be shown." if not is_printed(text) else None


def _wrong_url(text: object) -> str | None:
    if not isinstance(text, str) or len(text) > LONGEST_URL or not (text == "" or _is_web_address(text)):
        return f"`avatar_url` must be an http or https address of up to {LONGEST_URL} characters, or empty."
    return None


def _wrong_country(text: object) -> str | None:
    if not isinstance(text, str) or not (text == "" or _COUNTRY.fullmatch(text)):
        return "`country` must be two capital letters (ISO 3166), or empty."
    return None


_CHECKS = {"name": _wrong_name, "avatar_url": _wrong_url, "country": _wrong_country}


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
