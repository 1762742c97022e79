"""What tests of comments begin with: comments and likes, through the services."""

from datetime import datetime

from competitions.models import Comment, Competition
from competitions.services.comment import write
from foundation import clock
from likes.services.like import like
from tests.competitions.site import player


def say(
    competition: Competition, name: str, text: str = "Well done.", form: str = "", at: datetime | None = None
) -> Comment:
    """The player says it; from a form of its own unless one is named."""
    return write(competition, player(name), text, form or f"form-{Comment.objects.count()}", at or clock.now())


def liked(comment: Comment, *names: str) -> None:
    """These players like it."""
    for name in names:
        like("comment", str(comment.pk), name, clock.now())
