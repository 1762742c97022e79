"""player_export and player_erase reach what somebody has said and likes."""

import pytest

from competitions.models import Comment
from foundation import clock
from likes.models import Like
from likes.services.count import count_due
from tests.competitions.site import open_competition
from tests.competitions.talking import liked, say
from tests.leaderboards.commands.calls import run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_an_export_holds_what_a_player_said_and_likes_and_nothing_of_others_until_they_are_erased() -> None:
    competition = open_competition()
    own, others = say(competition, "ann", "Mine."), say(competition, "bob", "His.")
    liked(own, "bob")
    liked(others, "ann", "carl")

    printed = run("player_export", "ann")

    told = printed.json
    assert [row["text"] for row in told["comments"]] == ["Mine."]
    assert [(row["kind"], row["thing"], row["amount"]) for row in told["likes"]] == [("comment", str(others.pk), 1)]
    assert "His." not in printed.out

    erased = run("player_erase", "ann").json["player"]
    count_due(clock.now())

    others.refresh_from_db()
    assert Comment.objects.get(player__external_id=erased).text == ""
    assert others.like_count == 1
    assert not Like.objects.filter(player__external_id=erased, amount__gt=0).exists()
    assert "Mine." not in run("player_export", erased).out
