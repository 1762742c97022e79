"""Pictures that the server draws with Pillow for link previews: a board's best, and one player's row.

Only fonts and style sheets are read here: the caller decides what a picture may show.
"""

from leaderboards.drawing.board_card import BoardPicture, CardRow, draw_card
from leaderboards.drawing.canvas import SIZE
from leaderboards.drawing.own_card import OwnPicture, draw_own
from leaderboards.drawing.text import drawable

__all__ = ["SIZE", "BoardPicture", "CardRow", "OwnPicture", "draw_card", "draw_own", "drawable"]
