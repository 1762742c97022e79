"""What attacks begin with: the keys and boards that the API's own tests have."""

from tests.leaderboards.api.conftest import anybody, game, make_board
from tests.links import links

__all__ = ["anybody", "game", "links", "make_board"]
