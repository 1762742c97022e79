"""SQL follows the likes that Redis decides over: states, each once, whatever comes late or is refused."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from math import inf

import pytest
from django.db import DataError

from foundation import redis
from foundation.models import DeadLetter
from likes import registry
from likes.core.keys import KindKeys
from likes.core.kinds import Storage
from likes.models import Like
from likes.registry import Likeable
from likes.services import mirror as mirroring
from likes.services.check import check_all
from likes.stores.redis import RedisStore
from tests.likes.applause import KIND, NOW, Told, applause, in_sql, is_dirty

pytestmark = pytest.mark.django_db(transaction=True)

LATER = NOW + timedelta(seconds=5)
PLAYERS = [f"player {nth}" for nth in range(64)]


class TestMirror:
    def test_it_copies_states_and_moves_the_counts_with_them(self, clap: Likeable) -> None:
        store = RedisStore(clap)
        for player in ("a", "b", "a"):
            store.like("x:1", player, NOW)
        mirroring.mirror(clap)
        store.unlike("x:1", "b", LATER)
        store.like("x:1", "a", LATER)

        assert (mirroring.mirror(clap), mirroring.mirror(clap)) == (2, 0)

        assert in_sql("x:1") == Told(3, {"a": 3})
        assert Like.objects.get(player__external_id="b").amount == 0

    def test_what_is_told_is_the_new_total(self, links: None) -> None:
        told: list[dict[str, int]] = []
        with applause() as kind:
            tells = Likeable(
                KIND, boards=dict.fromkeys, storage=Storage.REDIS, counted=lambda new: told.append({**new})
            )
            for thing, player in (("1", "a"), ("1", "b"), ("2", "a")):
                RedisStore(kind).like(thing, player, NOW)
            mirroring.mirror(tells)
            RedisStore(kind).unlike("2", "a", NOW)
            mirroring.mirror(tells)

        assert told == [{"1": 2, "2": 1}, {"2": 0}]

    def test_a_mark_of_a_later_state_stays(self, kind: Likeable, monkeypatch: pytest.MonkeyPatch) -> None:
        store = RedisStore(kind)
        store.like("1", "a", NOW)
        write = mirroring._write

        def overtaken(*args: object) -> None:
            write(*args)  # type: ignore[arg-type]  # as it came
            monkeypatch.setattr(mirroring, "_write", write)
            store.unlike("1", "a", LATER)

        monkeypatch.setattr(mirroring, "_write", overtaken)

        mirroring._mirror_chunk(kind, mirroring.present_generation)

        assert (in_sql("1"), is_dirty()) == (Told(1, {"a": 1}), True)
        mirroring.mirror(kind)
        assert (in_sql("1"), is_dirty()) == (Told(0, {}), False)

    def test_an_earlier_state_that_comes_late_changes_nothing(self, kind: Likeable) -> None:
        RedisStore(kind).like("1", "a", NOW)
        mirroring.mirror(kind)
        redis.settling().call("HSET", KindKeys(KIND).dirty, "1\na", "1|0|1772625600000")

        mirroring.mirror(kind)

        assert (in_sql("1"), is_dirty()) == (Told(1, {"a": 1}), False)

    def test_a_like_that_sql_refuses_keeps_no_other_waiting(self, links: None) -> None:
        with applause() as kind:
            poisoned = replace(kind, counted=refuse_thing("bad"))
            registry.provide(poisoned)
            for nth in range(20):
                RedisStore(kind).like("bad" if nth == 7 else str(nth), "a", NOW)

            assert mirroring.mirror_all() == 20

            letter = DeadLetter.objects.get(kind=mirroring.DEAD, resolved_at=None)
            assert (letter.subject, Like.objects.count()) == ("clap bad a", 19)
            assert mirroring.retry(letter, NOW) == letter.reason
            registry.provide(kind)
            assert mirroring.retry(letter, NOW) == ""
            assert in_sql("bad") == Told(1, {"a": 1})

    def test_a_like_that_is_given_up_is_no_difference_until_the_player_changes_it(self, links: None) -> None:
        with applause() as kind:
            registry.provide(replace(kind, counted=refuse_thing("bad")))
            RedisStore(kind).like("bad", "a", NOW)
            mirroring.mirror_all()

            mirroring.drop(DeadLetter.objects.get(), NOW)
            [given_up] = check_all(NOW, inf, kind=KIND)
            registry.provide(kind)
            RedisStore(kind).like("bad", "b", NOW)
            RedisStore(kind).unlike("bad", "a", NOW)
            RedisStore(kind).like("bad", "a", LATER)
            mirroring.mirror_all()
            assert in_sql("bad") == Told(2, {"a": 1, "b": 1})
            Like.objects.filter(player__external_id="a").update(amount=0)
            [damaged] = check_all(NOW, inf, kind=KIND)

            assert (given_up.differences, DeadLetter.objects.count()) == ([], 1)
            assert "like" in [each.where for each in damaged.differences]
            assert in_sql("bad") == Told(2, {"a": 1, "b": 1})


def refuse_thing(thing: str) -> Callable[[Mapping[str, int]], None]:
    """Somebody who wants counts back and cannot keep one of them."""

    def counted(totals: Mapping[str, int]) -> None:
        if thing in totals:
            raise DataError("no room")

    return counted
