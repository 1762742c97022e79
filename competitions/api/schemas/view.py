"""The schemas of a page and of a combined read of a competition, for the OpenAPI document."""

from ninja import Field

from competitions.api.schemas.competitions import StandingsOfCompetition, StatusOfParticipant
from leaderboards.api.openapi.schemas import CursorsOfPage, Points, RowWithShare, ViewOfBoard


class PageOfCompetition(StandingsOfCompetition, CursorsOfPage):
    """A page of a competition, best first."""


class Me(RowWithShare):
    """A participant in their place; or without rank and points, not started or hidden by a freeze."""

    rank: int | None
    points: Points | None = Field(None, description="Null for who has not started, or is hidden.")
    tied: int | None
    status: StatusOfParticipant = Field(
        description="`hidden` where a freeze leaves open whether they have scored since."
    )


class ViewOfCompetition(ViewOfBoard):
    """Several things of one competition, all of one moment."""

    competition: int
    not_started: int | None = Field(
        description="How many take part without a score; null while SQL is away or a freeze hides everything."
    )
    me: Me | None = Field(description="The row of `player`; null where they do not take part, or none is named.")
