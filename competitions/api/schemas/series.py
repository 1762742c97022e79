"""The schemas of answers about series, for the OpenAPI document; a test compares them with the answers."""

from ninja import Field, Schema

from competitions.api.parameters import State
from leaderboards.api.openapi.schemas import CursorsOfPage, RowOfStandings, Time


class SeriesInList(Schema):
    """A series in a list."""

    id: int
    name: str
    board: int = Field(description="The board on which the totals stand; nobody sends scores to it.")
    events: int = Field(description="How many competitions it has, as far as the caller may read them.")
    counted: int = Field(description="How many of them are counted.")


class SeriesListed(Schema):
    """Series, the youngest first."""

    total: int
    rows: list[SeriesInList]


class EventOfSeries(Schema):
    """A competition of a series."""

    competition: int
    name: str
    state: State
    starts_at: Time
    ends_at: Time
    counted: bool = Field(description="Whether its final result is in the results of the series.")


class SeriesShown(SeriesInList):
    """A series with its settings and its competitions."""

    description: str
    table: list[int] = Field(description="What places earn, the first place first; further ones earn 0.")
    taking_part: int = Field(description="What everybody who is ranked earns on top of that.")
    best: int | None = Field(description="How many results of a player count, the best ones; null is all.")
    competitions: list[EventOfSeries] = Field(description="In the order of the series.")


class ResultInSeries(Schema):
    """What a player earned in one competition."""

    competition: int
    place: int
    points: int
    counts: bool = Field(description="False where it is dropped.")


class RowOfSeries(RowOfStandings):
    """A player with the rank; ``points`` is the total."""

    results: list[ResultInSeries] = Field(description="In the order of the series, as far as the caller may read them.")


class StandingsOfSeries(CursorsOfPage):
    """Totals of a series, best first."""

    series: int
    board: int
    total: int = Field(description="How many players have a total.")
    counting: bool = Field(description="Results came in that the totals do not have yet; they do within seconds.")
    as_of: Time
    live: bool
    rows: list[RowOfSeries]
