"""Adding up what SQL decided: each change once, its total told, and one poisonous thing in nobody's way."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from math import inf
from unittest.mock import patch

import pytest
from django.db import IntegrityError
from django.test import Client

from foundation import clock
from foundation.models import DeadLetter
from leaderboards.stores.sql.writes import ensure_players
from likes import registry
from likes.core.kinds import Storage
from likes.errors import LikesUnavailable, UnknownKind
from likes.models import Like, LikeChange, LikeCount
from likes.registry import Likeable
from likes.selectors.lag import lag
from likes.services import count as counting
from likes.services.check import check_all
from likes.services.count import count, count_due
from likes.services.resync import resync_due
from likes.services.retain import retain
from likes.stores.base import Store
from likes.stores.choose import store_of
from tests.at_once import at_once
from tests.contracts.likes.kinds import NOW, registered, settled
from tests.leaderboards.admin.typed import page
from tests.leaderboards.views.pages import text

pytestmark = pytest.mark.django_db(transaction=True)

IN_SQL = pytest.mark.parametrize("storage", [Storage.SQL, Storage.APPEND, Storage.HYBRID], ids=str)
MINUTE = timedelta(seconds=61)


class Told:
    """A registrant who remembers what they were told, and refuses what is poison to their tables."""

    def __init__(self, likeable: Likeable) -> None:
        self.totals: dict[str, int] = {}
        self.poison: set[str] = set()
        self.likeable = replace(likeable, save_totals=self)
        registry.register_kind(self.likeable)

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

    @pytest.mark.parametrize("later", Storage, ids=str)
    def test_a_retry_says_why_not_or_tells_the_total_of_a_kind_that_may_be_kept_another_way_by_now(
        self, told: Told, letter: DeadLetter, later: Storage
    ) -> None:
        refused = counting.retry(letter, NOW)
        told.poison = set()
        registry.register_kind(replace(told.likeable, storage=later))
        resync_due(NOW)
        done = counting.retry(letter, NOW)

        assert (refused, done) == ("no such comment", "")
        assert (letter.tries, letter.resolution, told.totals["2"]) == (2, "counted", 1)
        assert not LikeChange.objects.exists()

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

    def test_of_a_kind_that_nobody_registers_it_can_be_dropped_alone_and_not_while_sql_refuses_the_count_itself(
        self, letter: DeadLetter
    ) -> None:
        registry.unregister_kind("note")

        with pytest.raises(UnknownKind):
            counting.retry(letter, NOW)
        refused = patch.object(counting, "repair_counts", side_effect=IntegrityError("no room"))
        with refused, pytest.raises(LikesUnavailable, match="SQL refuses the count itself"):
            counting.drop(letter, NOW)
        assert (DeadLetter.objects.get().resolved_at, LikeChange.objects.count()) == (None, 1)

        counting.drop(letter, NOW)
        assert DeadLetter.objects.get().resolution == "dropped"
        assert LikeCount.objects.get(thing="2").count == 1

    @pytest.mark.parametrize(
        ("storage", "dropping"),
        [
            (Storage.HYBRID, "the count is made anew of the likes that SQL has"),
            (Storage.REDIS, "SQL keeps what it has of this like"),
        ],
    )
    def test_the_admin_says_why_and_retries_until_the_cause_is_gone(
        self, admin_client: Client, told: Told, store: Store, dropping: str
    ) -> None:
        store.like("1", "ann", NOW)
        told.poison = {"1"}
        settled(told.likeable)
        letter = DeadLetter.objects.get()
        letters = "/admin/foundation/deadletter/"
        chosen = {"action": "retry", "_selected_action": [letter.pk]}

        html = page(admin_client, f"{letters}{letter.pk}/change/")
        refused = text(admin_client.post(letters, chosen, follow=True))
        told.poison = set()
        done = text(admin_client.post(letters, chosen, follow=True))

        assert "no such comment" in html
        assert dropping in html
        assert "refused again: no such comment" in refused
        assert f"{letter.subject}: done." in done
        assert LikeCount.objects.get().count == 1


@pytest.mark.parametrize("storage", Storage, ids=str)
def test_what_was_taken_back_goes_after_a_day_but_where_redis_decides_its_row_stays(
    kind: Likeable, store: Store
) -> None:
    store.like("1", "ann", NOW)
    store.like("1", "bob", NOW)
    store.unlike("1", "bob", NOW)
    settled(kind)

    early, late = retain(NOW + timedelta(days=1)), retain(NOW + timedelta(days=1, seconds=1))

    left = {"ann", "bob"} if kind.storage == Storage.REDIS else {"ann"}
    assert (early, late) == (0, 2 - len(left))
    assert {row.player.external_id for row in Like.objects.all()} == left
    assert store.read(["1"], "bob")[0].count == 1
