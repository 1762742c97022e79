"""The shapes of answers about likes, for the OpenAPI document. Views build their answers themselves."""

from ninja import Field, Schema


class Liked(Schema):
    """What has become of it: asked for again it is the same."""

    liked: bool = Field(description="Whether the player likes it now.")
    count: int = Field(description="How many likes it has now.")


class Likes(Schema):
    """The likes of one thing."""

    count: int
    liked: bool = Field(description="Whether the player named by `player` likes it; false where none is named.")
    live: bool = Field(description="False where SQL answered because Redis was away.")


class LikesOfThing(Likes):
    """The same among others."""

    id: str = Field(examples=["5"])


class LikesListed(Schema):
    """Several things of a kind, in the order in which they were named."""

    total: int
    rows: list[LikesOfThing]
