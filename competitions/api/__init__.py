"""The API endpoints of competitions, teams, results, rewards, comments, series and leagues.

``config/urls.py`` adds them to the API of leaderboards, which does not know them.
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
from competitions.api.examples import CODES, competition_operation_docs
from competitions.api.schemas.webhooks import competition_webhooks
from leaderboards.api.openapi.document import ApiPart

_ROUTERS = tuple(
    each.router
    for each in (competitions, standings, view, participants, teams, results, revisions, comments, series, leagues)
)

part = ApiPart(_ROUTERS, competition_operation_docs, competition_webhooks, CODES)
