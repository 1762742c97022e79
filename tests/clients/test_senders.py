"""A sender sends what it was given, together, once each; and says of the rest why not."""

import asyncio
import logging
import time
from collections.abc import Callable

import pytest
from anyio.from_thread import start_blocking_portal

from sunwi_client import (
    AsyncClient,
    AsyncSender,
    Bounds,
    Client,
    Score,
    Sender,
    SenderClosed,
    SenderFull,
    UncountedScore,
)
from tests.clients.conftest import Kind
from tests.clients.front import HANG_UP, REFUSE, Canned, Front
from tests.clients.sending import NEVER, NOBODY, counts, one

pytestmark = pytest.mark.usefixtures("links")


def within(seconds: float, true: Callable[[], bool]) -> bool:
    ends = time.monotonic() + seconds
    while not (done := true()) and time.monotonic() < ends:
        time.sleep(0.01)
    return done


def test_a_full_batch_goes_at_once_and_the_rest_on_closing(kind: Kind, site: str, key: str, board: int) -> None:
    with Front(site) as front:
        client = kind.client(front.url, key)
        sender = kind.sender(client, bounds=Bounds(size=20, seconds=NEVER))
        for nth in range(50):
            sender.add(one(board, nth))
        sender.close()
        asked = len(front.asked)

    assert asked == 3
    assert counts(kind.client(site), board) == {f"p{nth}": 1 for nth in range(50)}


def test_the_first_of_a_batch_waits_no_longer_than_is_said(kind: Kind, site: str, key: str, board: int) -> None:
    sender = kind.sender(client := kind.client(site, key), bounds=Bounds(size=500, seconds=0.05))

    sender.add(one(board))

    assert within(10, lambda: client.top(board)["total"] == 1)


def test_flushing_waits_until_all_is_decided(kind: Kind, site: str, key: str, board: int) -> None:
    sender = kind.sender(client := kind.client(site, key), bounds=Bounds(size=500, seconds=NEVER))
    sender.add(one(board))

    assert sender.flush(10)
    assert counts(client, board) == {"p1": 1}


def test_what_hangs_up_or_is_away_is_sent_again_and_counts_once(kind: Kind, site: str, key: str, board: int) -> None:
    told: list[UncountedScore] = []
    with Front(site, HANG_UP, REFUSE, HANG_UP) as front:
        sender = kind.sender(kind.client(front.url, key), on_uncounted=told.append, bounds=Bounds(size=10, seconds=0))
        for nth in range(30):
            sender.add(one(board, nth % 3))
        sender.close()

    assert told == []
    assert counts(kind.client(site), board) == {"p0": 10, "p1": 10, "p2": 10}


def test_what_does_not_count_is_told_with_its_reason(
    kind: Kind, site: str, key: str, board: int, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[UncountedScore] = []
    client = kind.client(site, key)
    sender = kind.sender(client, on_uncounted=told.append, bounds=Bounds(seconds=NEVER))
    wrong = Score(board=board, player="a,b", points=1)
    for score in (one(board), wrong, Score(board=999, player="a", points=1)):
        sender.add(score)
    sender.flush(10)
    silent = kind.sender(client)
    silent.add(wrong)
    with caplog.at_level(logging.WARNING):
        silent.close()

    assert [(each.code, each.again) for each in told] == [("bad_player", False), ("unknown_board", False)]
    assert told[0].score is wrong
    assert told[1].todo == "List the boards for their numbers."
    assert "does not count: bad_player" in caplog.text
    assert counts(client, board) == {"p1": 1}


def test_who_fails_in_being_told_stops_nothing(
    kind: Kind, site: str, key: str, board: int, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: UncountedScore) -> None:
        raise RuntimeError("no")

    sender = kind.sender(client := kind.client(site, key), on_uncounted=fail, bounds=Bounds(size=1))
    sender.add(Score(board=999, player="a", points=1))
    sender.add(one(board))
    sender.close()

    assert counts(client, board) == {"p1": 1}
    assert "Telling of a score that does not count failed" in caplog.text


def test_who_adds_a_score_again_as_it_is_told_waits_for_nobody(kind: Kind, site: str, key: str, board: int) -> None:
    with Front(site, Canned(401, b'{"code": "unauthenticated"}')) as front:
        bounds = Bounds(size=2, seconds=0, most=4)
        sender = kind.sender_that_adds_again(kind.client(front.url, key), bounds=bounds)
        for nth in range(12):
            sender.add(one(board, nth), timeout=20)
        assert sender.flush(20)

    assert counts(kind.client(site), board) == {f"p{nth}": 1 for nth in range(12)}


def test_a_sender_is_not_flushed_or_closed_by_who_it_tells(caplog: pytest.LogCaptureFixture) -> None:
    told: list[UncountedScore] = []

    def wait(lost: UncountedScore) -> None:
        told.append(lost)
        sender.flush() if len(told) == 1 else sender.close()

    with Front(NOBODY, Canned(401, b"{}"), Canned(401, b"{}")) as front, Client(front.url, "a-key") as client:
        sender = Sender(client, on_uncounted=wait, bounds=Bounds(size=1))
        for nth in range(2):
            sender.add(one(1, nth))
        assert sender.flush(20)
        sender.close()

    assert len(told) == 2
    assert caplog.text.count("RuntimeError: `on_uncounted` cannot flush or close its sender") == 2


def test_a_key_that_is_refused_is_told_for_each_score(kind: Kind, site: str, board: int) -> None:
    told: list[UncountedScore] = []
    sender = kind.sender(kind.client(site, "sunwi_wrong"), on_uncounted=told.append, bounds=Bounds(size=2))
    for nth in range(4):
        sender.add(one(board, nth))
    sender.close()

    assert [(each.score.player, each.code, each.again) for each in told] == [
        (f"p{nth}", "unauthenticated", True) for nth in range(4)
    ]


def test_a_full_queue_holds_back_who_adds_and_closing_tells_what_never_went(kind: Kind) -> None:
    told: list[UncountedScore] = []
    sender = kind.sender(
        kind.client(NOBODY, "a-key"), on_uncounted=told.append, bounds=Bounds(size=2, seconds=0, most=4)
    )
    for nth in range(4):
        sender.add(one(1, nth))

    with pytest.raises(SenderFull, match="4 scores wait"):
        sender.add(one(1, 5), timeout=0.05)
    assert not sender.flush(0.05)
    sender.close(timeout=0.1)
    with pytest.raises(SenderClosed):
        sender.add(one(1, 6))
    assert [(each.score.player, each.code, each.again) for each in told] == [
        (f"p{nth}", "unsent", True) for nth in range(4)
    ]


def test_a_batch_that_a_proxy_finds_too_large_is_halved(kind: Kind, site: str, key: str, board: int) -> None:
    told: list[UncountedScore] = []
    with Front(site, Canned(413, b"<html>")) as front:
        sender = kind.sender(kind.client(front.url, key), on_uncounted=told.append, bounds=Bounds(size=4, seconds=60))
        for nth in range(1, 5):
            sender.add(one(board, nth))
        sender.close()

    assert told == []
    assert counts(kind.client(site, key), board) == {f"p{nth}": 1 for nth in range(1, 5)}


def test_closing_that_is_broken_off_goes_on_and_loses_nothing() -> None:
    told: list[UncountedScore] = []

    async def walk() -> None:
        async with AsyncClient(NOBODY, "a-key") as client:
            sender = AsyncSender(client, on_uncounted=told.append, bounds=Bounds(size=2, seconds=0))
            for nth in range(3):
                await sender.add(one(1, nth))
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(sender.close(), 0.05)
            assert told == []
            await sender.close(timeout=0)

    with start_blocking_portal() as portal:
        portal.call(walk)

    assert [(each.score.player, each.code) for each in told] == [("p0", "unsent"), ("p1", "unsent"), ("p2", "unsent")]


def test_what_is_changed_after_a_score_was_made_does_not_change_it() -> None:
    car, fields = {"car": ["red"]}, {"stage": 1}
    score = Score(board=1, player="alice", fields=fields, metadata=car)

    car["car"].append("x" * 3000)
    fields["stage"] = 2

    assert (score.entry()["metadata"], score.entry()["fields"]) == ({"car": ["red"]}, {"stage": 1})


def test_closing_twice_is_closing_once(kind: Kind, site: str, key: str, board: int) -> None:
    sender = kind.sender(client := kind.client(site, key))
    sender.add(one(board))

    sender.close()
    sender.close()

    assert counts(client, board) == {"p1": 1}
