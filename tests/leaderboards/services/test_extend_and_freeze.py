"""Moving an end: everybody keeps their place, in every layout and storage, and what cannot be is refused.

Freezing: the copy stays as it was, is made once, and the schedule leaves it alone.
"""

import random
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import transaction

from foundation import redis
from leaderboards import selectors
from leaderboards.core.instants import milliseconds
from leaderboards.errors import BadBoard, StorageUnavailable
from leaderboards.models import Period, Player, Standing, State
from leaderboards.selectors import Row, reading
from leaderboards.services import extend
from leaderboards.services.close import close_due, close_period
from leaderboards.services.extend import move_end
from leaderboards.services.freeze import copy_period
from leaderboards.services.mirror import mirror_all
from leaderboards.services.open import open_period
from leaderboards.services.retain import drop_submissions, expire_due
from leaderboards.services.settle import settle_due
from leaderboards.services.verify import verify_all
from leaderboards.stores.base import Store
from tests.at_once import at_once
from tests.leaderboards.services.contest import ENDS, KnownEvents, event_board, period_of, send
from tests.leaderboards.services.site import (
    DAY,
    NOON,
    WHO_DECIDES,
    final,
    in_redis,
    in_sql,
    make_board,
    redis_away,
    redis_client,
    refused_by_sql,
)
from tests.leaderboards.services.site import period_of as running_period
from tests.oracle import OracleBoard

LABEL = "c7-frozen"
BEGUN = NOON - 4 * DAY  # selectors show only what has begun by the real clock
HOUR = timedelta(hours=1)
Shown = list[tuple[int | None, str, tuple[Any, ...]]]

# 23 bits of points leave 30 for milliseconds, which is twelve days; 31 leave 22 for seconds, which is 48.
MILLISECONDS = {"tie_break": "score", "total_maximum": 2**23 - 1, "maximum": 2**23 - 1}
SECONDS = {"tie_break": "score"}
CRITERIA = [{"name": "stage", "bits": 15, "order": "desc"}, {"name": "members", "bits": 8, "order": "asc"}]
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


class Race:
    """Competition 7 on a new board beside its oracle: forty players, and so few points that many are equal."""

    def __init__(self, declared: KnownEvents, storage: str, settings: dict[str, Any]) -> None:
        self._dice = random.Random(7)
        self._declared = declared
        self._players = [f"p{number}" for number in range(40)]
        declared.players |= set(self._players)
        self.event = declared.add(event_board(storage, **settings), starts_at=BEGUN)
        self.oracle = OracleBoard(self.event.board.rules, self.event.window)

    def begin(self) -> Period:
        """The first score of each."""
        self.go_on(NOON)
        return period_of(self.event)

    def go_on(self, at: datetime) -> None:
        """A score of each."""
        of_points = not self.event.board.criteria
        sent = [
            (player, self._dice.randint(1, 6), at - timedelta(milliseconds=self._dice.randrange(5_000)))
            for player in self._players
        ]
        entries = [
            {"player": player, "at": when.isoformat(), **({"points": n} if of_points else {"fields": _fields(n)})}
            for player, n, when in sent
        ]
        assert all(outcome.status.is_accepted for outcome in send(*entries, at=at))
        layout = period_of(self.event).layout
        for player, n, when in sent:
            value = (n,) if of_points else tuple(_fields(n).values())
            self.oracle.submit(player, value, layout.quantize(milliseconds(when)))

    def announce(self, by: timedelta) -> datetime:
        """The competition ends that much later, or sooner; returns when."""
        self._declared.add(self.event.board, starts_at=BEGUN, ends_at=ENDS + by)
        return ENDS + by

    def expected(self) -> Shown:
        return [(row.rank, row.player, row.value) for row in self.oracle.rows()]

    def shown(self, label: str = "c7") -> Shown:
        return [
            (row.rank, row.player, (row.points,) if row.fields is None else tuple(row.fields.values()))
            for row in self.rows(label)
        ]

    def times(self) -> dict[str, datetime | None]:
        return {row.player: row.achieved_at for row in self.rows()}

    def rows(self, label: str = "c7") -> list[Row]:
        return selectors.standings(self.event.board, label, 0, 100).rows


def _fields(n: int) -> dict[str, int]:
    return {"stage": n, "members": n % 2}


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


@patch.object(extend, "CHUNK", 7)
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


@patch.object(extend, "mirror", lambda _: 0)  # as if all of it came after the last mirror
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

    found, _ = reading.ask(asked, read)

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
    settle_due(NOON)
    assert (period_of(race.event).ends_at, race.shown()) == (ENDS, race.expected())

    with redis_away():
        move_end(period_of(race.event), race.announce(DAY), NOON)
        assert race.shown() == race.expected()
    settle_due(NOON)
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
    with pytest.raises(StorageUnavailable, match="being settled"):
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


@WHO_DECIDES
@pytest.mark.parametrize("ties", ["first_come", "last_come", "shared", "dense"])
def test_one_copy_is_made_and_stays_as_it_was_while_the_race_goes_on(
    declared: KnownEvents, storage: str, ties: str
) -> None:
    race = Race(declared, storage, {"ties": ties, "update": "increment"})
    period = race.begin()
    before, times = race.shown(), race.times()

    made = at_once([lambda: copy_period(period_of(race.event), LABEL, NOON).pk] * 3)
    race.go_on(NOON + HOUR)
    move_end(period, race.announce(6 * DAY), NOON)
    made.append(copy_period(period, LABEL, NOON + 2 * HOUR).pk)

    assert len(set(made)) == 1
    _, exported = selectors.export_rows(race.event.board, LABEL)
    assert {row.player: row.achieved_at for row in exported} == times
    assert race.shown(LABEL) == before
    assert race.shown() == race.expected() != before
    assert selectors.shown_period(race.event.board, LABEL, NOON).ends_at == ENDS


@WHO_DECIDES
def test_it_is_what_closing_would_have_written_and_the_schedule_leaves_it_alone(
    declared: KnownEvents, storage: str
) -> None:
    race = Race(declared, storage, MILLISECONDS)
    board = race.event.board
    empty = copy_period(open_period(board, race.event.window), "c7-empty", NOON)
    period = race.begin()

    def read(label: str) -> list[object]:
        me, near = selectors.player_row(board, "p3", label), selectors.around(board, "p3", 2, label)
        return [me.row, near.rows, near.total, selectors.distribution(board, label).histogram]

    copy = copy_period(period, LABEL, NOON)
    before = race.shown(LABEL)
    assert read(LABEL) == read("c7")
    mirror_all()
    with redis_client() as client:
        client.flushdb()
        settle_due(NOON)
        verified = verify_all(NOON, seconds=10)
        closed = close_due(ENDS + DAY)
        assert (final(empty), final(copy)) == ([], final(period))
        expire_due(ENDS + 90 * DAY)
        drop_submissions(ENDS + 200 * DAY)
        assert not client.keys(f"*{LABEL}*")

    assert copy.content_hash == period_of(race.event).content_hash
    assert (copy.starts_at, copy.ends_at, copy.rules) == (period.starts_at, period.ends_at, period.rules)
    assert LABEL not in {each.label for each in verified} | {each.label for each in closed}
    assert Period.objects.get(pk=copy.pk).state == State.EXPIRED
    assert race.shown(LABEL) == before
