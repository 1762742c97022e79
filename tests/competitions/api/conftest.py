"""A game server, and anybody, as the boards' tests have them."""

from tests.leaderboards.api.conftest import anybody, game, make_key

__all__ = ["anybody", "game", "make_key"]
