"""What a game server says about players: their profile, and the code that links a user to one.

A player is the same on all boards, so a key that is limited to some says nothing of them.
"""

from typing import Any

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
from leaderboards.core.profiles import wrong_in
from leaderboards.models import Player
from leaderboards.services.link import make_code
from leaderboards.services.players import FIELDS, set_profile

router = Router(tags=["players"], auth=Writes("players:write"))


@router.put("/players/{player}", response=PlayerShown)
def put_player(request: HttpRequest, player: str = PLAYER) -> HttpResponse:
    """Set a player's name, avatar or country; what is not sent stays. Not with a key that is limited to boards."""
    admit_everywhere(request)
    profile = _profile(object_of(request, FIELDS))
    return answer(_player_shown(set_profile(read_player(player), profile, clock.now())))


@router.post("/players/{player}/link-code", response=LinkCodeShown)
def make_link_code(request: HttpRequest, player: str = PLAYER) -> HttpResponse:
    """A one-time code by which a signed-in user links themselves to the player; likewise."""
    admit_everywhere(request)
    code, expires_at = make_code(read_player(player), clock.now())
    return answer({"code": code, "expires_at": when(expires_at)})


def _player_shown(player: Player) -> dict[str, Any]:
    return {"player": player.external_id} | {field: getattr(player, field) for field in FIELDS}


def _profile(sent: dict[str, object]) -> dict[str, str]:
    if wrong := wrong_in(sent):
        errors = [{"pointer": f"#/{field}", "detail": why} for field, why in wrong.items()]
        raise BadRequest(" ".join(wrong.values()), errors)
    return {field: str(text) for field, text in sent.items()}
