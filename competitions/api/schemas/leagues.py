"""The schemas of answers about leagues, for the OpenAPI document; a test compares them with the answers."""

from typing import Annotated, Literal

from ninja import Field, Schema

from leaderboards.api.openapi.schemas import PeriodOfBoard, RowOfStandings, Time
from leaderboards.api.openapi.shared import shared

Outcome = Annotated[Literal["promoted", "stayed", "demoted"], shared("OutcomeOfPlace")]


class RulesOfLeague(Schema):
    """How a league goes."""

    board: int
    tiers: list[str] = Field(description="The names of the tiers, the lowest first: everybody begins there.")
    group_size: int = Field(description="How many players a group takes.")
    promoted: int = Field(description="How many places of a group move up; all who tie with the last of them do.")
    demoted: int = Field(description="How many last places of a group move down; never one of those above.")


class LeagueOfBoard(RulesOfLeague):
    """A board's league, as periods that begin from now on will have it."""


class RowOfGroup(RowOfStandings):
    """A member of a group. ``rank`` and ``tied`` are those of the whole board."""

    place: int = Field(ge=1, description="The place in the group.")
    sharing: int = Field(ge=1, description="How many of the group share the place, themselves included.")
    outcome: Outcome = Field(description="What the place comes to: as things stand, for good once `turned_at` is set.")


class LeagueOfPlayer(RulesOfLeague):
    """A player in the league of a period, by the rules of that period."""

    period: PeriodOfBoard
    tier: int = Field(ge=1, description="The number of the player's tier, from 1, the lowest.")
    tier_name: str
    turned_at: Time | None = Field(description="When the players were moved; null until the period is final.")
    as_of: Time
    live: bool = Field(description="False where SQL answered because Redis was away.")
    group: int | None = Field(description="The group's number in its tier; null while the player has not scored yet.")
    place: int | None = Field(description="The player's place in the group; null likewise.")
    outcome: Outcome | None
    rows: list[RowOfGroup] = Field(description="The members of the group, best first.")
