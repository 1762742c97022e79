"""A kind that is kept another way than before has the likes that it had, and shows them."""

from itertools import permutations
from math import inf

import pytest

from leaderboards.models import Player
from likes.core.kinds import Storage
from likes.errors import LikesUnavailable
from likes.models import Like, LikeChange, LikeKind
from likes.registry import Likeable
from likes.services.check import check
from likes.services.count import count
from likes.stores.choose import store_of
from tests.contracts.likes.kinds import NOW, registered, settled
from tests.likes.kept import keys_that_name, redis_away

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_known")]

RATES = [((Storage.SQL, 10), (Storage.SQL, 9_000)), ((Storage.SQL, 9_000), (Storage.SQL, 10))]
MOVES = [*permutations([(Storage.SQL, 900), *((each, 10) for each in Storage if each != Storage.SQL)], 2), *RATES]


def told(kind: Likeable) -> tuple[int, int, list[str]]:
    """The count, how often ann likes it, and who does."""
    store = store_of(kind)
    [shown] = store.read(["7"], "ann")
    return shown.count, shown.own, sorted(row.player for row in store.likers("7", 0, 10).rows)


@pytest.mark.parametrize(("earlier", "later"), MOVES, ids=str)
def test_what_was_not_counted_or_mirrored_yet_comes_along_and_leaves_no_name_in_redis(
    earlier: tuple[Storage, int], later: tuple[Storage, int]
) -> None:
    with registered(*earlier) as before:
        settled(before)
        for player in ("ann", "bob", "cy"):
            store_of(before).like("7", player, NOW)
        store_of(before).unlike("7", "cy", NOW)
        told(before)

    with registered(*later) as after:
        count(after, NOW)
        if before.storage == Storage.REDIS:
            with pytest.raises(LikesUnavailable):  # in a process that has not heard of it yet
                store_of(before).like("7", "cy", NOW)
            assert keys_that_name("ann") == []

        assert told(after) == (2, 1, ["ann", "bob"])
        assert check(after, NOW, inf, repair=False).differences == []
        assert not LikeChange.objects.exists()


def test_a_kind_of_which_redis_has_nothing_any_more_is_counted_from_its_rows() -> None:
    with registered(Storage.SQL) as kind:
        Like.objects.create(kind="note", thing="7", player=Player.objects.get(external_id="ann"), at=NOW)
        LikeKind.objects.create(kind="note", storage=Storage.REDIS)

        count(kind, NOW)

        assert told(kind) == (1, 1, ["ann"])


def test_a_view_of_before_shows_nothing_that_has_changed_elsewhere() -> None:
    with registered(Storage.HYBRID) as before:
        store_of(before).like("7", "ann", NOW)
        told(before)
        count(before, NOW)
    with registered(Storage.SQL) as meanwhile:
        count(meanwhile, NOW)
        store_of(meanwhile).unlike("7", "ann", NOW)

    with registered(Storage.HYBRID) as after:
        count(after, NOW)

        assert told(after) == (0, 0, [])


def test_until_its_counts_are_made_none_is_negative_or_without_ones_own() -> None:
    with registered(Storage.HYBRID) as before:
        for thing, player in (("7", "ann"), ("7", "bob"), ("8", "ann")):
            store_of(before).like(thing, player, NOW)
        count(before, NOW)

    with registered(Storage.SQL) as after:
        taken_back = store_of(after).unlike("7", "bob", NOW)
        own, nobodys = (store_of(after).read(["8"], player)[0] for player in ("ann", None))

    assert [(each.count, each.own) for each in (taken_back, own, nobodys)] == [(0, 0), (1, 1), (0, 0)]


@pytest.mark.parametrize("storage", [Storage.HYBRID, Storage.SQL])
def test_what_only_redis_has_waits_for_it_and_everything_else_does_not(storage: Storage) -> None:
    with registered(Storage.REDIS) as before:
        store_of(before).like("7", "ann", NOW)
        settled(before)
        store_of(before).like("7", "bob", NOW)

    with registered(storage) as after:
        with redis_away():
            count(after, NOW)
            store_of(after).like("7", "cy", NOW)
            count(after, NOW)
            meanwhile = told(after)
        for _ in range(2):  # counted, and views dropped
            count(after, NOW)

        assert (meanwhile, told(after)) == ((2, 1, ["ann", "cy"]), (3, 1, ["ann", "bob", "cy"]))
