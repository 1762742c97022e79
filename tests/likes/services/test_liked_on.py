"""What was liked most on a day: a like counts on the day on which it was given, and leaves it when it is taken back."""

from datetime import date

import pytest

from foundation import redis
from leaderboards.services.erase import erase_player
from leaderboards.services.players import ensure_player
from likes import registry
from likes.core.keys import LikedKeys
from likes.core.kinds import Storage
from likes.models import Like
from likes.selectors.liked_on import most_liked
from likes.services import like as liking
from likes.services.liked_on import note, open_tomorrow
from likes.services.settle import settle_due
from likes.stores.activity import ActivityStore
from likes.stores.liked_on import LikedOn
from tests.at_once import at_once
from tests.likes.counting import DAY, NOON, client
from tests.likes.factories import LikeableFactory
from tests.likes.kept import redis_away

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("activity")]

TODAY, YESTERDAY = NOON.date(), (NOON - DAY).date()
KEY = LikedKeys("comment", TODAY).ranking


@pytest.fixture
def ranking(activity: ActivityStore) -> None:
    """Empty rankings of today and yesterday."""
    for day in (TODAY, YESTERDAY):
        LikedOn(redis.boards(), "comment", day).install({})


@pytest.fixture
def comments(ranking: None, monkeypatch: pytest.MonkeyPatch, storage: Storage) -> None:
    """One kind, and no other."""
    monkeypatch.setattr(registry, "_kinds", {})
    LikeableFactory.create(kind="comment", storage=storage)
    settle_due(NOON)


def like(*liked: tuple[str, str]) -> None:
    """Rows of likes that no ranking was told of: the thing, and who likes it."""
    for thing, player in liked:
        Like.objects.create(kind="comment", thing=thing, player=ensure_player(player, NOON), amount=1, at=NOON)


def likes(day: date = TODAY, limit: int = 10) -> list[tuple[str, int]]:
    return [(row.thing, row.likes) for row in most_liked("comment", day, limit)]


@pytest.mark.usefixtures("ranking")
def test_likes_rank_the_things_and_none_is_ever_below_nothing() -> None:
    for thing, change in (("5", 1), ("6", 1), ("5", 1), ("4", 1), ("3", -1), ("2", 1), ("2", -1)):
        note("comment", thing, NOON, change)

    assert likes() == [("5", 2), ("6", 1), ("4", 1)]
    assert likes(limit=2) == [("5", 2), ("6", 1)]
    assert client().zrange(KEY, 0, -1) == [b"", b"4", b"6", b"5"]


@pytest.mark.usefixtures("ranking")
def test_a_ranking_that_missed_a_like_is_made_anew() -> None:
    with redis_away():
        note("comment", "5", NOON, 1)
        away_too = likes()
    like(("5", "ann"), ("6", "ann"))

    note("comment", "6", NOON, 1)

    assert away_too == []
    assert likes() == [("6", 1), ("5", 1)]


def test_a_ranking_that_redis_lost_is_made_of_all_likes_of_the_day_and_none_of_a_part() -> None:
    like(("5", "ann"), ("5", "bob"), ("6", "ann"), ("7", "ann"), ("8", "ann"))
    Like.objects.filter(thing="7").update(at=NOON - DAY)
    Like.objects.filter(thing="8").update(amount=0)

    note("comment", "6", NOON, 1)

    assert likes() == [("5", 2), ("6", 1)]
    assert 0 < client().ttl(KEY) <= 8 * 86_400


def test_it_is_made_by_one_at_a_time() -> None:
    like(("5", "ann"))

    found = at_once([likes] * 8)

    assert [("5", 1)] in found
    assert all(each in ([("5", 1)], []) for each in found)


@pytest.mark.parametrize("storage", Storage, ids=str)
def test_every_storage_tells_what_changed_and_nothing_else(comments: None) -> None:
    for player, thing in (("ann", "5"), ("ann", "5"), ("bob", "5"), ("bob", "6")):
        liking.like("comment", thing, player, NOON)
    liked = likes()

    for _ in range(2):
        liking.unlike("comment", "5", "ann", NOON)

    assert liked == [("5", 2), ("6", 1)]
    assert likes() == [("6", 1), ("5", 1)]


def test_a_like_that_is_taken_back_or_whose_player_is_erased_leaves_the_day_on_which_it_was_given(
    comments: None,
) -> None:
    for player, at in (("ann", NOON - DAY), ("cy", NOON - DAY), ("bob", NOON), ("dan", NOON)):
        liking.like("comment", "5", player, at)

    liking.unlike("comment", "5", "ann", NOON)
    assert (likes(), likes(YESTERDAY)) == ([("5", 2)], [("5", 1)])

    erase_player("dan", NOON)
    assert (likes(), likes(YESTERDAY)) == ([("5", 1)], [("5", 1)])


def test_the_coming_day_is_opened_before_it_begins(comments: None) -> None:
    open_tomorrow(NOON)
    note("comment", "5", NOON + DAY, 1)
    open_tomorrow(NOON)

    assert likes((NOON + DAY).date()) == [("5", 1)]
