"""Players, as the game server sees them: their profile, and the code that links a user account to one.

A player is the same on all boards, so a key that is limited to some boards may not change them.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from foundation import clock
from foundation.http.encoding import when
from foundation.http.problems import BadRequest
from leaderboards.api.http.access import RequireKey, admit_everywhere
from leaderboards.api.http.bodies import object_of
from leaderboards.api.http.parameters import PLAYER
from leaderboards.api.http.responses import json_response
from leaderboards.api.openapi.schemas import LinkCodeShown, PlayerShown
from leaderboards.core.input.entries import read_player
from leaderboards.core.input.profiles import profile_errors
from leaderboards.models import Player
from leaderboards.services.players.link import make_code
from leaderboards.services.players.profiles import PROFILE_FIELDS, set_profile

router = Router(tags=["players"], auth=RequireKey("players:write"))


@router.put("/players/{player}", response=PlayerShown)
def put_player(request: HttpRequest, player: str = PLAYER) -> HttpResponse:
    """Set a player's name, avatar or country; what is not sent stays. Not with a key that is limited to boards."""
    admit_everywhere(request)
    profile = _profile(object_of(request, PROFILE_FIELDS))
    return json_response(_player_shown(set_profile(read_player(player), profile, clock.now())))


@router.post("/players/{player}/link-code", response=LinkCodeShown)
def make_link_code(request: HttpRequest, player: str = PLAYER) -> HttpResponse:
    """A one-time code by which a signed-in user links themselves to the player; likewise."""
    admit_everywhere(request)
    code, expires_at = make_code(read_player(player), clock.now())
    return json_response({"code": code, "expires_at": when(expires_at)})


def _player_shown(player: Player) -> dict[str, Any]:
    return {"player": player.external_id} | {field: getattr(player, field) for field in PROFILE_FIELDS}


def _profile(sent: dict[str, object]) -> dict[str, str]:
    if wrong := profile_errors(sent):
        errors = [{"pointer": f"#/{field}", "detail": why} for field, why in wrong.items()]
        raise BadRequest(" ".join(wrong.values()), errors)
    return {field: str(text) for field, text in sent.items()}
