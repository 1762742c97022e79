"""A game server, and anybody, as the boards' tests have them."""

from tests.leaderboards.api.conftest import anybody, game, make_key
from tests.links import links

__all__ = ["anybody", "game", "links", "make_key"]
