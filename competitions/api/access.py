"""Whose competition a request may name. Drafts are unknown to everybody; a private board's are private.

No key lifts a freeze: what is hidden is hidden from game servers too.
"""

from django.http import HttpRequest

from competitions.models import Competition
from competitions.selectors.competitions import competition_by_id
from leaderboards.api.access import admit_reader, admit_writer
from leaderboards.api.access import is_private as is_private_board


def competition_to_read(request: HttpRequest, number: int) -> Competition:
    """The competition. Raises ``UnknownCompetition``, ``Unauthenticated`` or ``Forbidden``."""
    competition = competition_by_id(number)
    admit_reader(request, competition.board)
    return competition


def competition_to_write(request: HttpRequest, number: int) -> Competition:
    """The competition, if the key reaches its board. Raises ``UnknownCompetition`` or ``BoardForbidden``."""
    competition = competition_by_id(number)
    admit_writer(request, competition.board)
    return competition


def is_private(competition: Competition) -> bool:
    """Whether only keys read it."""
    return is_private_board(competition.board)
