"""What tests of comments begin with: comments and likes, through the services."""

from typing import Any

from competitions.models import Comment, Competition
from foundation import clock
from likes.services.like import like
from tests.competitions.factories import CommentFactory
from tests.competitions.site import player


def say(competition: Competition, name: str, text: str = "Well done.", form: str = "", **more: Any) -> Comment:
    """The player says it; from a form of its own unless one is named."""
    return CommentFactory.create(
        competition=competition, player=player(name), text=text, **({"form": form} if form else {}), **more
    )


def liked(comment: Comment, *names: str) -> None:
    """These players like it."""
    for name in names:
        like("comment", str(comment.pk), name, clock.now())
