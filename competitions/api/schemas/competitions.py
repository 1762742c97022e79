"""The schemas of answers about competitions, for the OpenAPI document; a test compares them with the answers.

Schema names must be unique in the whole document: a second `Result` would replace that of boards.
"""

from typing import Annotated, Literal

from ninja import Field, Schema

from competitions.api.parameters import State
from competitions.api.schemas.teams import RowOfTeam
from leaderboards.api.openapi.schemas import (
    Fields,
    Number,
    PeriodOfBoard,
    Points,
    RowOfStandings,
    StandingsOfPeriod,
    Time,
)
from leaderboards.api.openapi.shared import shared

TeamScore = Annotated[Literal["sum", "best", "average"], shared("TeamScore")]
StatusOfParticipant = Annotated[Literal["ranked", "not_started", "hidden"], shared("StatusOfParticipant")]


class CompetitionListed(Schema):
    """A competition in a list."""

    id: int
    name: str
    state: State = Field(
        description="As the public sees it: `frozen` from the freeze until the reveal, `provisional` until it is final."
    )
    starts_at: Time
    ends_at: Time
    board: int
    participants: int = Field(description="How many take part now.")


class CompetitionsListed(Schema):
    """Competitions, the latest start first."""

    total: int
    rows: list[CompetitionListed]


class DivisionShown(Schema):
    """A part of the field that is ranked by itself too."""

    id: int
    name: str


class CompetitionShown(CompetitionListed):
    """A competition with its settings."""

    description: str
    picture: str | None = Field(description="The picture's address below the site's, null without one.")
    timezone: str
    joining: Literal["everyone", "code", "list"]
    join_until: Time | None
    most_participants: int | None
    attempts: int | None = Field(description="How often a player may score; null is as often as they like.")
    snapshot_minutes: int
    alert_hours: int
    alerts: list[str]
    freeze_minutes: int | None
    vacated_places: Literal["close_up", "stay_empty"] = Field(
        description="Whether everybody below the disqualified and the banned moves up, or their places stay empty."
    )
    team_score: TeamScore | None = Field(description="What teams rank by; null where there are none.")
    team_counts: int | None = Field(description="How many of a team's best members count; null is all with a score.")
    team_size: int | None = Field(description="The most members of a team; null is no limit.")
    team_founding: bool = Field(description="Whether players found teams themselves.")
    team_entry: Literal["open", "code"] = Field(description="Whether a team that a player founded needs its code.")
    divisions: list[DivisionShown]
    freezes_at: Time | None = Field(description="From then on the standings are hidden, until the reveal.")
    revealed_at: Time | None
    closed_at: Time | None = Field(description="Since when no score counts any more; null while that is hidden.")
    review_until: Time | None = Field(description="While it is provisional: when it becomes final, if nobody confirms.")
    final_at: Time | None
    cancelled_at: Time | None
    seconds_left: int = Field(description="Whole seconds to its end, 0 after it.")
    total: int = Field(description="How many are ranked.")
    not_started: int | None = Field(
        description="How many take part without a score; null where a freeze hides the whole competition."
    )


class RowOfCompetition(RowOfStandings):
    """A participant in their place; with `division` asked for, in the division's too."""

    division_rank: int | None = Field(None, ge=1, description="The place within the division.")
    division_tied: int | None = Field(None, ge=1, description="How many share that.")


class StandingsOfCompetition(StandingsOfPeriod):
    """Rows of a competition, best first."""

    competition: int
    division: int | None = Field(None, description="Where one was asked for; `total` and `not_started` are its own.")
    not_started: int | None = Field(
        description="How many take part without a score; null while SQL is away or a freeze hides everything."
    )
    rows: list[RowOfCompetition]  # type: ignore[assignment]  # rows of a competition are rows that say more


class RowOfParticipant(RowOfCompetition):
    """One participant: in their place; or without rank and points, not started or hidden by a freeze."""

    rank: int | None
    points: Points | None = Field(None, description="Null for who has not started, or is hidden.")
    tied: int | None
    status: StatusOfParticipant = Field(
        description="`hidden` where a freeze leaves open whether they have scored since."
    )
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
    team: int | None
    division: int | None


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


class RowOfResult(RowOfStandings):
    """A participant in their place, as published."""

    team: str | None = Field(None, description="The name of their team; only where the competition has teams.")
    division: str | None = Field(None, description="The name of their division; only where the competition has some.")


class FinalResult(Schema):
    """A final result as it was published. These are the stored bytes, which stay."""

    content_hash: str = Field(
        description="SHA-256, in 64 hexadecimal digits, over the bytes of this document without these digits. It is "
        "the first member."
    )
    revision: int = Field(ge=1, description="1 is the confirmed result; each change of it makes another.")
    previous_hash: str = Field(description="The hash of the revision before; empty in the first.")
    made_at: Time
    reason: str = Field(description="Why it was made; empty in the first.")
    competition: CompetitionOfResult
    final_at: Time
    total: int
    rows: list[RowOfResult]
    teams: list[RowOfTeam] | None = Field(None, description="Best first; only where the competition has teams.")


class RevisionShown(Schema):
    """What there is to know of a revision beside its rows."""

    revision: int = Field(ge=1)
    made_at: Time
    reason: str = Field(description="Why it was made; empty in the first.")
    total: int = Field(description="How many are ranked in it.")
    content_hash: str
    previous_hash: str = Field(description="The hash of the revision before; empty in the first.")
    superseded_by: int | None = Field(description="The revision that took its place; null for the latest.")
    rewritten_at: Time | None = Field(
        description="When a player's erasure changed their id and name in it, or in one before it, and so its hash."
    )


class RevisionsShown(Schema):
    """The revisions of a final result, the earliest first."""

    total: int
    rows: list[RevisionShown]
