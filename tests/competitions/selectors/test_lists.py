"""What lists of competitions and pages of comments cost, and that no reader learns of what they may not read."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from competitions.models import Comment
from competitions.selectors.comments import Order, Reader, comments
from competitions.selectors.competitions import competition_by_id, competitions_known, competitions_listed, summaries_of
from competitions.services.comments.moderate import hide
from foundation.redis import client as redis
from leaderboards.models import Board
from likes.services.like import unlike
from tests.competitions.factories import HOUR, START
from tests.competitions.site import SOON, open_competition, player
from tests.competitions.talking import liked, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_of_competitions_that_a_page_does_not_show_nothing_is_read_but_where_they_stand_and_never_pictures() -> None:
    first = open_competition(name="Cup 0")
    for number in (1, 2):
        open_competition(first.board, name=f"Cup {number}", starts_at=START + number * HOUR, description="long")

    with CaptureQueriesContext(connection) as asked:
        known = competitions_known(SOON)
        states = [(each.phase(SOON), each.board.visibility) for each in known]
    with CaptureQueriesContext(connection) as read:
        [listed] = summaries_of(known[:1], SOON)
        competition_by_id(first.pk)

    assert states == [("open", "public"), ("running", "public"), ("running", "public")]
    assert len(asked) == 1
    assert "description" not in asked.captured_queries[0]["sql"]
    assert (listed.competition.name, listed.phase) == ("Cup 2", "open")
    assert len(read) >= 2
    assert not [query for query in read.captured_queries if '"picture"' in query["sql"]]
    Board.objects.update(visibility="private")
    assert (len(competitions_listed(SOON)), len(competitions_listed(SOON, include_private=True))) == (0, 3)


@pytest.mark.parametrize("many", [2, 8])
def test_a_page_of_comments_costs_one_round_trip_and_a_fixed_number_of_queries(
    monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    competition = open_competition()
    for number in range(many):
        liked(say(competition, f"p{number}", f"Number {number}"), "robin")
    reader = Reader(player("robin"))
    comments(competition, limit=50, reader=reader)  # what Redis did not have yet is there now
    sent: list[int] = []
    exchange = redis.RedisClient._exchange

    def counting(link: redis.RedisClient, commands: Sequence[Sequence[redis.Argument]]) -> list[Any]:
        if commands:
            sent.append(len(commands))
        return exchange(link, commands)

    monkeypatch.setattr(redis.RedisClient, "_exchange", counting)
    with CaptureQueriesContext(connection) as queries:
        found = comments(competition, limit=50, reader=reader)

    assert len(found.rows) == many
    assert all(each.likes.liked and each.likes.count == 1 and each.likes.live for each in found.rows)
    assert sent == [many]
    assert len(queries) == 3, [each["sql"][:80] for each in queries]
    unlike("comment", str(found.rows[0].comment.pk), "robin", SOON)
    likes = comments(competition, reader=reader).rows[0].likes
    assert (likes.count, likes.liked) == (0, False)


def test_hidden_comments_are_there_for_their_author_and_for_moderators_alone() -> None:
    competition = open_competition()
    rude = say(competition, "ann", "Rude")
    say(competition, "bob", "Kind")
    hide(rude.pk, "Rude.", SOON, None)

    def read_by(reader: Reader) -> tuple[int, list[str]]:
        found = comments(competition, reader=reader)
        return found.total, [each.comment.text for each in found.rows]

    assert read_by(Reader()) == read_by(Reader(player("bob"))) == (1, ["Kind"])
    assert read_by(Reader(player("ann"))) == read_by(Reader(None, sees_hidden=True)) == (2, ["Kind", "Rude"])


def test_comments_come_by_likes_and_of_equals_the_newer_first() -> None:
    competition = open_competition()
    rows = [say(competition, "ann", f"Number {number}") for number in range(4)]
    for row, likes in zip(rows, (1, 3, 1, 0), strict=True):
        Comment.objects.filter(pk=row.pk).update(like_count=likes)

    found = comments(competition, Order.LIKES, offset=1, limit=2)

    assert ([each.comment.text for each in found.rows], found.total) == (["Number 2", "Number 0"], 4)
