"""How often whoever follows a page is told to look again: the more follow, the less often."""

from heapq import heapreplace
from types import SimpleNamespace

import pytest
from django.test import Client

from foundation import clock
from leaderboards.views.http import poll_interval
from leaderboards.views.http.poll_interval import ANSWERS_PER_SECOND, LIVE_EVERY_SECONDS, LONGEST_SECONDS, PollPacer
from tests.playing import make_board, score


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that goes on when it is told to."""
    standing = SimpleNamespace(at=100.0)
    monkeypatch.setattr(clock, "monotonic", lambda: standing.at)
    return standing


def follow(crowd: PollPacer, time: SimpleNamespace, followers: int, seconds: float) -> tuple[float, float]:
    """Let so many follow, each as they are told; the last interval, and the answers a second of the last half."""
    due = [time.at + LIVE_EVERY_SECONDS * nth / followers for nth in range(followers)]  # sorted, and so a heap
    begun, answers, told = time.at, 0, 0.0
    while time.at < begun + seconds:
        time.at = due[0]
        told = crowd.next_interval()
        heapreplace(due, time.at + told)
        answers += time.at >= begun + seconds / 2
    return told, answers / (seconds / 2)


@pytest.mark.parametrize(
    ("followers", "seconds", "interval"),
    [
        *((few, 20, LIVE_EVERY_SECONDS) for few in (1, 100, 2 * ANSWERS_PER_SECOND - 10)),
        (3000, 60, LONGEST_SECONDS),
    ],
)
def test_few_look_every_two_seconds_and_of_a_crowd_nobody_waits_longer_than_the_longest(
    time: SimpleNamespace, followers: int, seconds: int, interval: float
) -> None:
    assert follow(PollPacer(_since=time.at), time, followers, seconds)[0] == interval


def test_a_crowd_gets_what_a_process_gives_and_who_is_left_looks_often_again(time: SimpleNamespace) -> None:
    crowd = PollPacer(_since=time.at)

    told, answers = follow(crowd, time, 600, 36)  # the last half holds each three times
    later, _ = follow(crowd, time, 10, 20)

    assert told == pytest.approx(600 / ANSWERS_PER_SECOND, rel=0.1)
    assert answers == pytest.approx(ANSWERS_PER_SECOND, rel=0.1)
    assert later == LIVE_EVERY_SECONDS


@pytest.mark.django_db(transaction=True)
def test_each_answer_to_a_follower_says_when_to_look_again(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    board = make_board()
    score(board, {"robin": 5})
    monkeypatch.setattr(poll_interval.poll_pacer, "_every", 7.25)
    monkeypatch.setattr(poll_interval.poll_pacer, "_since", clock.monotonic())

    first = client.get(f"/boards/{board}/?fragment=1")
    same = client.get(f"/boards/{board}/?fragment=1", headers={"If-None-Match": first["ETag"]})
    mine = client.get(f"/boards/{board}/?fragment=1&player=robin")

    assert [answer["Poll-Interval"] for answer in (first, same, mine)] == ["7.2", "7.2", "7.2"]
    assert same.status_code == 304
    assert "Poll-Interval" not in client.get(f"/boards/{board}/")
