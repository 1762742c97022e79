"""Adding up what SQL decided: each change once, its total told, and one poisonous thing in nobody's way."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from json import loads
from math import inf

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError

from foundation import clock
from foundation.models import DeadLetter
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
from likes.stores.choose import store_of
from tests.at_once import at_once
from tests.contracts.likes.kinds import NOW, registered
from tests.links import links, redis_known

__all__ = ["links", "redis_known"]

pytestmark = pytest.mark.django_db(transaction=True)

KEPT_IN_SQL = [Storage.SQL, Storage.APPEND, Storage.HYBRID]


class Told:
    """A registrant who remembers what he was told, and refuses what is poison to his tables."""

    def __init__(self, storage: Storage, kind: str = "note") -> None:
        self.totals: dict[str, int] = {}
        self.poison: set[str] = set()
        self.likeable = Likeable(kind, dict.fromkeys, storage, counted=self)
        registry.provide(self.likeable)
        ensure_players(["ann", "bob"], NOW)

    def __call__(self, totals: Mapping[str, int]) -> None:
        if self.poison & totals.keys():
            raise IntegrityError("no such comment")
        self.totals |= totals


@pytest.fixture(params=KEPT_IN_SQL, ids=lambda storage: storage.value)
def told(request: pytest.FixtureRequest, redis_known: None) -> Told:
    return Told(request.param)


@pytest.fixture
def hybrid(redis_known: None) -> Told:
    return Told(Storage.HYBRID)


@pytest.fixture(autouse=True)
def _nothing_stays_registered() -> object:
    yield
    for kind in ("note", "photo"):
        registry.withdraw(kind)


def test_totals_are_told_once_they_have_changed(told: Told) -> None:
    store = store_of(told.likeable)
    for thing, player in (("1", "ann"), ("1", "bob"), ("2", "bob")):
        store.like(thing, player, NOW)
    store.unlike("2", "bob", NOW)
    count_due(NOW)
    first, told.totals = told.totals, {}

    count_due(NOW)

    assert first == {"1": 2, "2": 0}
    assert told.totals == {}


def test_many_who_count_at_once_count_each_change_once(hybrid: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "CHUNK", 7)
    players = [f"p{nth}" for nth in range(40)]
    ensure_players(players, NOW)
    for player in players:
        store_of(hybrid.likeable).like("1", player, NOW)

    counted = at_once([lambda: count(hybrid.likeable, NOW)] * 6)
    count(hybrid.likeable, NOW)

    assert sum(counted) <= 40
    assert LikeCount.objects.get().count == hybrid.totals["1"] == 40
    assert not LikeChange.objects.exists()


def set_aside(told: Told) -> DeadLetter:
    """Three things are liked, and the registrant cannot keep the second."""
    for thing in ("1", "2", "3"):
        store_of(told.likeable).like(thing, "ann", NOW)
    told.poison = {"2"}
    count_due(NOW)
    return DeadLetter.objects.get()


def test_what_the_registrant_cannot_keep_is_set_apart_alone_and_tried_again_in_a_minute(told: Told) -> None:
    letter = set_aside(told)

    waiting = 0 if told.likeable.storage == Storage.SQL else 1
    assert told.totals == {"1": 1, "3": 1}
    assert (letter.kind, letter.subject) == ("likes", "note:2")
    assert letter.payload == {"kind": "note", "thing": "2", "changes": waiting}
    assert [shown.count for shown in store_of(told.likeable).read(["1", "2", "3"], None)] == [1, 1, 1]

    told.poison = set()
    count_due(NOW + timedelta(seconds=59))
    assert "2" not in told.totals
    count_due(NOW + timedelta(seconds=61))
    letter.refresh_from_db()
    assert (told.totals["2"], letter.resolution) == (1, "counted")


def test_likes_that_nobody_counts_are_told_of_and_those_set_aside_by_their_letter_alone(hybrid: Told) -> None:
    at = clock.now() - timedelta(seconds=31)
    hybrid.poison = {"2"}
    store_of(hybrid.likeable).like("2", "ann", at)
    count_due(at)
    aside = lag()
    store_of(hybrid.likeable).like("1", "ann", at)
    store_of(hybrid.likeable).like("1", "bob", clock.now())

    late = lag()
    count_due(at)

    assert (aside, late) == ([], [f"likes to count: 1, the first since {at:%F %R} UTC"])
    assert lag() == []


def test_a_retry_counts_at_once_or_says_why_not(told: Told) -> None:
    letter = set_aside(told)

    refused = counting.retry(letter, NOW + timedelta(seconds=1))
    told.poison = set()
    done = counting.retry(letter, NOW + timedelta(seconds=2))

    assert (refused, done) == ("no such comment", "")
    assert (letter.tries, letter.resolution, told.totals["2"]) == (2, "counted", 1)
    assert not LikeChange.objects.exists()


@pytest.mark.parametrize("later", [storage for storage in Storage if storage != Storage.HYBRID], ids=str)
def test_a_retry_tells_the_total_of_a_kind_that_is_kept_another_way_by_now(hybrid: Told, later: Storage) -> None:
    letter = set_aside(hybrid)
    hybrid.poison = set()
    registry.provide(replace(hybrid.likeable, storage=later))
    settle_due(NOW)

    why = counting.retry(letter, NOW)

    assert (why, letter.resolution, hybrid.totals["2"]) == ("", "counted", 1)


def test_a_letter_that_is_dropped_loses_no_like_and_is_not_written_again_before_the_next_like(told: Told) -> None:
    letter, store = set_aside(told), store_of(told.likeable)

    counting.drop(letter, NOW)
    counted = count_due(NOW + timedelta(seconds=61))

    letter.refresh_from_db()
    assert (letter.resolution, counted, "2" in told.totals) == ("dropped", 0, False)
    assert [(row.player.external_id, row.amount) for row in Like.objects.filter(thing="2")] == [("ann", 1)]
    assert (store.read(["2"], "ann")[0].count, store.read(["2"], "ann")[0].own) == (1, 1)
    [checked] = check_all(NOW, inf, repair=False, kind="note")
    assert (checked.compared, checked.differences) == (3, [])

    told.poison = set()
    store.like("2", "bob", NOW)
    count_due(NOW + timedelta(seconds=62))
    assert told.totals["2"] == 2


def test_a_view_that_nobody_has_told_of_what_was_dropped_is_made_anew(hybrid: Told) -> None:
    store = store_of(hybrid.likeable)
    hybrid.poison = {"2"}
    store.read(["2"], None)  # there is a view
    append = replace(hybrid.likeable, storage=Storage.APPEND)
    store_of(append).like("2", "ann", NOW)  # its writer died before he told the view
    count_due(NOW)

    counting.drop(DeadLetter.objects.get(), NOW)
    count_due(NOW)

    assert store.read(["2"], "ann")[0].count == 1


def test_a_letter_of_a_kind_that_nobody_registers_any_more_can_be_dropped_and_not_retried(hybrid: Told) -> None:
    letter = set_aside(hybrid)
    registry.withdraw("note")

    with pytest.raises(UnknownKind):
        counting.retry(letter, NOW)
    counting.drop(letter, NOW)

    assert DeadLetter.objects.get().resolution == "dropped"
    assert LikeCount.objects.get(thing="2").count == 1


def test_what_sql_refuses_to_count_at_all_cannot_be_dropped(hybrid: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    letter = set_aside(hybrid)

    def refuse(*_: object) -> None:
        raise IntegrityError("no room")

    monkeypatch.setattr(counting, "put_right", refuse)

    with pytest.raises(LikesUnavailable, match="SQL refuses the count itself"):
        counting.drop(letter, NOW)

    assert (DeadLetter.objects.get().resolved_at, LikeChange.objects.count()) == (None, 1)


def test_a_kind_that_fails_keeps_no_other_waiting(hybrid: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    photo = Told(Storage.APPEND, "photo")
    for likeable in (hybrid.likeable, photo.likeable):
        store_of(likeable).like("1", "ann", NOW)
    monkeypatch.setattr(Told, "__call__", lambda self, totals: self.totals.update(totals) if self is photo else 1 / 0)

    with pytest.raises(ExceptionGroup):
        count_due(NOW)

    assert photo.totals == {"1": 1}
    assert LikeChange.objects.get().kind == "note"


def test_what_was_taken_back_goes_after_a_day_and_what_is_liked_stays(told: Told) -> None:
    store = store_of(told.likeable)
    store.like("1", "ann", NOW)
    store.like("1", "bob", NOW)
    store.unlike("1", "bob", NOW)

    early, late = retain(NOW + timedelta(days=1)), retain(NOW + timedelta(days=1, seconds=1))

    assert (early, late) == (0, 1)
    assert Like.objects.get().player.external_id == "ann"
    assert store.read(["1"], "bob")[0].count == 1


def test_what_redis_decides_over_keeps_its_rows(redis_known: None) -> None:
    [ann] = ensure_players(["ann"], NOW).values()
    Like.objects.create(kind="note", thing="1", player=ann, amount=0, at=NOW, version=7)

    with registered((Storage.REDIS, 10)):
        gone = retain(NOW + timedelta(days=9))

    assert gone == 0


def test_the_command_tells_what_differs_and_repairs_when_asked_to(hybrid: Told) -> None:
    store_of(hybrid.likeable).like("1", "ann", NOW)
    count_due(NOW)
    LikeCount.objects.update(count=9)
    looked, repaired, again = StringIO(), StringIO(), StringIO()

    with pytest.raises(CommandError, match="1 counts differ"):
        call_command("check_likes", kind="note", stdout=looked)
    call_command("check_likes", repair=True, stdout=repaired)
    call_command("check_likes", stdout=again)

    difference = {"kind": "note", "thing": "1", "where": "sql", "found": 9, "expected": 1, "repaired": False}
    [checked] = loads(looked.getvalue())["checked"]
    assert checked == {"kind": "note", "compared": 1, "differences": [difference], "finished": True, "live": True}
    found = [each["differences"] for each in loads(repaired.getvalue())["checked"] if each["kind"] == "note"]
    assert found == [[difference | {"repaired": True}]]
    assert not any(each["differences"] for each in loads(again.getvalue())["checked"])
