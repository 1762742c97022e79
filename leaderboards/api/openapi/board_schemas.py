"""The schemas of boards and their settings, for the OpenAPI document."""

from typing import Literal

from ninja import Field, Schema

from leaderboards.api.openapi.schemas import Number, RunningPeriod, Time


class CriterionOfBoard(Schema):
    """One criterion: ``bits`` or ``max``; ``achieved_at`` has a ``unit``."""

    name: str
    bits: int | None = None
    max: int | None = None
    order: Literal["desc", "asc"] | None = None
    unit: Literal["s", "ms"] | None = None


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
    order: Literal["desc", "asc"]
    update: Literal["best", "latest", "increment"]
    ties: Literal["first_come", "last_come", "shared", "dense"]
    tie_break: Literal["auto", "score", "member"]
    criteria: list[CriterionOfBoard]
    decimals: int
    minimum: Number
    maximum: Number
    total_maximum: Number
    operators: list[Literal["set", "best", "increment", "decrement"]] = Field(
        description="Those that an entry may name in place of `update`."
    )
    grace_seconds: int
    retention_days: int
    keep_submissions_days: int
    storage: Literal["hybrid", "redis", "sql"]
    unit: str
    format: str
    hue: str = Field(description="The colour of its page. Empty: by its number.")
    visibility: Literal["public", "private"]
    plausible_least: Number | None = Field(description="What breaks this or a limit below is quarantined.")
    plausible_most: Number | None
    submissions_per_minute: int | None
    points_per_minute: Number | None
    own_jump: Number | None
    own_jump_against: Literal["best", "median"]
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
    total: int = Field(description="How many players the running period has.")
    retired_at: Time | None
    settings: SettingsOfBoard


class BoardsListed(Schema):
    """Boards by number."""

    total: int
    rows: list[BoardShown]
