"""Reports of comments are dismissed from the list, where there are any."""

import pytest
from django.test import Client

from competitions.models import Comment, CommentReport
from foundation import clock
from tests.competitions.site import open_competition, player
from tests.leaderboards.admin.typed import act

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]
COMMENTS = "/admin/competitions/comment/"


def test_only_comments_with_open_reports_are_dismissed_and_each_is_named(admin: Client) -> None:
    competition = open_competition()
    told = {"competition": competition, "created_at": clock.now()}
    quiet, loud = (
        Comment.objects.create(player=player(name), text=f"Hello from {name}", **told) for name in ("alice", "bob")
    )
    CommentReport.objects.create(comment=loud, player=player("alice"), reason="Rude.", created_at=clock.now())

    nothing = act(admin, COMMENTS, "dismiss", quiet)
    done = act(admin, COMMENTS, "dismiss", quiet, loud)

    assert "None of the selected has an open report" in nothing
    assert "Done: 1. bob: Hello from bob" in done
    assert not CommentReport.objects.filter(settled_at=None).exists()
