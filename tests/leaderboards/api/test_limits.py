"""Too many requests: 429 with the time to wait, whoever asks. How is counted:
tests/foundation/throttling/test_rate_limit.py."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings

from foundation.throttling import rate_limit
from foundation.throttling.limits import Limit
from tests.leaderboards.api.conftest import Caller, Make, problem, with_key

THREE = Limit(3, 300)


@pytest.fixture(autouse=True)
def limits(settings: LazySettings) -> Iterator[None]:
    """Three writes for each key, and three reads for each caller."""
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "write": THREE, "read": THREE}
    rate_limit.reset()
    yield
    rate_limit.reset()


def score(game: Caller, board: int) -> Any:
    return game.send("POST", "/scores", {"entries": [{"board": board, "player": "a", "points": 1}]})


def test_a_key_over_its_writes_is_told_when_to_come_back_and_changes_nothing(make_board: Make, game: Caller) -> None:
    board = make_board(storage="sql", update="increment")
    accepted = [score(game, board).status_code for _ in range(3)]

    refused = score(game, board)
    other = score(with_key("scores:write", name="other"), board)
    slow, fast = (with_key("scores:write", name=f"of {most}", limit=Limit(most, 300)) for most in (2, 100))
    told = [score(slow, board), slow.get("/boards"), slow.get("/boards")]  # its own limit counts all that it does

    assert accepted == [200] * 3
    problem(refused, 429, "rate_limited")
    assert 295 <= int(refused["Retry-After"]) <= 300
    assert other.status_code == 200
    assert [each.status_code for each in told] == [200, 200, 429]
    assert game.get(f"/boards/{board}/standings").json()["rows"][0]["points"] == 5
    assert {score(fast, board).status_code for _ in range(8)} == {200}


def test_reads_and_guessed_keys_are_counted_by_address_and_apart_from_writes(
    anybody: Caller, game: Caller, settings: LazySettings
) -> None:
    told = [anybody.get("/boards", X_Forwarded_For=f"203.0.113.{nth}").status_code for nth in range(4)]
    settings.TRUSTED_PROXIES = 1
    behind = [anybody.get("/boards", X_Forwarded_For="6.6.6.6, 203.0.113.1").status_code for _ in range(4)]
    neighbour = {"X_Forwarded_For": "6.6.6.6, 203.0.113.2"}
    guessed = [Caller(f"sunwi_00000000_{nth:040x}").get("/boards", **neighbour).status_code for nth in range(4)]

    assert told == behind == [200, 200, 200, 429]
    assert guessed == [401, 401, 401, 429]
    assert game.get("/boards").status_code == 200
