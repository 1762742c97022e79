"""SQL goes away in the middle of a request: a live board is shown all the same, from Redis, at whichever statement."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test import Client

from foundation.db import resilience as sql
from tests.leaderboards.views.pages import signed_in
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)


def a_stranger(_client: Client) -> None:
    pass


def a_user(client: Client) -> None:
    client.force_login(User.objects.create_user("somebody"))


def a_player(client: Client) -> None:
    signed_in(client, "somebody", "p1")


def staff(client: Client) -> None:
    signed_in(client, "somebody", "p1", is_staff=True, is_superuser=True)


class GoesAt:
    """SQL answers so many statements of a request, and none after them."""

    def __init__(self, answered: int) -> None:
        self.answered = answered
        self.asked = 0

    def __call__(self, execute: Callable[..., Any], statement: str, params: Any, many: bool, context: Any) -> Any:
        self.asked += 1
        if self.asked > self.answered:
            raise OperationalError("server closed the connection unexpectedly")
        return execute(statement, params, many, context)


@pytest.mark.parametrize("signs_in", [a_stranger, a_user, a_player, staff])
@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_a_live_board_is_shown_at_whichever_statement_of_a_request_sql_goes(
    client: Client, monkeypatch: pytest.MonkeyPatch, storage: str, signs_in: Callable[[Client], None]
) -> None:
    board = make_board(storage=storage)
    score(board, {f"p{nth}": nth for nth in range(8)})
    signs_in(client)
    shown = f"/boards/{board}/"
    answers = (f"/api/v1{shown}standings", f"/api/v1{shown}players/p1/around")
    for path in (shown, f"{shown}?fragment=1&player=p1", *answers):
        client.get(path)  # a process that has never asked for the board knows nothing of it
        for answered in itertools.count():
            goes = GoesAt(answered)
            monkeypatch.setattr(sql._Breaker, "silent_until", 0.0)
            with connection.execute_wrapper(goes):
                assert client.get(path).status_code == 200, f"{path} after {answered} statements"
            if goes.asked <= answered:
                break
