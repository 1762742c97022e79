"""Adding up what SQL decided: each change once, its total told, and one poisonous thing in nobody's way."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from math import inf

import pytest
from django.core.management import CommandError
from django.db import IntegrityError

from foundation import clock
from foundation.models import DeadLetter
from leaderboards.models import Player
from leaderboards.stores.sql_writes import ensure_players
from likes import registry
from likes.core.kinds import Storage
from likes.errors import LikesUnavailable, UnknownKind
from likes.models import Like, LikeChange, LikeCount
from likes.registry import Likeable
from likes.selectors.lag import lag
from likes.services import count as counting
from likes.services.check import check_all
from likes.services.count import count, count_due
from likes.services.retain import retain
from likes.services.settle import settle_due
from likes.stores.base import Store
from likes.stores.choose import store_of
from tests.at_once import at_once
from tests.contracts.likes.kinds import NOW, registered
from tests.leaderboards.commands.calls import run
from tests.likes.kept import IN_REDIS

pytestmark = pytest.mark.django_db(transaction=True)

IN_SQL = pytest.mark.parametrize("storage", [Storage.SQL, Storage.APPEND, Storage.HYBRID], ids=str)
MINUTE = timedelta(seconds=61)


class Told:
    """A registrant who remembers what they were told, and refuses what is poison to their tables."""

    def __init__(self, likeable: Likeable) -> None:
        self.totals: dict[str, int] = {}
        self.poison: set[str] = set()
        self.likeable = replace(likeable, counted=self)
        registry.provide(self.likeable)

    def __call__(self, totals: Mapping[str, int]) -> None:
        if self.poison & totals.keys():
            raise IntegrityError("no such comment")
        self.totals |= totals


@pytest.fixture
def told(kind: Likeable) -> Told:
    return Told(kind)


@pytest.fixture
def letter(told: Told, store: Store) -> DeadLetter:
    """Three things are liked, and the registrant cannot keep the second."""
    for thing in ("1", "2", "3"):
        store.like(thing, "ann", NOW)
    told.poison = {"2"}
    count_due(NOW)
    return DeadLetter.objects.get()


class TestCounting:
    @IN_SQL
    def test_totals_are_told_once_they_have_changed(self, told: Told, store: Store) -> None:
        for thing, player in (("1", "ann"), ("1", "bob"), ("2", "bob")):
            store.like(thing, player, NOW)
        store.unlike("2", "bob", NOW)
        count_due(NOW)
        first, told.totals = told.totals, {}

        count_due(NOW)

        assert first == {"1": 2, "2": 0}
        assert told.totals == {}

    def test_many_who_count_at_once_count_each_change_once(
        self, told: Told, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(counting, "CHUNK", 7)
        players = [f"p{nth}" for nth in range(40)]
        ensure_players(players, NOW)
        for player in players:
            store.like("1", player, NOW)

        counted = at_once([lambda: count(told.likeable, NOW)] * 6)
        count(told.likeable, NOW)

        assert sum(counted) <= 40
        assert LikeCount.objects.get().count == told.totals["1"] == 40
        assert not LikeChange.objects.exists()

    def test_likes_that_nobody_counts_are_told_of_and_those_set_aside_by_their_letter_alone(
        self, told: Told, store: Store
    ) -> None:
        at = clock.now() - timedelta(seconds=31)
        told.poison = {"2"}
        store.like("2", "ann", at)
        count_due(at)
        aside = lag()
        store.like("1", "ann", at)
        store.like("1", "bob", clock.now())

        late = lag()
        count_due(at)

        assert (aside, late) == ([], [f"likes to count: 1, the first since {at:%F %R} UTC"])
        assert lag() == []

    def test_a_kind_that_fails_keeps_no_other_waiting(
        self, told: Told, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            Told, "__call__", lambda self, totals: 1 / 0 if self is told else self.totals.update(totals)
        )
        with registered(Storage.APPEND, kind="photo") as other:
            photo = Told(other)
            for each in (store, store_of(other)):
                each.like("1", "ann", NOW)

            with pytest.raises(ExceptionGroup):
                count_due(NOW)

        assert photo.totals == {"1": 1}
        assert LikeChange.objects.get().kind == "note"


class TestSetAside:
    @IN_SQL
    def test_it_is_alone_and_tried_again_in_a_minute(self, told: Told, store: Store, letter: DeadLetter) -> None:
        waiting = 0 if told.likeable.storage == Storage.SQL else 1
        assert told.totals == {"1": 1, "3": 1}
        assert (letter.kind, letter.subject) == ("likes", "note:2")
        assert letter.payload == {"kind": "note", "thing": "2", "changes": waiting}
        assert [shown.count for shown in store.read(["1", "2", "3"], None)] == [1, 1, 1]

        told.poison = set()
        count_due(NOW + timedelta(seconds=59))
        assert "2" not in told.totals
        count_due(NOW + MINUTE)
        letter.refresh_from_db()
        assert (told.totals["2"], letter.resolution) == (1, "counted")

    @IN_SQL
    def test_a_retry_counts_at_once_or_says_why_not(self, told: Told, letter: DeadLetter) -> None:
        refused = counting.retry(letter, NOW + timedelta(seconds=1))
        told.poison = set()
        done = counting.retry(letter, NOW + timedelta(seconds=2))

        assert (refused, done) == ("no such comment", "")
        assert (letter.tries, letter.resolution, told.totals["2"]) == (2, "counted", 1)
        assert not LikeChange.objects.exists()

    @pytest.mark.parametrize("later", [storage for storage in Storage if storage != Storage.HYBRID], ids=str)
    def test_a_retry_tells_the_total_of_a_kind_that_is_kept_another_way_by_now(
        self, told: Told, letter: DeadLetter, later: Storage
    ) -> None:
        told.poison = set()
        registry.provide(replace(told.likeable, storage=later))
        settle_due(NOW)

        why = counting.retry(letter, NOW)

        assert (why, letter.resolution, told.totals["2"]) == ("", "counted", 1)

    @IN_SQL
    def test_dropped_it_loses_no_like_and_is_not_written_again_before_the_next_like(
        self, told: Told, store: Store, letter: DeadLetter
    ) -> None:
        counting.drop(letter, NOW)
        counted = count_due(NOW + MINUTE)

        letter.refresh_from_db()
        assert (letter.resolution, counted, "2" in told.totals) == ("dropped", 0, False)
        assert [(row.player.external_id, row.amount) for row in Like.objects.filter(thing="2")] == [("ann", 1)]
        assert (store.read(["2"], "ann")[0].count, store.read(["2"], "ann")[0].own) == (1, 1)
        [checked] = check_all(NOW, inf, repair=False, kind="note")
        assert (checked.compared, checked.differences) == (3, [])

        told.poison = set()
        store.like("2", "bob", NOW)
        count_due(NOW + MINUTE)
        assert told.totals["2"] == 2

    def test_a_view_that_nobody_has_told_of_what_was_dropped_is_made_anew(self, told: Told, store: Store) -> None:
        told.poison = {"2"}
        store.read(["2"], None)  # there is a view
        append = replace(told.likeable, storage=Storage.APPEND)
        store_of(append).like("2", "ann", NOW)  # its writer died before the view was told
        count_due(NOW)

        counting.drop(DeadLetter.objects.get(), NOW)
        count_due(NOW)

        assert store.read(["2"], "ann")[0].count == 1

    def test_of_a_kind_that_nobody_registers_any_more_it_can_be_dropped_and_not_retried(
        self, letter: DeadLetter
    ) -> None:
        registry.withdraw("note")

        with pytest.raises(UnknownKind):
            counting.retry(letter, NOW)
        counting.drop(letter, NOW)

        assert DeadLetter.objects.get().resolution == "dropped"
        assert LikeCount.objects.get(thing="2").count == 1

    def test_what_sql_refuses_to_count_at_all_cannot_be_dropped(
        self, letter: DeadLetter, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object) -> None:
            raise IntegrityError("no room")

        monkeypatch.setattr(counting, "put_right", refuse)

        with pytest.raises(LikesUnavailable, match="SQL refuses the count itself"):
            counting.drop(letter, NOW)

        assert (DeadLetter.objects.get().resolved_at, LikeChange.objects.count()) == (None, 1)


class TestRetaining:
    @IN_SQL
    def test_what_was_taken_back_goes_after_a_day_and_what_is_liked_stays(self, store: Store) -> None:
        store.like("1", "ann", NOW)
        store.like("1", "bob", NOW)
        store.unlike("1", "bob", NOW)

        early, late = retain(NOW + timedelta(days=1)), retain(NOW + timedelta(days=1, seconds=1))

        assert (early, late) == (0, 1)
        assert Like.objects.get().player.external_id == "ann"
        assert store.read(["1"], "bob")[0].count == 1

    @IN_REDIS
    def test_what_redis_decides_over_keeps_its_rows(self, kind: Likeable) -> None:
        ann = Player.objects.get(external_id="ann")
        Like.objects.create(kind="note", thing="1", player=ann, amount=0, at=NOW, version=7)

        assert retain(NOW + timedelta(days=9)) == 0


def test_the_command_tells_what_differs_and_repairs_when_asked_to(store: Store) -> None:
    store.like("1", "ann", NOW)
    count_due(NOW)
    LikeCount.objects.update(count=9)

    with pytest.raises(CommandError, match="1 counts differ"):
        run("check_likes", "--kind=note")
    repaired, again = run("check_likes", "--repair").json["checked"], run("check_likes").json["checked"]

    difference = {"kind": "note", "thing": "1", "where": "sql", "found": 9, "expected": 1, "repaired": True}
    [checked] = [each for each in repaired if each["kind"] == "note"]
    assert checked == {"kind": "note", "compared": 1, "differences": [difference], "finished": True, "live": True}
    assert not any(each["differences"] for each in again)
