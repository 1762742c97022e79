"""The path and query parameters of the competition endpoints."""

from typing import Annotated, Literal

from ninja.params.functions import Path, Query

from leaderboards.api.http.parameters import MOST_ROWS
from leaderboards.api.openapi.shared import shared

State = Annotated[
    Literal["open", "running", "frozen", "closing", "provisional", "final", "cancelled"], shared("StateOfCompetition")
]
OrderOfComments = Literal["newest", "likes"]

# Defaults of the endpoints' arguments, one for each parameter.
COMPETITION = Path(..., description="The competition's number.", example=7)
SERIES = Path(..., description="The number of the series.", example=3)
TEAM = Path(..., description="The team's number.", example=3)
DIVISION = Query(None, description="Only this division, with the places within it; see the competition's `divisions`.")
STATE = Query(None, description="Only competitions in this state.", example="running")
BOARD = Query(None, description="Only competitions on this board.")
REVISION = Query(None, description="A revision's number; without it the latest.", example=1)
ORDER = Query("newest", description="`newest` first, or those with the most `likes`.", example="newest")
COMMENTS_LISTED = Query(20, ge=1, le=MOST_ROWS, description="How many comments to answer.")
