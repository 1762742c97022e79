"""The schemas of boards and their settings, for the OpenAPI document."""

from typing import Annotated, Literal

from ninja import Field, Schema

from leaderboards.api.openapi.schemas import Number, RunningPeriod, Time
from leaderboards.api.openapi.shared import shared

Order = Annotated[Literal["desc", "asc"], shared("Order")]
Unit = Annotated[Literal["s", "ms"], shared("UnitOfTime")]
Update = Annotated[Literal["best", "latest", "increment"], shared("UpdatePolicy")]
Ties = Annotated[Literal["first_come", "last_come", "shared", "dense"], shared("TiePolicy")]
TieBreak = Annotated[Literal["auto", "score", "member"], shared("TieBreak")]
Encoding = Annotated[Literal["plain", "compact"], shared("Encoding")]
OperatorOfEntry = Annotated[Literal["set", "best", "increment", "decrement"], shared("OperatorOfEntry")]
StorageOfBoard = Annotated[Literal["hybrid", "redis", "sql", "dynamodb"], shared("StorageOfBoard")]
VisibilityOfBoard = Annotated[Literal["public", "private"], shared("VisibilityOfBoard")]
JumpAgainst = Annotated[Literal["best", "median"], shared("JumpAgainst")]


class CriterionOfBoard(Schema):
    """One criterion: ``bits`` or ``max``; ``achieved_at`` has a ``unit``."""

    name: str
    bits: int | None = None
    max: int | None = None
    order: Order | None = None
    unit: Unit | None = None


class SettingsButPeriod(Schema):
    """A board's settings but ``period``; at the top of a board, its rules are those of the running period."""

    name: str
    timezone: str
    week_start: str
    cutoff: str = Field(examples=["00:00"])
    schedule: str = Field(
        description="On boards of period `schedule`: the cron expression by which windows start; else empty.",
        examples=["0 18 * * 5"],
    )
    open_minutes: int | None = Field(
        description="How long each window of a schedule is open; null: until the next one starts."
    )
    order: Order
    update: Update
    ties: Ties
    tie_break: TieBreak
    criteria: list[CriterionOfBoard]
    decimals: int
    minimum: Number
    maximum: Number
    total_maximum: Number
    operators: list[OperatorOfEntry] = Field(description="Those that an entry may name in place of `update`.")
    grace_seconds: int
    retention_days: int
    keep_submissions_days: int
    keep_periods_days: int | None = Field(
        description="How long a final period is kept until it is deleted; null: for good."
    )
    storage: StorageOfBoard
    encoding: Encoding = Field(description="How Redis keeps the standings of a period.")
    partitions: int = Field(description="Into how many parts Redis divides each period: 1, 4, 16, 64 or 256.")
    own_tables: bool = Field(description="Whether each period has tables of its own in PostgreSQL.")
    score_ranges: bool = Field(description="Whether a divided period is read from score ranges too.")
    unit: str
    format: str
    hue: str = Field(description="The colour of its page. Empty: by its number.")
    visibility: VisibilityOfBoard
    plausible_least: Number | None = Field(description="What breaks this or a limit below is quarantined.")
    plausible_most: Number | None
    submissions_per_minute: int | None
    points_per_minute: Number | None
    own_jump: Number | None
    own_jump_against: JumpAgainst
    own_jump_last: int
    field_jump: Number | None
    field_jump_players: int


class SettingsOfBoard(SettingsButPeriod):
    """All settings, each by its own name, as they were saved last: changed rules wait for the next period."""

    period: Literal["day", "week", "month", "year", "all_time", "event", "schedule"]


class BoardShown(SettingsButPeriod):
    """A board. ``period`` is the running one here; the setting of that name is in ``settings``."""

    seq: int
    period: RunningPeriod | None = Field(
        description="Null where competitions make the windows. Between two windows of a schedule, the last one."
    )
    opens_at: Time | None = Field(description="When the next window starts, while none is open; else null.")
    total: int | None = Field(
        description="How many players the running period has; null while DynamoDB has them and does not answer."
    )
    retired_at: Time | None
    settings: SettingsOfBoard


class BoardsListed(Schema):
    """Boards by number."""

    total: int
    rows: list[BoardShown]
