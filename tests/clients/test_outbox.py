"""The queue of a sender, without a server: when a batch is due, what is queued again, and what is told."""

from typing import Any

import pytest

from sunwi_client import Bounds, NoAnswer, RetryPolicy, Score, errors
from sunwi_client.answers import Result
from sunwi_client.outbox import Outbox


def one(board: int, nth: int = 1) -> Score:
    return Score(board=board, player=f"p{nth}", points=1)


def outbox(size: int = 2, seconds: float = 1, most: int = 10) -> Outbox:
    return Outbox(Bounds(size, seconds, most), RetryPolicy(first=1, longest=8))


def test_what_failed_as_a_whole_keeps_its_order_and_waits_as_long_as_the_server_says() -> None:
    box, scores = outbox(), [one(1, nth) for nth in range(3)]
    for score in scores:
        box.add(score, 0.0)

    batch = box.take()
    box.fail(batch, errors.RateLimited(429, {}, 30.0), 1.0)

    assert 30.0 <= (box.due_in(1.0, hurry=True) or 0) <= 31.0
    assert box.take() == batch == scores[:2]


def test_what_is_open_waits_behind_the_others_so_that_one_board_holds_up_none() -> None:
    box, scores = outbox(), [one(1, nth) for nth in range(3)]
    for score in scores:
        box.add(score, 0.0)
    results: list[Result] = [{"status": "unknown"}, {"status": "rejected", "code": "unavailable"}]

    told = box.record_results(box.take(), results, 0.0)

    assert told == []
    assert box.pending == 3
    assert box.take() == [scores[2], scores[0]]


def test_a_batch_that_is_too_large_is_halved_and_one_score_that_is_too_large_is_told() -> None:
    box, scores = outbox(size=2), [one(1, nth) for nth in range(2)]
    for score in scores:
        box.add(score, 0.0)
    too_large = errors.BodyTooLarge(413, {"code": "body_too_large", "detail": "Over 1 MiB."})

    assert box.fail(box.take(), too_large, 0.0) == []
    assert box.due_in(0.0, hurry=False) == 0.0
    [told] = box.fail(box.take(), too_large, 0.0)

    assert told.code == "body_too_large"
    assert box.pending == 1


def test_what_is_under_way_counts_as_held() -> None:
    box = outbox(size=2, most=2)
    for nth in range(2):
        box.add(one(1, nth), 0.0)

    batch = box.take()
    assert box.is_full
    box.fail(batch, NoAnswer("nothing"), 0.0)

    assert box.pending == 2


def test_a_failure_of_the_client_itself_is_not_to_be_sent_again() -> None:
    box = outbox()
    box.add(one(1), 0.0)

    faults = [TypeError("no JSON"), errors.BodyTooLarge(413, {}), errors.Forbidden(403, {})]
    told = [box.fail([one(1)], fault, 0.0)[0] for fault in faults]

    assert [(each.code, each.again) for each in told] == [
        ("client_fault", False),
        ("body_too_large", False),
        ("forbidden", True),
    ]


def test_what_is_added_again_rests_longer_each_time_that_its_batch_is_refused() -> None:
    box, now, rests = outbox(), 0.0, []
    for nth in range(2):
        box.add(one(1, nth), now)

    for _ in range(4):
        for lost in box.fail(box.take(), errors.KeyRefused(401, {}), now):
            box.add_again(lost.score, now)
        rests.append(box.due_in(now, hurry=True) or 0)
        now += rests[-1]

    for rest, most in zip(rests, (1, 2, 4, 8), strict=True):
        assert most / 2 <= rest <= most


@pytest.mark.parametrize("wrong", [{"size": 0}, {"size": 1001}, {"seconds": -1}, {"most": 10}])
def test_bounds_that_would_send_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is"):
        Bounds(**wrong)
