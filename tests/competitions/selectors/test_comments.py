"""What a page of comments costs, and that no reader learns of what he may not read."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from competitions.models import Comment
from competitions.selectors.comments import Order, Reader, comments
from competitions.services.moderate import hide
from foundation import redis
from likes.services.like import unlike
from tests.competitions.site import SOON, open_competition, player
from tests.competitions.talking import liked, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def round_trips(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Filled from now on with each exchange with the boards' Redis: how many commands went at once."""
    sent: list[int] = []
    exchange = redis.Link._exchange

    def counting(link: redis.Link, commands: Sequence[Sequence[redis.Argument]]) -> list[Any]:
        if commands:
            sent.append(len(commands))
        return exchange(link, commands)

    monkeypatch.setattr(redis.Link, "_exchange", counting)
    return sent


@pytest.mark.parametrize("many", [2, 8])
def test_a_page_costs_one_round_trip_and_a_fixed_number_of_queries(monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    competition = open_competition()
    for number in range(many):
        liked(say(competition, f"p{number}", f"Number {number}"), "robin")
    reader = Reader(player("robin"))
    comments(competition, limit=50, reader=reader)  # what Redis did not have yet is there now
    sent = round_trips(monkeypatch)

    with CaptureQueriesContext(connection) as queries:
        found = comments(competition, limit=50, reader=reader)

    assert len(found.rows) == many
    assert all(each.likes.liked and each.likes.count == 1 and each.likes.live for each in found.rows)
    assert sent == [many]
    assert len(queries) == 3, [each["sql"][:80] for each in queries]


def test_counts_and_ones_own_likes_are_of_this_moment() -> None:
    comment = say(open_competition(), "ann")
    liked(comment, "bob", "cleo")

    def seen(name: str) -> tuple[int, bool]:
        likes = comments(comment.competition, reader=Reader(player(name))).rows[0].likes
        return likes.count, likes.liked

    assert (seen("bob"), seen("ann")) == ((2, True), (2, False))
    unlike("comment", str(comment.pk), "bob", SOON)
    assert seen("bob") == (1, False)


def test_hidden_ones_are_there_for_their_author_and_for_moderators_alone() -> None:
    competition = open_competition()
    rude, kind = say(competition, "ann", "Rude"), say(competition, "bob", "Kind")
    hide(rude.pk, "Rude.", SOON, None)

    def read_by(reader: Reader) -> tuple[int, list[str]]:
        found = comments(competition, reader=reader)
        return found.total, [each.comment.text for each in found.rows]

    assert read_by(Reader()) == read_by(Reader(player("bob"))) == (1, ["Kind"])
    assert read_by(Reader(player("ann"))) == read_by(Reader(None, sees_hidden=True)) == (2, ["Kind", "Rude"])
    assert kind.is_visible


def test_by_likes_and_of_equals_the_newer_first() -> None:
    competition = open_competition()
    rows = [say(competition, "ann", f"Number {number}") for number in range(4)]
    for row, likes in zip(rows, (1, 3, 1, 0), strict=True):
        Comment.objects.filter(pk=row.pk).update(like_count=likes)

    found = comments(competition, Order.LIKES, offset=1, limit=2)

    assert [each.comment.text for each in found.rows] == ["Number 2", "Number 0"]
    assert found.total == 4
