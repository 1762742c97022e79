"""The pages that people see. They read through selectors and change nothing but their own account's link."""

from leaderboards.views.account import account
from leaderboards.views.boards import board, home

__all__ = ["account", "board", "home"]
