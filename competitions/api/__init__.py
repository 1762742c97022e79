"""The API's share that is about competitions: reading them, joining and leaving, results and rewards,
what is said about them; and about the leagues of boards.

It is answered by the API of leaderboards, which knows nothing of it; ``config/urls.py`` puts the two together.
"""

from competitions.api import (
    comments,
    competitions,
    leagues,
    participants,
    results,
    revisions,
    series,
    standings,
    teams,
    view,
)
from competitions.api.examples import competition_operation_docs
from leaderboards.api.openapi.document import ApiPart

_ROUTERS = tuple(
    each.router
    for each in (competitions, standings, view, participants, teams, results, revisions, comments, series, leagues)
)

part = ApiPart(_ROUTERS, competition_operation_docs)
