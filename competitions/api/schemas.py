"""The shapes of answers about competitions, for the OpenAPI document; a test compares them with the answers.

Names are unique in the whole document: a second `Result` would take the place of the boards' own.
"""

from typing import Literal

from ninja import Field, Schema

from competitions.api.parameters import State
from leaderboards.api.schemas import Fields, Number, PeriodOfBoard, Points, RowOfStandings, StandingsOfPeriod, Time


class CompetitionListed(Schema):
    """A competition in a list."""

    id: int
    name: str
    state: State = Field(description="As the public sees it: `frozen` from the freeze until the reveal.")
    starts_at: Time
    ends_at: Time
    board: int
    participants: int = Field(description="How many take part now.")


class CompetitionsListed(Schema):
    """Competitions, the latest start first."""

    total: int
    rows: list[CompetitionListed]


class CompetitionShown(CompetitionListed):
    """A competition with its settings."""

    description: str
    picture: str | None = Field(description="The picture's address below the site's, null without one.")
    timezone: str
    joining: Literal["everyone", "code", "list"]
    join_until: Time | None
    most_participants: int | None
    attempts: int | None = Field(description="How often a player may score; null is as often as he likes.")
    snapshot_minutes: int
    alert_hours: int
    alerts: list[str]
    freeze_minutes: int | None
    freezes_at: Time | None = Field(description="From then on the standings are hidden, until the reveal.")
    revealed_at: Time | None
    final_at: Time | None
    cancelled_at: Time | None
    seconds_left: int = Field(description="Whole seconds to its end, 0 after it.")
    total: int = Field(description="How many are ranked.")
    not_started: int = Field(description="How many take part and have no score yet.")


class RowOfCompetition(RowOfStandings):
    """A participant in his place."""


class StandingsOfCompetition(StandingsOfPeriod):
    """Rows of a competition, best first."""

    competition: int
    not_started: int | None = Field(description="How many take part without a score yet; null while SQL is away.")
    rows: list[RowOfCompetition]  # type: ignore[assignment]  # rows of a competition are rows that say more


class RowOfParticipant(RowOfCompetition):
    """One participant: in his place, or not started yet, without rank and points."""

    rank: int | None
    points: Points | None = Field(None, description="Null for who has not started.")
    tied: int | None
    status: Literal["ranked", "not_started"]
    percentile: float | None = Field(ge=0, le=100)
    total: int
    competition: int
    board: int
    period: PeriodOfBoard
    as_of: Time
    live: bool


class MomentOfHistory(Schema):
    """A place at a moment."""

    at: Time
    rank: int
    points: Points | None = None
    fields: Fields | None = None


class HistoryOfPlayer(Schema):
    """A player's places over time, the earliest first."""

    total: int
    rows: list[MomentOfHistory]


class Participation(Schema):
    """A player who takes part."""

    competition: int
    player: str
    joined_at: Time


class TierShown(Schema):
    """A reward and who earns it."""

    name: str
    by: Literal["rank", "percent", "points"]
    from_rank: int | None = Field(description="Only by rank.")
    limit: Number = Field(description="A rank, a percentage, or points.")


class GrantShown(Schema):
    """A reward that a player has earned, and that stands."""

    rank: int
    player: str
    name: str
    reward: str
    granted_at: Time


class RewardsShown(Schema):
    """What can be won, and who has won it."""

    tiers: list[TierShown]
    total: int = Field(description="How many rewards stand: granted, and not revoked since.")
    rows: list[GrantShown]


class CommentShown(Schema):
    """What a player said."""

    id: int = Field(description="By which it is liked: `/likes/comment/{id}`.")
    player: str
    text: str = Field(description="Plain text of up to 2,000 characters; lines end with a line feed.")
    created_at: Time
    likes: int = Field(ge=0)


class CommentsOfCompetition(Schema):
    """Comments, as many as anybody may read."""

    total: int
    rows: list[CommentShown]


class CompetitionOfResult(Schema):
    """What the result is of."""

    id: int
    name: str
    board: int
    starts_at: Time
    ends_at: Time


class FinalResult(Schema):
    """A final result, which stays."""

    competition: CompetitionOfResult
    final_at: Time
    content_hash: str = Field(description="SHA-256 over ranks, internal player numbers and scores.")
    total: int
    rows: list[RowOfCompetition]
