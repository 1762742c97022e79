"""What was liked most on a day: a like counts on the day on which it was given, and leaves it when it is taken back."""

from collections.abc import Iterator
from datetime import datetime

import pytest

from foundation import redis
from leaderboards.services.erase import erase_player
from leaderboards.services.players import ensure_player
from likes import registry
from likes.core.keys import LikedKeys
from likes.core.kinds import Storage
from likes.models import Like
from likes.registry import Likeable
from likes.selectors.liked_on import MostLiked, most_liked
from likes.services import like as liking
from likes.services.liked_on import note, open_tomorrow
from likes.services.settle import settle_due
from likes.stores.liked_on import LikedOn
from tests.at_once import at_once
from tests.likes.counting import DAY, NOON, client, store

__all__ = ["store"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("store")]

TODAY, YESTERDAY = NOON.date(), (NOON - DAY).date()
KEY = LikedKeys("comment", TODAY).ranking


@pytest.fixture
def ranking() -> LikedOn:
    """An empty ranking of today."""
    found = LikedOn(redis.boards(), "comment", TODAY)
    found.install({})
    return found


@pytest.fixture
def comments(request: pytest.FixtureRequest) -> Iterator[None]:
    """One kind, and no other; in the storage that a test asks for."""
    before = dict(registry._kinds)
    registry._kinds.clear()
    registry.provide(Likeable("comment", dict.fromkeys, getattr(request, "param", Storage.HYBRID)))
    settle_due(NOON)
    yield
    registry._kinds.clear()
    registry._kinds.update(before)


def like(thing: str, player: str, at: datetime = NOON, amount: int = 1) -> None:
    Like.objects.create(kind="comment", thing=thing, player=ensure_player(player, at), amount=amount, at=at)


def likes(day: object = TODAY) -> list[tuple[str, int]]:
    return [(row.thing, row.likes) for row in most_liked("comment", day, 10)]  # type: ignore[arg-type]  # a date


def test_likes_rank_the_things(ranking: LikedOn) -> None:
    for thing in ("5", "6", "5", "4"):
        note("comment", thing, NOON, 1)

    assert most_liked("comment", TODAY, 2) == [MostLiked("5", 2), MostLiked("6", 1)]


def test_a_like_that_is_taken_back_leaves_the_day_on_which_it_was_given(ranking: LikedOn) -> None:
    LikedOn(redis.boards(), "comment", YESTERDAY).install({"5": 3})
    note("comment", "5", NOON, 1)

    note("comment", "5", NOON - DAY, -1)

    assert (likes(), likes(YESTERDAY)) == ([("5", 1)], [("5", 2)])


def test_nothing_is_ever_below_nothing(ranking: LikedOn) -> None:
    note("comment", "5", NOON, -1)
    note("comment", "6", NOON, 1)
    note("comment", "6", NOON, -1)

    assert likes() == []
    assert client().zrange(KEY, 0, -1) == [b""]


def test_a_ranking_that_redis_lost_is_made_from_the_likes_of_the_day() -> None:
    for player in ("ann", "bob"):
        like("5", player)
    like("6", "ann")
    like("7", "ann", NOON - DAY)
    like("8", "ann", amount=0)

    assert likes() == [("5", 2), ("6", 1)]
    assert 0 < client().ttl(KEY) <= 8 * 86_400


def test_a_like_makes_no_ranking_of_a_part() -> None:
    like("5", "ann")
    like("5", "bob")

    note("comment", "5", NOON, 1)

    assert likes() == [("5", 2)]


def test_it_is_made_by_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    like("5", "ann")

    found = at_once([likes] * 8)

    assert [("5", 1)] in found
    assert all(each in ([("5", 1)], []) for each in found)


def test_a_ranking_that_missed_a_like_is_made_anew(ranking: LikedOn, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise redis.RedisAway("Redis is away.")

    with monkeypatch.context() as patched:
        patched.setattr(redis.Link, "run", away)
        note("comment", "5", NOON, 1)
        away_too = likes()
    like("5", "ann")
    like("6", "ann")

    note("comment", "6", NOON, 1)

    assert away_too == []
    assert likes() == [("6", 1), ("5", 1)]


@pytest.mark.parametrize("comments", Storage, indirect=True)
def test_every_storage_tells_what_changed_and_nothing_else(ranking: LikedOn, comments: None) -> None:
    for player, thing in (("ann", "5"), ("ann", "5"), ("bob", "5"), ("bob", "6")):
        liking.like("comment", thing, player, NOON)
    liked = likes()

    for _ in range(2):
        liking.unlike("comment", "5", "ann", NOON)

    assert liked == [("5", 2), ("6", 1)]
    assert likes() == [("6", 1), ("5", 1)]


@pytest.mark.usefixtures("ranking", "comments")
def test_the_service_takes_a_like_from_the_day_of_its_giving() -> None:
    LikedOn(redis.boards(), "comment", YESTERDAY).install({})
    liking.like("comment", "5", "ann", NOON - DAY)
    liking.like("comment", "5", "bob", NOON)

    liking.unlike("comment", "5", "ann", NOON)

    assert (likes(), likes(YESTERDAY)) == ([("5", 1)], [])


@pytest.mark.usefixtures("comments")
def test_the_coming_day_is_opened_before_it_begins() -> None:
    open_tomorrow(NOON)
    note("comment", "5", NOON + DAY, 1)
    open_tomorrow(NOON)

    assert likes((NOON + DAY).date()) == [("5", 1)]


@pytest.mark.usefixtures("comments")
def test_who_is_erased_leaves_the_ranking(ranking: LikedOn) -> None:
    for player in ("ann", "bob"):
        liking.like("comment", "5", player, NOON)
    liking.like("comment", "6", "ann", NOON)
    assert likes() == [("5", 2), ("6", 1)]

    erase_player("ann", NOON)

    assert likes() == [("5", 1)]
