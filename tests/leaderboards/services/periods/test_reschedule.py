"""Moving an end: everybody keeps their place, in every layout and storage, and what cannot be is refused."""

from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import transaction

from foundation.redis import client as redis
from leaderboards.core.instants import milliseconds
from leaderboards.errors import BadBoard, StorageUnavailable
from leaderboards.models import Period, Player, Standing
from leaderboards.selectors.rankings import store_routing
from leaderboards.services.periods import reschedule
from leaderboards.services.periods.close import close_due, close_period
from leaderboards.services.periods.reschedule import move_end
from leaderboards.services.sync.mirror import mirror_all
from leaderboards.services.sync.resync_periods import resync_due
from leaderboards.services.sync.verify import verify_all
from leaderboards.stores.base import Store
from tests.leaderboards.services.contest import ENDS, KnownEvents, period_of, send
from tests.leaderboards.services.copying import copy_period
from tests.leaderboards.services.race import BEGUN, CRITERIA, HOUR, LABEL, MILLISECONDS, SECONDS, Race
from tests.leaderboards.services.site import (
    DAY,
    NOON,
    WHO_DECIDES,
    in_redis,
    in_sql,
    make_board,
    redis_away,
    refused_by_sql,
)
from tests.leaderboards.services.site import period_of as running_period

LAYOUTS: dict[str, tuple[dict[str, Any], timedelta]] = {
    "milliseconds": (MILLISECONDS, 6 * DAY),
    "milliseconds, lowest first": ({**MILLISECONDS, "order": "asc"}, 6 * DAY),
    "milliseconds, whoever was last": ({**MILLISECONDS, "ties": "last_come"}, 6 * DAY),
    "milliseconds, then in the member": ({**MILLISECONDS, "tie_break": "auto"}, 20 * DAY),
    "milliseconds, sooner": (MILLISECONDS, -DAY / 2),
    "seconds": (SECONDS, 30 * DAY),
    "in the member": ({}, 300 * DAY),
    "equals share": ({"ties": "shared"}, 300 * DAY),
    "dense": ({"ties": "dense"}, 300 * DAY),
    "sums": ({**MILLISECONDS, "update": "increment"}, 6 * DAY),
    "latest": ({**MILLISECONDS, "update": "latest"}, 6 * DAY),
    "criteria": ({"criteria": CRITERIA, "tie_break": "score"}, 6 * DAY),
}
IN_REDIS_TOO = ("milliseconds", "milliseconds, then in the member", "dense", "criteria")
CASES = [(each, "sql") for each in LAYOUTS] + [(each, where) for each in IN_REDIS_TOO for where in ("hybrid", "redis")]


@pytest.mark.parametrize(("layout", "storage"), CASES)
def test_everybody_keeps_their_place_and_scoring_goes_on(declared: KnownEvents, storage: str, layout: str) -> None:
    settings, by = LAYOUTS[layout]
    race = Race(declared, storage, settings)
    period = race.begin()
    before, times, generation = race.shown(), race.times(), period.generation

    move_end(period, race.announce(by), NOON)

    assert before == race.expected() == race.shown()
    assert race.times() == times
    move_end(period, ENDS + by, NOON)  # again: nothing changes
    assert layout != "dense" or period.generation == generation  # nothing was packed anew: Redis stays
    assert (period.ends_at, period_of(race.event).stale_since) == (ENDS + by, None)
    race.go_on(ENDS + by - HOUR)
    assert race.shown() == race.expected()
    mirror_all()
    assert storage == "sql" or in_sql(period) == in_redis(period)
    assert [each.differences for each in verify_all(NOON, seconds=10) if each.label == "c7"] in ([], [0])
    early, [closed] = close_due(ENDS + by), close_due(ENDS + by + DAY)
    assert (early, closed.final, closed.players, race.shown()) == ([], True, 40, race.expected())


@patch.object(reschedule, "CHUNK", 7)
def test_every_chunk_is_packed_anew(declared: KnownEvents) -> None:
    race = Race(declared, "sql", MILLISECONDS)
    period = race.begin()

    move_end(period, race.announce(DAY), NOON)
    move_end(period, race.announce(2 * DAY), NOON)

    assert race.shown() == race.expected()
    for row in Standing.objects.filter(period=period).select_related("player"):
        assert row.at is not None
        packed = period.layout.pack((row.points or 0,), milliseconds(row.at), row.player.external_id)
        assert (row.score, row.member) == packed


@patch.object(reschedule, "mirror", lambda _: 0)  # as if all of it came after the last mirror
def test_what_redis_had_and_sql_not_is_kept(declared: KnownEvents) -> None:
    race = Race(declared, "redis", MILLISECONDS)
    period = race.begin()

    move_end(period, race.announce(DAY), NOON)

    assert race.shown() == race.expected()
    assert in_sql(period) == in_redis(period)


def test_a_reader_who_began_before_sees_one_layout(declared: KnownEvents) -> None:
    race = Race(declared, "sql", MILLISECONDS)
    race.begin()
    asked = period_of(race.event)
    before = asked.layout

    def read(store: Store, period: Period) -> dict[int | None, int]:
        if period.layout is before:
            move_end(period_of(race.event), race.announce(2 * DAY), NOON)
        return {row.points: period.layout.leading(row.score or 0) for row in Standing.objects.filter(period=period)}

    found, _ = store_routing.read_from_store(asked, read)

    assert found == {points: points for points in found}
    assert before.time_bits < asked.layout.time_bits


@WHO_DECIDES
def test_what_cannot_be_is_refused_and_changes_nothing(declared: KnownEvents, storage: str) -> None:
    race = Race(declared, storage, SECONDS)
    period = race.begin()

    with pytest.raises(BadBoard, match="choose an earlier end") as refused:
        move_end(period, BEGUN + 49 * DAY, NOON)
    assert (refused.value.field, "23 bits of seconds" in refused.value.detail) == ("ends_at", True)
    for past in (NOON, NOON - HOUR, BEGUN):
        with pytest.raises(BadBoard, match="must lie ahead of now"):
            move_end(period, past, NOON)
    with pytest.raises(BadBoard, match="has ended"):
        move_end(period, ENDS + DAY, ENDS)
    race.go_on(NOON)
    assert race.shown() == race.expected()
    close_period(period, NOON)
    with pytest.raises(BadBoard, match="has ended"):
        move_end(period, ENDS + DAY, NOON)
    with pytest.raises(BadBoard, match="calendar"):
        move_end(running_period(make_board(storage)), NOON + 9 * DAY, NOON)


def test_a_hybrid_board_moves_while_redis_is_away_and_goes_back_with_its_callers_transaction(
    declared: KnownEvents,
) -> None:
    race = Race(declared, "hybrid", MILLISECONDS)
    period = race.begin()
    with transaction.atomic():
        move_end(period, ENDS + DAY, NOON)
        transaction.set_rollback(True)
    resync_due(NOON)
    assert (period_of(race.event).ends_at, race.shown()) == (ENDS, race.expected())

    with redis_away():
        move_end(period_of(race.event), race.announce(DAY), NOON)
        assert race.shown() == race.expected()
    resync_due(NOON)
    assert period_of(race.event).stale_since is None
    assert race.shown() == race.expected()


def test_a_redis_board_is_moved_and_copied_only_when_redis_is_there_and_settled_and_sql_has_all_of_it(
    declared: KnownEvents,
) -> None:
    race = Race(declared, "redis", MILLISECONDS)
    period = race.begin()
    mirror_all()

    with redis_away():
        with pytest.raises(redis.RedisAway):
            move_end(period, ENDS + DAY, NOON)
        with pytest.raises(redis.RedisAway):
            copy_period(period, LABEL, NOON)
    assert race.shown() == race.expected()
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)
    with pytest.raises(StorageUnavailable, match="being brought up to date"):
        move_end(period, ENDS + DAY, NOON)
    with pytest.raises(StorageUnavailable):
        copy_period(period, LABEL, NOON)
    Period.objects.filter(pk=period.pk).update(stale_since=None)
    with refused_by_sql(Player.objects.get(external_id="p3")):
        send({"player": "p3", "points": 99})
        with pytest.raises(StorageUnavailable, match="dead letters"):
            move_end(period, ENDS + DAY, NOON)

    assert period_of(race.event).ends_at == ENDS
    assert not Period.objects.filter(label=LABEL).exists()
