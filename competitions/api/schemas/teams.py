"""The schemas of answers about teams, for the OpenAPI document."""

from ninja import Field, Schema

from leaderboards.api.openapi.schemas import (
    Fields,
    Points,
    Time,
)


class RowOfTeam(Schema):
    """A team in its place: ``points``, or its best member's ``fields`` on boards with criteria."""

    rank: int | None = Field(ge=1, description="Null while none of its members has a score.")
    team: int
    name: str
    points: Points | None = Field(None, description="Exact; an average is rounded to two decimals more than points.")
    fields: Fields | None = None
    achieved_at: Time | None = Field(None, description="When the team had reached it, where the board keeps times.")
    tied: int | None = Field(ge=1, description="How many teams share the rank.")
    members: int = Field(description="How many take part in it now.")
    counted: int = Field(description="How many of them make its standing.")


class TeamsOfCompetition(Schema):
    """Teams, best first."""

    competition: int
    total: int
    ranked: int = Field(description="How many have a score; the others come last, by name.")
    as_of: Time
    rows: list[RowOfTeam]


class MemberOfTeam(Schema):
    """A member of a team and what they have."""

    player: str
    name: str
    rank: int | None = Field(description="Their own, among all players; null without a score.")
    points: Points | None = None
    fields: Fields | None = None
    counts: bool = Field(description="Whether it is part of the team's standing.")


class TeamWithMembers(RowOfTeam):
    """A team with its members, those with a score first."""

    competition: int
    as_of: Time
    rows: list[MemberOfTeam]


class TeamMade(Schema):
    """A team that was made."""

    competition: int
    team: int
    name: str


class ParticipantOfTeam(Schema):
    """The team that a participant is in now."""

    competition: int
    player: str
    team: int | None
