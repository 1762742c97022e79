"""A Redis that comes back with an earlier part of what it was told, fills up or hiccups, at the worst moment."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from threading import Event, Thread, current_thread
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection, transaction

from foundation import clock, redis
from foundation.errors import Unavailable
from foundation.sync import settling
from foundation.sync.settling import greet
from leaderboards import selectors
from leaderboards.models import Board, Period, Player
from leaderboards.services import publish, reconcile, restore, settle, upcoming
from leaderboards.services.erase import erase_player
from leaderboards.services.mirror import mirror
from leaderboards.services.remove import remove_player
from leaderboards.services.verify import verify_all
from leaderboards.stores.zset_publish import Publisher
from leaderboards.stores.zset_settling import ZsetSettler
from leaderboards.stores.zset_writes import Put
from tests.at_once import at_once
from tests.leaderboards.services.site import (
    NOON,
    WHO_DECIDES,
    crowd,
    files,
    in_redis,
    in_sql,
    make_board,
    period_of,
    redis_client,
    restart_with,
    score,
)
from tests.links import links

__all__ = ["links"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]
POSTGRESQL = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer, and no numbers")
FROZEN_SECONDS, HELD_UP = 1.5, 0.5


def bring_to_rest() -> None:
    for _ in range(3):
        settle.settle_due(NOON)


def followed(players: dict[str, int]) -> Period:
    """A hybrid board whose memory says up to where it has followed SQL."""
    period = crowd(make_board("hybrid"), players)
    with patch.object(settle, "FOLLOWED_EVERY", 1):
        settle.settle_due(NOON)
    return period


def agree(period: Period) -> None:
    bring_to_rest()
    period.refresh_from_db()
    assert period.stale_since is None
    assert in_redis(period) == in_sql(period)


def shown(board: Board, at: Any = NOON) -> tuple[bool, list[tuple[str, int]]]:
    with patch.object(clock, "now", return_value=at):
        found = selectors.standings(board, period_of(board, at).label)
    return found.live, [(row.player, int(row.points or 0)) for row in found.rows]


def resting(step: str, deed: Callable[[], object]) -> Thread:
    """Does it in a thread that rests at this step for a while, as if frozen; it has come there."""
    there = Event()

    def rest(name: str) -> None:
        if name == step and thread.is_alive() and not there.is_set():
            there.set()
            time.sleep(FROZEN_SECONDS)

    def run() -> None:
        with patch.object(publish, "failpoint", rest):
            deed()
        connection.close()

    thread = Thread(target=run, daemon=True)
    thread.start()
    assert there.wait(10)
    return thread


def seconds(deed: Callable[[], object]) -> float:
    began = time.monotonic()
    deed()
    return time.monotonic() - began


@POSTGRESQL
def test_a_mark_of_a_later_memory_is_not_cleared_by_who_showed_it_to_an_earlier_one() -> None:
    period = followed({"ann": 1, "bob": 2})
    with patch.object(Publisher, "announce", side_effect=redis.RedisAway("away")):
        score(period.board, {"ann": 100})
    before, restarts = files(), [1]

    def restart(step: str) -> None:
        if step == "reconcile.after_shown" and restarts:
            restarts.clear()
            restart_with(before)
            at_once([greet])

    with patch.object(reconcile, "failpoint", restart):
        settle.settle_due(NOON)

    assert not restarts
    agree(period)


def test_where_redis_does_not_take_what_was_committed_sql_answers() -> None:
    board = make_board("hybrid")
    crowd(board, {"ann": 1, "bob": 2})
    with redis_client() as client:

        def fill(step: str) -> None:
            if step == "submit.before_publish":
                client.config_set("maxmemory", 1)

        try:
            with patch.object(publish, "failpoint", fill):
                score(board, {"ann": 100})
            bring_to_rest()
            assert shown(board) == (False, [("ann", 100), ("bob", 2)])
        finally:
            client.config_set("maxmemory", 0)
    agree(period_of(board))


def test_an_erased_name_does_not_return_with_older_files() -> None:
    period = followed({"ann": 1, "bob": 2})
    before = files()
    erase_player("bob", NOON)
    bring_to_rest()

    restart_with(before)

    agree(period)
    assert shown(period.board) == (True, [("ann", 1)])


@pytest.mark.parametrize("of_when", ["mirrored", "not mirrored", "removed"])
@pytest.mark.parametrize("form", [{"tie_break": "score"}, {"tie_break": "member"}, {"ties": "dense"}], ids=str)
def test_an_erased_name_does_not_return_with_older_files_where_redis_decides(
    form: dict[str, Any], of_when: str
) -> None:
    board = make_board("redis", **form)
    score(board, {"ann": 1, "bob": 2})
    period = period_of(board)
    if of_when != "not mirrored":
        mirror(period)
    if of_when == "removed":
        remove_player(board, "bob", NOON)
    before = files()
    mirror(period)
    erase_player("bob", NOON)
    score(board, {"cat": 3})

    restart_with(before)

    bring_to_rest()
    period.refresh_from_db()
    mirror(period)
    assert period.stale_since is None
    assert sum(each.differences for each in verify_all(NOON, 60.0)) == 0
    assert in_redis(period) == in_sql(period)
    assert not Player.objects.filter(external_id="bob").exists()
    assert not any(b"bob" in value for value in files().values())


def test_whoever_only_redis_has_stays_there_when_files_come_back_that_are_no_older_than_an_erasure() -> None:
    board = make_board("redis")
    score(board, {"ann": 1, "bob": 2})
    mirror(period_of(board))
    erase_player("bob", NOON)
    score(board, {"cat": 3})
    before = files()
    score(board, {"dan": 4})

    restart_with(before)

    bring_to_rest()
    assert shown(board) == (True, [("cat", 3), ("ann", 1)])


@pytest.mark.parametrize("step", ["settle.after_generation", "settle.after_renew", "settle.after_restored_chunk"])
@pytest.mark.parametrize("lost", [True, False], ids=["lost", "kept"])
def test_who_freezes_while_he_brings_a_redis_board_back_is_replaced_after_two_seconds(step: str, lost: bool) -> None:
    board = make_board("redis")
    period = crowd(board, {"ann": 1, "bob": 2, "cat": 3})
    mirror(period)
    before = files()
    score(board, {"ann": 4})
    mirror(period)
    restart_with({} if lost else before)
    greet()
    there, go_on = Event(), Event()

    def freeze(name: str) -> None:
        if name == step and current_thread() is frozen and not there.is_set():
            there.set()
            go_on.wait(20)

    def run() -> None:
        with suppress(Unavailable):
            settle.PeriodSettling(period).settle()
        connection.close()

    frozen = Thread(target=run, daemon=True)
    with (
        patch.object(settling, "BEAT_SECONDS", 60.0),  # a process that is frozen renews nothing; a thread would
        patch.object(settling, "failpoint", freeze),
        patch.object(restore, "failpoint", freeze),
    ):
        frozen.start()
        assert there.wait(10)
        began = time.monotonic()
        while not settle.PeriodSettling(period).settle():
            assert time.monotonic() - began < 5
            time.sleep(0.05)
        took = time.monotonic() - began
        settled = shown(board)
        go_on.set()
        frozen.join(10)

    assert took < 2.5
    assert settled == shown(board) == (True, [("ann", 4), ("cat", 3), ("bob", 2)])
    agree(period)


@WHO_DECIDES
def test_a_step_that_takes_longer_than_a_lease_is_not_begun_again_by_others(
    storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    period = crowd(make_board(storage), {"ann": 1, "bob": 2})
    mirror(period)
    for name, seconds_ in (("LEASE", 0.4), ("SHUT_LEASE", 0.4)):
        monkeypatch.setattr(settling, name, timedelta(seconds=seconds_))
    monkeypatch.setattr(settling, "BEAT_SECONDS", 0.1)
    Period.objects.filter(pk=period.pk).update(stale_since=NOON, whole=storage == "hybrid")
    others: list[bool] = []

    def slow(step: str) -> None:
        if step != "settle.after_renew" or others:
            return
        until = time.monotonic() + 1.2
        while time.monotonic() < until:
            others.extend(at_once([settle.PeriodSettling(period).settle]))

    with patch.object(settling, "failpoint", slow), patch.object(settle, "failpoint", slow):
        assert settle.PeriodSettling(period).settle()

    assert others
    assert not any(others)
    agree(period)


@WHO_DECIDES
def test_keys_of_a_final_period_that_older_files_bring_back_go_when_their_server_is_met(storage: str) -> None:
    period = crowd(make_board(storage), {"ann": 1, "bob": 2})
    before = files()
    Period.objects.filter(pk=period.pk).update(state="final")
    restart_with(before)

    greet()

    assert [key for key in files() if str(period) in str(key) or period.family.zset in str(key)] == []


@pytest.mark.parametrize("damage", ["a key of another type", "rules that nobody can read"])
def test_one_damaged_period_keeps_no_other_waiting(damage: str) -> None:
    bad, good = (crowd(make_board("hybrid", name=name), {"ann": 1}) for name in ("Bad", "Good"))
    with redis_client() as client:
        client.delete(good.family.gen, good.family.zset)
        if damage == "a key of another type":
            client.set(bad.family.inflight, "x")
        else:
            Period.objects.filter(pk=bad.pk).update(rules_json={}, stale_since=NOON - timedelta(days=1))

    with suppress(redis.RedisRefused):
        settle.settle_due(NOON)

    good.refresh_from_db()
    assert good.stale_since is None
    assert in_redis(good)


@POSTGRESQL
def test_a_second_settler_does_not_turn_a_cheap_return_into_a_whole_one() -> None:
    period = followed({f"p{number}": number for number in range(1, 30)})
    restart_with(files())
    others: list[Any] = []
    placed: list[int] = []
    place = Publisher.place_all

    def place_all(publisher: Publisher, where: Period, rows: Sequence[Put]) -> None:
        placed.append(len(rows))
        place(publisher, where, rows)

    def meanwhile(step: str) -> None:
        if step == "settle.after_generation" and not others and Period.objects.get(pk=period.pk).stale_since:
            others.append(True)
            at_once([lambda: settle.settle_due(NOON)])

    with patch.object(settling, "failpoint", meanwhile), patch.object(Publisher, "place_all", place_all):
        settle.settle_due(NOON)
        bring_to_rest()

    assert others
    assert placed == []
    agree(period)


@WHO_DECIDES
def test_one_hiccup_of_redis_costs_one_round_and_not_a_lease(storage: str) -> None:
    period = crowd(make_board(storage), {"ann": 1})
    Period.objects.filter(pk=period.pk).update(stale_since=NOON, whole=storage == "hybrid")
    renew, silent = ZsetSettler.renew, [redis.RedisSilent("one time-out")]

    def hiccup(settler: ZsetSettler, *args: Any, **how: Any) -> int | None:
        if silent:
            raise silent.pop()
        return renew(settler, *args, **how)

    with patch.object(ZsetSettler, "renew", hiccup):
        settle.settle_due(NOON)
        settle.settle_due(NOON)

    period.refresh_from_db()
    assert period.stale_since is None


@POSTGRESQL
def test_a_writer_frozen_while_redis_is_away_holds_up_nobody_else() -> None:
    period = crowd(make_board("hybrid"), {"ann": 1, "bob": 2})
    with patch.object(Publisher, "announce", side_effect=redis.RedisAway("away")):
        frozen = resting("submit.before_commit", lambda: score(period.board, {"ann": 5}))
        assert seconds(lambda: score(period.board, {"bob": 7})) < HELD_UP
        frozen.join()
    agree(period)


@POSTGRESQL
def test_marking_what_a_memory_lacks_holds_up_nobody_for_one_who_is_frozen() -> None:
    period = followed({"ann": 1, "bob": 2, "zoe": 3})
    score(period.board, {"ann": 10, "bob": 11, "zoe": 12})
    restart_with(files())
    frozen: list[Thread] = []
    taken: list[float] = []

    def late() -> None:
        time.sleep(0.2)
        taken.append(seconds(lambda: score(period.board, {"ann": 60})))
        connection.close()

    def meanwhile(step: str) -> None:
        if step == "settle.after_generation" and not frozen:
            frozen.append(resting("submit.before_commit", lambda: score(period.board, {"zoe": 50})))
            frozen.append(Thread(target=late, daemon=True))
            frozen[1].start()

    with patch.object(settling, "failpoint", meanwhile):
        settle.settle_due(NOON)
    for thread in frozen:
        thread.join()

    assert max(taken) < HELD_UP
    agree(period)


def test_a_redis_board_takes_scores_as_soon_as_it_is_settled() -> None:
    board = make_board("redis")
    period = crowd(board, {"ann": 1})
    Period.objects.filter(pk=period.pk).update(stale_since=NOON)
    assert score(board, {"ann": 2})[0].code in ("unavailable", None)  # this process has read the row by now

    at_once([lambda: settle.settle_due(NOON)])

    assert score(board, {"ann": 3})[0].status.is_accepted


def test_rules_do_not_change_under_a_score_by_a_clock_that_is_ahead() -> None:
    board = make_board("redis", update="increment")
    period = period_of(board)
    begins = period.window.starts_at or NOON
    renew, ahead = ZsetSettler.renew, [begins + timedelta(milliseconds=200)]

    def outrun(settler: ZsetSettler, where: Period, *args: Any, **how: Any) -> int | None:
        while ahead:
            score(board, {"ann": 900}, ahead.pop())
        return renew(settler, where, *args, **how)

    board.minimum = -100_000
    board.save()
    with clock.stand_at(begins - timedelta(milliseconds=500)), patch.object(ZsetSettler, "renew", outrun):
        upcoming.refresh_rules(board)

    assert shown(board, begins + timedelta(seconds=5))[1] == [("ann", 900)]


@POSTGRESQL
def test_who_drew_a_generation_and_does_not_commit_holds_up_nobody() -> None:
    one, other = make_board("hybrid", name="One"), make_board("hybrid", name="Other")
    period_of(one)
    one.minimum = -5
    with transaction.atomic():
        one.save()
        upcoming.refresh_rules(one)
        [taken] = at_once([lambda: seconds(lambda: score(other, {"ann": 2}, NOON + timedelta(days=30)))])
    assert taken < HELD_UP
