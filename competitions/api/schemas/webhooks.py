"""The webhooks of competitions, rewards and leagues, for the OpenAPI document; the tests compare each message."""

from collections.abc import Mapping
from typing import Literal

from ninja import Field, Schema

from leaderboards.api.openapi.schemas import Time
from leaderboards.api.openapi.webhooks import WebhookDoc


class NamedCompetition(Schema):
    """A competition by its number."""

    id: int
    name: str


class CompetitionOfMessage(NamedCompetition):
    """A competition and its board."""

    board: int


class DataOfResult(Schema):
    """A competition, never its standings."""

    competition: CompetitionOfMessage
    starts_at: Time
    ends_at: Time


class DataOfCompetition(DataOfResult):
    """What was done to a competition."""

    reason: str = Field(description="May be empty.")


class DataOfRevision(DataOfResult):
    """A final result that was published anew."""

    revision: int = Field(description="Its number, from 2.")
    content_hash: str
    previous_hash: str
    cause: Literal[
        "disqualified", "reinstated", "brought_back", "moved", "voided", "restored", "accepted", "confirmed", "ban"
    ] = Field(description="What the jury did; `ban` where somebody is not shown any more, or again.")


class DataOfRankAlert(Schema):
    """A player who won or lost a place."""

    notice: int
    competition: NamedCompetition
    player: str
    rank: int | None = Field(description="Null if the player is not ranked any more.")
    previous_rank: int | None = Field(description="Null for a player who was not ranked before.")
    seen_at: Time = Field(description="When the snapshot was taken.")
    quiet_until: Time | None = Field(description="Until when the player does not want to be disturbed.")


class DataOfGrant(Schema):
    """A reward of a player."""

    grant: int
    reward: str = Field(description="Its name.")
    code: str
    player: str
    rank: int
    board: int
    period: str = Field(examples=["2026-47"])
    competition: int | None = Field(description="Null on calendar boards.")


class DataOfRevokedGrant(DataOfGrant):
    """A reward that was taken back."""

    reason: str = Field(description="May be empty.")
    delivered_at: Time | None = Field(description="When it was marked as delivered; null if it was not.")


class DataOfLeague(Schema):
    """A player who moves to another tier."""

    board: int
    period: str = Field(examples=["2026-47"])
    player: str
    place: int = Field(ge=1, description="Within the group.")
    tier: str = Field(description="The name of the tier in which the period was played.")
    next_tier: str


_COMPETITION = {
    "competition.published": WebhookDoc("A competition was published.", DataOfCompetition),
    "competition.extended": WebhookDoc("The end of a competition was moved.", DataOfCompetition),
    "competition.cancelled": WebhookDoc("A competition was cancelled.", DataOfCompetition),
    "competition.revealed": WebhookDoc("A frozen result was shown.", DataOfCompetition),
    "competition.final": WebhookDoc(
        "The result is final; a frozen one stays hidden until `competition.revealed`.", DataOfResult
    ),
    "competition.revised": WebhookDoc(
        "A final result was published anew, once for each revision after the first.", DataOfRevision
    ),
}
_RANK = {
    "rank.first_taken": WebhookDoc("A player took the first place in the last hours.", DataOfRankAlert),
    "rank.first_lost": WebhookDoc("A player lost the first place in the last hours.", DataOfRankAlert),
    "rank.top3_entered": WebhookDoc("A player entered the first three in the last hours.", DataOfRankAlert),
    "rank.top10_entered": WebhookDoc("A player entered the first ten in the last hours.", DataOfRankAlert),
}
_OTHERS = {
    "reward.granted": WebhookDoc("A final ranking earned a reward, once for each grant.", DataOfGrant),
    "reward.revoked": WebhookDoc("A reward was taken back, once for each grant.", DataOfRevokedGrant),
    "league.promoted": WebhookDoc("A player moves to the next higher tier.", DataOfLeague),
    "league.demoted": WebhookDoc("A player moves to the next lower tier.", DataOfLeague),
}


def competition_webhooks() -> Mapping[str, WebhookDoc]:
    """The kinds of this app, by name."""
    return {**_COMPETITION, **_RANK, **_OTHERS}
