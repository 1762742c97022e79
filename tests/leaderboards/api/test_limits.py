"""Too many requests: 429 with the time to wait, whoever asks; and nobody locked out because Redis is away."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import LazySettings

from foundation import rate_limit, service_keys
from foundation.limits import Limit
from foundation.redis import RedisAway
from tests.leaderboards.api.conftest import Caller, Make, problem

THREE = Limit(3, 300)


@pytest.fixture(autouse=True)
def limits(settings: LazySettings) -> Iterator[None]:
    """Three writes for each key, and three reads for each caller."""
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "write": THREE, "read": THREE}
    rate_limit.reset()
    yield
    rate_limit.reset()


@pytest.fixture
def no_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise RedisAway("Redis is away.")

    for alias in ("boards", "default"):
        monkeypatch.setattr(rate_limit.link_of(alias), "run", away)


def score(game: Caller, board: int) -> Any:
    return game.send("POST", "/scores", {"entries": [{"board": board, "player": "a", "points": 1}]})


def test_a_key_over_its_writes_is_told_when_to_come_back(make_board: Make, game: Caller) -> None:
    board = make_board(storage="sql")
    accepted = [score(game, board).status_code for _ in range(3)]

    refused = score(game, board)

    assert accepted == [200] * 3
    problem(refused, 429, "rate_limited")
    assert 295 <= int(refused["Retry-After"]) <= 300


def test_what_was_refused_changed_nothing(make_board: Make, game: Caller, anybody: Caller) -> None:
    board = make_board(storage="sql", update="increment")

    for _ in range(5):
        score(game, board)

    assert anybody.get(f"/boards/{board}/standings").json()["rows"][0]["points"] == 3


def test_another_key_is_not_held_up(make_board: Make, game: Caller, make_key: Callable[..., str]) -> None:
    board = make_board(storage="sql")
    for _ in range(4):
        score(game, board)

    assert score(Caller(make_key(name="other")), board).status_code == 200


def test_reads_are_counted_by_address_and_apart_from_writes(db: None, anybody: Caller, game: Caller) -> None:
    told = [anybody.get("/boards").status_code for _ in range(4)]

    assert told == [200, 200, 200, 429]
    assert game.get("/boards").status_code == 200


def test_a_forged_address_does_not_help(db: None, anybody: Caller) -> None:
    told = [anybody.get("/boards", X_Forwarded_For=f"203.0.113.{nth}").status_code for nth in range(4)]

    assert told == [200, 200, 200, 429]


def test_behind_a_proxy_each_client_counts_by_himself(db: None, anybody: Caller, settings: LazySettings) -> None:
    settings.TRUSTED_PROXIES = 1

    one = [anybody.get("/boards", X_Forwarded_For="6.6.6.6, 203.0.113.1").status_code for _ in range(4)]

    assert one[-1] == 429
    assert anybody.get("/boards", X_Forwarded_For="6.6.6.6, 203.0.113.2").status_code == 200


def test_who_guesses_keys_is_known_by_his_address(db: None) -> None:
    told = [Caller(f"sunwi_00000000_{nth:040x}").get("/boards").status_code for nth in range(4)]

    assert told == [401, 401, 401, 429]


def test_a_keys_own_limit_counts_all_that_it_does(make_board: Make) -> None:
    board = make_board(storage="sql")
    _, text = service_keys.make("slow", ["scores:write"], limit=Limit(2, 300))
    slow = Caller(text)

    told = [score(slow, board).status_code, slow.get("/boards").status_code, slow.get("/boards").status_code]

    assert told == [200, 200, 429]


def test_a_keys_own_limit_may_be_greater_than_the_sites(make_board: Make) -> None:
    board = make_board(storage="sql")
    _, text = service_keys.make("fast", ["scores:write"], limit=Limit(100, 300))

    told = {score(Caller(text), board).status_code for _ in range(8)}

    assert told == {200}


@pytest.mark.usefixtures("no_redis")
class TestWithoutRedis:
    def test_a_key_may_go_on_writing_up_to_its_limit(self, make_board: Make, game: Caller) -> None:
        board = make_board(storage="sql")

        told = [score(game, board).status_code for _ in range(4)]

        assert told == [200, 200, 200, 429]

    def test_reading_is_open(self, db: None, anybody: Caller) -> None:
        assert {anybody.get("/boards").status_code for _ in range(6)} == {200}
