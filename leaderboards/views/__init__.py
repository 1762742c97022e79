"""The public pages. They read through selectors; only the account pages change anything."""

from leaderboards.views.board_pages.board import board
from leaderboards.views.board_pages.calendar_file import board_calendar
from leaderboards.views.board_pages.card import board_card
from leaderboards.views.board_pages.home import boards, home
from leaderboards.views.board_pages.period_list import periods
from leaderboards.views.board_pages.share import share_board
from leaderboards.views.board_pages.site_search import search, suggestions
from leaderboards.views.components.styleguide import styleguide
from leaderboards.views.http.bundles import scripts, styles
from leaderboards.views.player_pages.account import account
from leaderboards.views.player_pages.player import player

__all__ = [
    "account", "board", "board_calendar", "board_card", "boards", "home", "periods", "player", "scripts", "search",
    "share_board", "styleguide", "styles", "suggestions",
]  # fmt: skip  # as a list
