"""The schemas of responses, for the OpenAPI document.

Views build their responses themselves; a test compares them with these schemas.
"""

from typing import Annotated, Any, Literal

from ninja import Field, Schema

from leaderboards.api.openapi.shared import shared

# Exact decimals on the wire; a schema only knows "number".
Number = Annotated[int | float, Field(examples=[150])]
Time = Annotated[str, Field(json_schema_extra={"format": "date-time"}, examples=["2026-11-20T09:00:00Z"])]
Points = Annotated[int | float, Field(description="Exact, with the board's decimals.")]
Fields = Annotated[dict[str, int], shared("FieldValues", description="In place of points on boards with criteria.")]
Metadata = Annotated[dict[str, Any], shared("Metadata")]
INCOMPLETE = (
    "False, and else absent, where a server with a part of the board's players did not answer in time: those are "
    "missing, and every rank and the total are null."
)
StateOfPeriod = Annotated[Literal["open", "closing", "final", "expired"], shared("StateOfPeriod")]


class PlaceOfProblem(Schema):
    """Where something is wrong: a parameter of path or query, or a pointer into the body."""

    parameter: str | None = Field(None, description="Its name; absent where it is in the body.")
    pointer: str | None = Field(None, description="A JSON pointer into the body.", examples=["#/entries/3"])
    detail: str


class Problem(Schema):
    """RFC 9457: what was wrong and what to do. ``code`` is for programs and stays."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[PlaceOfProblem] | None = Field(None, description="Each thing that is wrong, and where.")


class Result(Schema):
    """What became of one entry. What does not apply is absent."""

    status: Literal["updated", "unchanged", "duplicate", "quarantined", "rejected", "unknown"]
    player: str | None = None
    board: int | None = None
    competition: int | None = None
    period: str | None = Field(None, examples=["2026-47"])
    points: Points | None = None
    fields: Fields | None = None
    rank: int | None = Field(None, description="After the whole request; with `ranks=true`.")
    previous_rank: int | None = Field(None, description="Before the request, null for a new player; with `ranks=true`.")
    code: str | None = Field(None, description="Why it was rejected or quarantined, for programs.")
    detail: str | None = Field(None, description="Why it was rejected or quarantined, for people.")
    opens_at: Time | None = Field(
        None, description="With `not_open`: when the window after the entry's time starts; absent if none does."
    )


class ResultsOfEntries(Schema):
    """One result for each entry, in their order."""

    accepted: int = Field(description="How many are `updated`, `unchanged` or `duplicate`.")
    rejected: int
    results: list[Result]


class ProblemOfScores(Problem):
    """503 of submitting: where each entry is rejected as `unavailable`, with one result for each as in an answer."""

    accepted: int | None = Field(None, description="Absent, like the next two, where no entry was looked at.")
    rejected: int | None = None
    results: list[Result] | None = None


class PeriodOfBoard(Schema):
    """A period; all time has neither start nor end."""

    label: str = Field(examples=["2026-47"])
    starts_at: Time | None
    ends_at: Time | None
    state: StateOfPeriod


class RunningPeriod(PeriodOfBoard):
    """The running period."""

    seconds_left: int | None = Field(description="Whole seconds to its end; null where there is none.")


class RowOfStandings(Schema):
    """A player in their place: ``points``, or ``fields`` on boards with criteria."""

    rank: int | None = Field(ge=1, description="Null only while `live` is false: SQL had no time to count.")
    player: str
    name: str = Field(description="As the game names them; else their id.")
    points: Points | None = None
    fields: Fields | None = None
    achieved_at: Time | None = Field(None, description="The time that breaks ties, where the board keeps it.")
    metadata: Metadata | None = Field(
        None, description="With `metadata=true`: that of the submission that set the standing, if it has any."
    )
    tied: int | None = Field(ge=1, description="How many share the rank, themselves included; null with the rank.")


class _Frame(Schema):
    """The fields around the rows of a period."""

    board: int
    period: PeriodOfBoard
    total: int | None = Field(description="How many players the whole period has; null where `complete` is false.")
    as_of: Time
    live: bool = Field(description="False where SQL answered because Redis was away.")
    complete: bool = Field(True, description=INCOMPLETE)


class StandingsOfPeriod(_Frame):
    """Rows of one period, best first."""

    rows: list[RowOfStandings]


class CursorsOfPage(Schema):
    """The neighbours of a page."""

    previous_cursor: str | None = Field(description="For the page before this one; null at the first row.")
    next_cursor: str | None = Field(description="For the page behind this one; null at the last row.")


class PageOfPeriod(StandingsOfPeriod, CursorsOfPage):
    """A page of one period, best first."""


class RowWithShare(RowOfStandings):
    """A player in their place among all."""

    percentile: float | None = Field(
        ge=0, le=100, description="The share of the other players ranked strictly below; null with the rank."
    )


class RowOfPlayer(RowWithShare):
    """One player's row."""

    total: int | None = Field(description="How many players the whole period has; null where `complete` is false.")
    board: int
    period: PeriodOfBoard
    as_of: Time
    live: bool
    complete: bool = Field(True, description=INCOMPLETE)


class PercentileOfPlayer(Schema):
    """Where a player stands among all, without their rank. All three shares are null with an unknown rank."""

    player: str
    top: float | None = Field(
        gt=0, le=100, description="They are within the best so many percent of the players, themselves included."
    )
    percentile: float | None = Field(
        ge=0, le=100, description="They are ahead of so many percent of the other players; ties are not ahead."
    )
    error: float | None = Field(
        ge=0, le=100, description="The exact `top` is at most this much less, the exact `percentile` this much more."
    )
    exact: bool = Field(description="Whether it was counted now; else it is from a histogram of `as_of`.")
    total: int | None = Field(
        description="How many players the whole period had at `as_of`; null where `complete` is false."
    )
    board: int
    period: PeriodOfBoard
    as_of: Time
    live: bool
    complete: bool = Field(True, description=INCOMPLETE)


class CursorsAround(Schema):
    """The neighbours of a window around a player, as cursors of the list."""

    around_previous_cursor: str | None = Field(
        description="For the rows before `around`; null where it begins with the first, or is null or empty."
    )
    around_next_cursor: str | None = Field(
        description="For the rows behind `around`; null where it ends with the last, or is null or empty."
    )


class ViewOfBoard(_Frame, CursorsOfPage, CursorsAround):
    """Several things of one period, all of one moment."""

    list_: list[RowOfStandings] = Field(alias="list", description="A page of its rows, best first.")
    me: RowWithShare | None = Field(description="The row of `player`; null if they are not ranked, or none is named.")
    around: list[RowOfStandings] | None = Field(
        description="They and those next to them; empty where they are not ranked, null where none is named."
    )
    named: list[RowOfStandings] | None = Field(
        description="Those of `ids` who are ranked, best first; null without `ids`."
    )


class BinOfHistogram(Schema):
    """How many players have ``from`` to ``to`` points, both included."""

    from_: Number = Field(alias="from")
    to: Number
    count: int


class Spread(Schema):
    """How points are spread; boards with criteria by their first one."""

    total: int
    as_of: Time
    live: bool
    percentiles: dict[str, Number] = Field(description='"1" to "99"; empty if no player is ranked.')
    histogram: list[BinOfHistogram] = Field(
        description="Like the percentiles it may be empty while `live` is false: SQL had no time to count."
    )
    error: float | None = Field(
        None,
        ge=0,
        le=100,
        description="Where it is from a histogram of `as_of`: the percentage of players by which a count or a "
        "percentile may be off. Absent where it was counted now.",
    )


class WinnerOfPeriod(Schema):
    """A player of the first rank: ``points``, or ``fields`` on boards with criteria."""

    player: str
    name: str = Field(description="As the game names them; else their id.")
    points: Points | None = None
    fields: Fields | None = None


class PeriodListed(PeriodOfBoard):
    """A period with its players and winners."""

    players: int | None = Field(
        description="How many are ranked in it; null while DynamoDB has them and does not answer."
    )
    winners: list[WinnerOfPeriod] | None = Field(
        description="Up to five of the first rank; empty where nobody is ranked, null before it is final."
    )


class PeriodsListed(CursorsOfPage):
    """A page of a board's periods, the newest first."""

    board: int
    total: int = Field(description="How many periods the board has that have begun.")
    as_of: Time
    rows: list[PeriodListed]


class PlayerShown(Schema):
    """What the game says about a player."""

    player: str
    name: str
    avatar_url: str
    country: str = Field(examples=["KR"])


class LinkCodeShown(Schema):
    """A one-time code."""

    code: str = Field(examples=["7KQ2MWXP"])
    expires_at: Time
