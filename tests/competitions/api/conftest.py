"""A game server, and anybody, as the boards' tests have them."""

from tests.competitions.remembering import known, now
from tests.leaderboards.api.conftest import anybody, game, make_key

__all__ = ["anybody", "game", "known", "make_key", "now"]
