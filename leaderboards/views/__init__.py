"""The pages that people see. They read through selectors and change nothing but their own account's link."""

from leaderboards.views.account import account
from leaderboards.views.boards import board
from leaderboards.views.card import board_card
from leaderboards.views.history import periods
from leaderboards.views.home import boards, home
from leaderboards.views.players import player
from leaderboards.views.search import search
from leaderboards.views.styleguide import styleguide
from leaderboards.views.styles import styles

__all__ = ["account", "board", "board_card", "boards", "home", "periods", "player", "search", "styleguide", "styles"]
