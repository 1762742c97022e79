"""What every store of likes does, by example."""

from datetime import timedelta

import pytest

from likes.core.kinds import Storage
from likes.stores.base import Liker, LikeSummary
from likes.stores.choose import store_of
from tests.contracts.likes.kinds import LATER, NOW, STORAGES, name_of, registered

pytestmark = [
    pytest.mark.contract,
    pytest.mark.django_db(transaction=True),
    pytest.mark.parametrize("form", STORAGES, ids=name_of),
]

ANN, BOB = Liker("ann", 1, NOW), Liker("bob", 1, NOW)
# What is done, with the milliseconds since NOW, and count and own as told after it; then who likes the thing.
Case = tuple[list[tuple[str, str, float, tuple[int, int]]], list[Liker]]

LIKES: dict[str, Case] = {
    "asked for twice it is there once and keeps its time": (
        [
            *[("like", "ann", 0, (1, 1)), ("like", "bob", 0, (2, 1)), ("like", "bob", 1, (2, 1))],
            ("unlike", "ann", 1, (1, 0)),
        ],
        [BOB],
    ),
    "never below nothing, and given again as new": (
        [
            *[("like", "ann", 0, (1, 1)), *[("unlike", name, 0, (0, 0)) for name in ("ann", "ann", "bob")]],
            ("like", "ann", 1, (1, 1)),
        ],
        [Liker("ann", 1, LATER)],
    ),
    "the newest first, and at one millisecond the greater id": (
        [("like", "가", 0, (1, 1)), ("like", "ann", 0.999, (2, 1)), ("like", "bob", 1, (3, 1))],
        [Liker("bob", 1, LATER), Liker("가", 1, NOW), ANN],
    ),
}
APPLAUSE: dict[str, Case] = {
    "each clap counts and the latest gives the time": (
        [("like", "bob", 0, (1, 1)), ("like", "ann", 0, (2, 1)), ("like", "bob", 1, (3, 2))],
        [Liker("bob", 2, LATER), ANN],
    ),
    "one is taken back at a time, and the rest keeps its time": (
        [
            *[("like", "ann", 0, (1, 1)), ("like", "ann", 0, (2, 2)), ("unlike", "ann", 1, (1, 1))],
            *[("like", "bob", 1, (2, 1)), ("unlike", "bob", 1, (1, 0)), ("unlike", "bob", 1, (1, 0))],
        ],
        [ANN],
    ),
}


@pytest.mark.parametrize(("repeatable", "cases"), [(False, LIKES), (True, APPLAUSE)], ids=["like", "applause"])
def test_each_action_is_told_and_listed(
    redis_known: None, subtests: pytest.Subtests, form: tuple[Storage, int], repeatable: bool, cases: dict[str, Case]
) -> None:
    with registered(*form, repeatable=repeatable) as kind:
        store = store_of(kind)
        for thing, (actions, likers) in cases.items():
            with subtests.test(thing):
                for action, player, after, told in actions:
                    shown = getattr(store, action)(thing, player, NOW + timedelta(milliseconds=after))
                    assert (shown.count, shown.own, shown.live) == (*told, True)
                listed = store.likers(thing, 0, 10)
                assert (listed.total, listed.rows, listed.live) == (len(likers), likers, True)


def test_things_are_read_together_and_apart_from_other_kinds_and_who_likes_them_in_pages(
    redis_known: None, form: tuple[Storage, int]
) -> None:
    with registered(*form) as kind, registered(Storage.SQL, kind="photo") as photo:
        store = store_of(kind)
        for thing, player, at in (("a", "ann", NOW), ("c", "가", NOW), ("c", "ann", NOW), ("c", "bob", LATER)):
            store.like(thing, player, at)

        asked = ["c", "a.b:c", "a", "c"]
        found = {player: store.read(asked, player) for player in ("bob", "who", None)}
        pages = [store.likers("c", offset, 2) for offset in (0, 2, 4)]

        assert found["bob"] == [LikeSummary(3, 1), LikeSummary(0, 0), LikeSummary(1, 0), LikeSummary(3, 1)]
        assert (
            found["who"] == found[None] == [LikeSummary(3, 0), LikeSummary(0, 0), LikeSummary(1, 0), LikeSummary(3, 0)]
        )
        assert store.read([], "ann") == []
        assert store_of(photo).read(["a"], "ann") == [LikeSummary(0, 0)]
        assert [page.total for page in pages] == [3, 3, 3]
        assert [[row.player for row in page.rows] for page in pages] == [["bob", "가"], ["ann"], []]
