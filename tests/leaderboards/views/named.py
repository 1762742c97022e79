"""A board on which players stand whose names fold: capitals, accents, Hangul, wide letters."""

from leaderboards.models import Board
from tests.playing import make_board, name, score

NAMES = {"p0": "ㅋㅋㅋ왕", "p1": "Zoë", "p2": "ŁUKASZ", "p3": "지우", "p4": "Ｍｉｎａ", "p5": "Zoe Quux", "p6": "ZOE"}


def named_board() -> Board:
    """Make the board, called Élan vital, with all of ``NAMES`` on it."""
    seq = make_board(name="Élan vital")
    score(seq, dict.fromkeys(NAMES, 9))
    for player, shown in NAMES.items():
        name(player, shown)
    return Board.objects.get(seq=seq)
