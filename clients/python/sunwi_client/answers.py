"""The types of answers: plain dictionaries, as in the JSON.

Points with decimals are exact ``Decimal``. Later servers may add members; members that do not apply are absent.
"""

from decimal import Decimal
from typing import Any, Literal, NotRequired, TypedDict

Number = int | Decimal
Status = Literal["updated", "unchanged", "duplicate", "quarantined", "rejected", "unknown"]


class Result(TypedDict):
    """The result of one score."""

    status: Status
    player: NotRequired[str]
    board: NotRequired[int]
    competition: NotRequired[int]
    period: NotRequired[str]
    points: NotRequired[Number]
    fields: NotRequired[dict[str, int]]
    rank: NotRequired[int | None]
    previous_rank: NotRequired[int | None]
    code: NotRequired[str]
    detail: NotRequired[str]
    opens_at: NotRequired[str]


class Results(TypedDict):
    """One result for each score, in order."""

    accepted: int
    rejected: int
    results: list[Result]


class Period(TypedDict):
    """A period; all time has neither start nor end. Times are RFC 3339."""

    label: str
    starts_at: str | None
    ends_at: str | None
    state: Literal["open", "closing", "final", "expired"]


class Row(TypedDict):
    """A player in their place. ``rank`` and ``tied`` may be None while ``live`` is false.

    ``metadata`` is that of the score that set the standing, if it was asked for and there is any.
    """

    rank: int | None
    player: str
    name: str
    points: NotRequired[Number]
    fields: NotRequired[dict[str, int]]
    achieved_at: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    tied: int | None


class RowWithShare(Row):
    """A player in their place among all; ``percentile`` is the share of the others ranked below, 0 to 100."""

    percentile: Number | None


class _Moment(TypedDict):
    board: int
    period: Period
    as_of: str
    live: bool


class _Frame(_Moment):
    total: int


class _PartsFrame(_Moment):
    """``complete`` is False while a part of the players is missing: then ``total`` and all ranks are None."""

    total: int | None
    complete: NotRequired[bool]


class Standings(_PartsFrame):
    """Rows of one period, best first."""

    rows: list[Row]


class _Cursors(TypedDict):
    """For the pages before and behind this one; None at the first and the last row."""

    previous_cursor: str | None
    next_cursor: str | None


class _AroundCursors(TypedDict):
    """For the rows before and behind ``around``; None at the first and the last row, and without ``around``."""

    around_previous_cursor: str | None
    around_next_cursor: str | None


class Page(Standings, _Cursors):
    """A page of one period, or a window around a player, best first."""


class Winner(TypedDict):
    """A player of the first rank of a final period."""

    player: str
    name: str
    points: NotRequired[Number]
    fields: NotRequired[dict[str, int]]


class ListedPeriod(Period):
    """A period. ``players`` is None while DynamoDB does not answer; up to five ``winners``, None before it is final."""

    players: int | None
    winners: list[Winner] | None


class Periods(_Cursors):
    """A page of a board's periods, the newest first."""

    board: int
    total: int
    as_of: str
    rows: list[ListedPeriod]


class PlayerRow(RowWithShare, _PartsFrame):
    """One player's row, with its board and period."""


class PlayerPercentile(_PartsFrame):
    """A player is within the best ``top`` percent, and ahead of ``percentile`` percent of the others.

    The exact figures are at most ``error`` better. ``exact``: it was counted now. All three are None with the rank.
    """

    player: str
    top: Number | None
    percentile: Number | None
    error: Number | None
    exact: bool


Rows = list[Row]  # a name of its own: below, `list` is a part of the answer


class View(_PartsFrame, _Cursors, _AroundCursors):
    """A page, a player and their neighbours, and others by name: all of one moment."""

    list: Rows
    me: RowWithShare | None
    around: Rows | None
    named: Rows | None


class RunningPeriod(Period):
    """The running period."""

    seconds_left: int | None


class Board(TypedDict):
    """A board; the names of its settings are those of docs/boards.md."""

    seq: int
    name: str
    total: int | None  # null while DynamoDB has the board and does not answer
    retired_at: str | None
    period: RunningPeriod | None
    opens_at: str | None
    order: Literal["desc", "asc"]
    update: Literal["best", "latest", "increment"]
    ties: Literal["first_come", "last_come", "shared", "dense"]
    decimals: int
    minimum: Number
    maximum: Number
    operators: NotRequired[list[str]]
    unit: str
    visibility: Literal["public", "private"]
    criteria: list[dict[str, Any]]
    settings: dict[str, Any]


class Boards(TypedDict):
    """Boards by number."""

    total: int
    rows: list[Board]


class CompetitionListed(TypedDict):
    """A competition in a list."""

    id: int
    name: str
    state: Literal["open", "running", "frozen", "closing", "provisional", "final", "cancelled"]
    starts_at: str
    ends_at: str
    board: int
    participants: int


class Competitions(TypedDict):
    """Competitions, the latest start first."""

    total: int
    rows: list[CompetitionListed]


class Competition(CompetitionListed):
    """A competition with its settings, of which these are the ones that games ask for."""

    description: str
    timezone: str
    joining: Literal["everyone", "code", "list"]
    join_until: str | None
    seconds_left: int
    total: int
    not_started: int | None
    final_at: str | None
    cancelled_at: str | None


class CompetitionRow(Row):
    """A participant in their place; where a division was asked for, in the division's too."""

    division_rank: NotRequired[int]
    division_tied: NotRequired[int]


class CompetitionStandings(_PartsFrame):
    """Rows of a competition, best first."""

    competition: int
    not_started: int | None
    division: NotRequired[int]
    rows: list[CompetitionRow]


class CompetitionPage(CompetitionStandings, _Cursors):
    """A page of a competition, or a window around a participant, best first."""


class _Participant(TypedDict):
    rank: int | None
    player: str
    name: str
    points: NotRequired[Number | None]
    fields: NotRequired[dict[str, int]]
    achieved_at: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]
    tied: int | None
    division_rank: NotRequired[int]
    division_tied: NotRequired[int]
    percentile: Number | None
    status: Literal["ranked", "not_started", "hidden"]


class ParticipantRow(_Participant, _Frame):
    """One participant: in their place, or without rank and points."""

    competition: int


CompetitionRows = list[CompetitionRow]


class CompetitionView(_PartsFrame, _Cursors, _AroundCursors):
    """Several things of a competition, all of one moment."""

    competition: int
    not_started: int | None
    list: CompetitionRows
    me: _Participant | None
    around: CompetitionRows | None
    named: CompetitionRows | None
