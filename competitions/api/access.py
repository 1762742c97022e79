"""Access checks for competitions. Drafts are unknown to all callers; competitions on private boards are private.

No key lifts a freeze: hidden standings are hidden from game servers too.
"""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from django.http import HttpRequest

from competitions.models import Competition
from competitions.selectors.competitions import competition_by_id
from competitions.selectors.standings.cached_competition import cached_competition
from foundation import clock
from foundation.errors import SunwiError
from leaderboards.api.http.access import admit_reader, admit_writer
from leaderboards.api.http.access import is_private as is_private_board
from leaderboards.errors import NotRanked

Answer = TypeVar("Answer")


def competition_to_read(request: HttpRequest, number: int) -> Competition:
    """Return the competition. Raises ``UnknownCompetition``, ``Unauthenticated`` or ``Forbidden``."""
    competition = competition_by_id(number)
    admit_reader(request, competition.board)
    return competition


def read_standings_of(
    request: HttpRequest, number: int, read: Callable[[Competition, datetime], Answer]
) -> tuple[Competition, Answer]:
    """Return the competition and the result of ``read``, which reads its standings at a moment.

    It tries the cached competition first, as for boards (``leaderboards/api/http/access.py``). Raises what
    ``competition_to_read`` and ``read`` do.
    """
    at = clock.now()
    cached = cached_competition(number, at)
    if cached is not None:
        try:
            admit_reader(request, cached.board)
            return cached, read(cached, at)
        except NotRanked:
            raise
        except SunwiError:
            pass
    found, at = competition_to_read(request, number), clock.now()
    return found, read(found, at)


def competition_to_write(request: HttpRequest, number: int) -> Competition:
    """Return the competition, if the key covers its board. Raises ``UnknownCompetition`` or ``BoardForbidden``."""
    competition = competition_by_id(number)
    admit_writer(request, competition.board)
    return competition


def is_private(competition: Competition) -> bool:
    """Whether only keys may read it."""
    return is_private_board(competition.board)
