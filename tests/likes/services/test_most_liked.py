"""What was liked most on a day: a like counts on the day on which it was given, and leaves it when it is taken back."""

import random
import re
from collections import Counter
from datetime import date, datetime, timedelta
from functools import partial

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from foundation import clock
from foundation.db.resilience import SqlAway
from leaderboards.services.players.erase import erase_player
from leaderboards.services.players.profiles import ensure_player
from leaderboards.stores.sql.writes import ensure_players
from likes.core.kinds import Storage
from likes.errors import LikeOutcomeUnknown, LikesUnavailable
from likes.models import Like
from likes.registry import Likeable
from likes.selectors.most_liked import RANKED_AT_MOST, clear_most_liked_cache, most_liked, ranking
from likes.services import like as liking
from likes.stores.choose import store_of
from tests.at_once import at_once
from tests.contracts.likes.kinds import settled
from tests.likes.counting import DAY, NOON
from tests.likes.kept import redis_away

pytestmark = [pytest.mark.django_db(transaction=True)]

TODAY, YESTERDAY = NOON.date(), (NOON - DAY).date()
EVERY_STORAGE = pytest.mark.parametrize("storage", Storage, ids=str)
THREADS = 16


def given(kind: str, thing: str, player: str, at: datetime = NOON, amount: int = 1) -> None:
    Like.objects.create(kind=kind, thing=thing, player=ensure_player(player, NOON), amount=amount, at=at)


def likes(kind: str = "note", day: date = TODAY, limit: int = 10) -> list[tuple[str, int]]:
    """Counted now, whatever was counted a moment ago."""
    clear_most_liked_cache()
    return [(row.thing, row.likes) for row in most_liked(kind, day, limit)]


@EVERY_STORAGE
def test_every_storage_ranks_what_was_liked_and_of_equals_the_greater_id(kind: Likeable) -> None:
    for player, thing in (("ann", "5"), ("ann", "5"), ("bob", "5"), ("bob", "6"), ("ann", "10")):
        liking.like(kind.kind, thing, player, NOON)
    settled(kind)
    liked = likes()

    for _ in range(2):
        liking.unlike(kind.kind, "5", "ann", NOON)
    settled(kind)

    assert liked == [("5", 2), ("6", 1), ("10", 1)]
    assert likes() == [("6", 1), ("5", 1), ("10", 1)]
    assert likes(limit=2) == [("6", 1), ("5", 1)]


def test_a_day_is_of_utc_and_of_one_kind_and_has_likes_that_stand_alone() -> None:
    midnight = NOON.replace(hour=0)
    for thing, at in (("last", midnight - timedelta(milliseconds=1)), ("first", midnight), ("end", midnight + DAY)):
        given("note", thing, "ann", at)
    given("note", "taken back", "ann", amount=0)
    given("photo", "other", "ann")

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET TIME ZONE 'Asia/Seoul'")
        found = likes(), likes(day=YESTERDAY)
        if connection.vendor == "postgresql":
            cursor.execute("SET TIME ZONE 'UTC'")

    assert found == ([("first", 1)], [("last", 1)])


@EVERY_STORAGE
def test_a_like_that_is_taken_back_or_whose_player_is_erased_leaves_the_day_on_which_it_was_given(
    kind: Likeable,
) -> None:
    for player, at in (("ann", NOON - DAY), ("cy", NOON - DAY), ("bob", NOON), ("dan", NOON)):
        liking.like(kind.kind, "5", player, at)

    liking.unlike(kind.kind, "5", "ann", NOON)
    settled(kind)
    assert (likes(), likes(day=YESTERDAY)) == ([("5", 2)], [("5", 1)])

    erase_player("dan", NOON)
    settled(kind)
    assert (likes(), likes(day=YESTERDAY)) == ([("5", 1)], [("5", 1)])


@pytest.mark.parametrize("repeatable", [True], ids=["applause"])
@EVERY_STORAGE
def test_of_a_repeatable_kind_each_player_counts_once_on_the_day_of_the_latest(kind: Likeable) -> None:
    for at in (NOON - DAY, NOON, NOON):
        liking.like(kind.kind, "5", "ann", at)
    settled(kind)

    assert (likes(), likes(day=YESTERDAY)) == ([("5", 1)], [])


def at_random(kind: Likeable, seed: int) -> None:
    """Likes a few things and takes back, over and over; what was not decided is asked for again. Ann has many hands."""
    chance, until = random.Random(seed), clock.monotonic() + 60
    for _ in range(12):
        act, thing, decided = chance.choice((liking.like, liking.unlike)), chance.choice("567"), False
        while not decided:
            try:
                act(kind.kind, thing, "ann" if seed % 2 else f"p{seed}", NOON)
                decided = True
            except (LikesUnavailable, LikeOutcomeUnknown):
                assert clock.monotonic() < until


@EVERY_STORAGE
def test_sixteen_threads_like_and_take_back_and_the_ranking_is_what_the_stores_count(kind: Likeable) -> None:
    ensure_players(["ann", *(f"p{seed}" for seed in range(THREADS))], NOON)

    at_once([partial(at_random, kind, seed) for seed in range(THREADS)])
    settled(kind)

    counts = Counter({thing: store_of(kind).read([thing], None)[0].count for thing in "567"})
    assert dict(likes()) == dict(+counts)


@pytest.mark.parametrize("storage", [Storage.HYBRID, Storage.SQL, Storage.APPEND], ids=str)
def test_while_redis_is_away_nothing_is_missed(kind: Likeable) -> None:
    liking.like(kind.kind, "5", "ann", NOON)

    with redis_away():
        liking.like(kind.kind, "6", "ann", NOON)
        liking.like(kind.kind, "6", "bob", NOON)
        liking.unlike(kind.kind, "5", "ann", NOON)
        meanwhile = likes()

    assert meanwhile == likes() == [("6", 2)]


def test_a_crowd_that_asks_at_once_has_it_counted_once_and_inside_a_transaction_each_sees_its_own() -> None:
    given("note", "5", "ann")
    before = likes()
    given("note", "5", "bob")

    with CaptureQueriesContext(connection) as asked:
        again = [most_liked("note", TODAY, limit) for limit in (10, 1)]
    with transaction.atomic():
        given("note", "5", "cy")
        [within] = most_liked("note", TODAY, 10)
        transaction.set_rollback(True)
    [after] = most_liked("note", TODAY, 10)

    assert before == [("5", 1)]
    assert [row.likes for rows in again for row in rows] == [1, 1]
    assert len(asked) == 0
    assert (within.likes, after.likes) == (3, 1)


def test_the_best_thousand_are_ranked() -> None:
    player = ensure_player("ann", NOON)
    things = [f"{nth:04d}" for nth in range(RANKED_AT_MOST + 1)]
    Like.objects.bulk_create(Like(kind="note", thing=thing, player=player, at=NOON) for thing in things)

    found = likes(limit=2 * RANKED_AT_MOST)

    assert [thing for thing, _ in found] == things[:0:-1]


def test_without_sql_it_is_said_that_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_query: object) -> object:
        raise SqlAway("SQL is away.")

    monkeypatch.setattr("likes.selectors.most_liked.ask", away)

    with pytest.raises(SqlAway):
        most_liked("note", TODAY, 10)


def test_a_day_is_counted_by_its_index() -> None:
    """However few rows there are now; where there are many, PostgreSQL prefers it by itself."""
    if connection.vendor == "sqlite":
        assert "INDEX like_of_day" in ranking("note", TODAY).explain()
        return
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off; SET enable_bitmapscan = off")
        plan = ranking("note", TODAY).explain()
        cursor.execute("RESET enable_seqscan; RESET enable_bitmapscan")
        cursor.execute("SELECT reloptions::text FROM pg_class WHERE relname = 'likes_like'")
        [[settings]] = cursor.fetchall()

    assert re.search("Index Only Scan.* using like_of_day", plan)
    assert "autovacuum_vacuum_insert_threshold=50000" in settings
