"""How often whoever follows a page is told to look again: the more follow, the less often."""

import pytest
from django.test import Client

from foundation import clock
from leaderboards.views import crowd
from leaderboards.views.crowd import ANSWERS_PER_SECOND, LIVE_EVERY_SECONDS, LONGEST_SECONDS, Crowd
from tests.playing import make_board, score


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    standing = Clock()
    monkeypatch.setattr(clock, "monotonic", standing)
    return standing


def follow(crowd: Crowd, time: Clock, followers: int, seconds: float) -> tuple[float, float]:
    """Let so many follow, each as he is told; the last interval, and the answers a second of the last half."""
    due = [time.at + LIVE_EVERY_SECONDS * nth / followers for nth in range(followers)]
    begun, answers, told = time.at, 0, 0.0
    while time.at < begun + seconds:
        nth = min(range(followers), key=due.__getitem__)
        time.at = due[nth]
        told = crowd.next_look()
        due[nth] += told
        answers += time.at >= begun + seconds / 2
    return told, answers / (seconds / 2)


@pytest.mark.parametrize("followers", [1, 100, 2 * ANSWERS_PER_SECOND - 10])
def test_few_look_every_two_seconds(time: Clock, followers: int) -> None:
    assert follow(Crowd(_since=time.at), time, followers, 20)[0] == LIVE_EVERY_SECONDS


def test_a_crowd_gets_no_more_answers_than_a_process_gives(time: Clock) -> None:
    told, answers = follow(Crowd(_since=time.at), time, 600, 36)  # the last half holds each three times

    assert told == pytest.approx(600 / ANSWERS_PER_SECOND, rel=0.1)
    assert answers == pytest.approx(ANSWERS_PER_SECOND, rel=0.1)


def test_nobody_waits_longer_than_that(time: Clock) -> None:
    assert follow(Crowd(_since=time.at), time, 3000, 60)[0] == LONGEST_SECONDS


def test_when_the_crowd_has_gone_the_rest_look_often_again(time: Clock) -> None:
    crowd = Crowd(_since=time.at)
    follow(crowd, time, 600, 20)

    assert follow(crowd, time, 10, 20)[0] == LIVE_EVERY_SECONDS


@pytest.mark.django_db(transaction=True)
def test_each_answer_to_a_follower_says_when_to_look_again(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    board = make_board()
    score(board, {"robin": 5})
    monkeypatch.setattr(crowd.followers, "_every", 7.25)
    monkeypatch.setattr(crowd.followers, "_since", clock.monotonic())

    first = client.get(f"/boards/{board}/?fragment=1")
    same = client.get(f"/boards/{board}/?fragment=1", headers={"If-None-Match": first["ETag"]})
    mine = client.get(f"/boards/{board}/?fragment=1&player=robin")

    assert [answer["Look-Again"] for answer in (first, same, mine)] == ["7.2", "7.2", "7.2"]
    assert same.status_code == 304
    assert "Look-Again" not in client.get(f"/boards/{board}/")
