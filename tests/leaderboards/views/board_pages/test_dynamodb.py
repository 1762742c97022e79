"""The page of a board in DynamoDB: its best players, its own rows for who looks, and no page that cannot be read."""

import re
from typing import Any

import pytest
from django.test import Client

from leaderboards.stores.dynamodb import reads
from tests.dynamodb import dynamodb, moto_address
from tests.leaderboards.views.pages import signed_in, text
from tests.playing import make_board, name, score

__all__ = ["dynamodb", "moto_address"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def board(dynamodb: Any) -> int:
    made = make_board(name="There", storage="dynamodb")
    score(made, {f"p{nth}": 1000 - nth for nth in range(120)})
    name("p0", "Mina")
    return made


def test_the_best_are_shown_and_who_looks_finds_their_own_row(board: int, monkeypatch: pytest.MonkeyPatch) -> None:
    page = text(Client().get(f"/boards/{board}/"))
    assert re.search(r"1 .*Mina 1,000", page)
    assert "120 players" in page

    monkeypatch.setattr(reads, "MOST_RANKED", 60)
    near, far = (text(signed_in(Client(), f"user-{nth}", player=f"p{nth}").get(f"/boards/{board}/")) for nth in (7, 99))
    assert "p7" in near
    assert "p99" in far


def test_pages_end_where_pages_by_number_do(board: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reads, "MOST_RANKED", 60)

    numbers = [Client().get(f"/boards/{board}/?page={nth}").status_code for nth in (1, 2, 3)]

    assert numbers == [200, 200, 404]
    assert "page=3" not in Client().get(f"/boards/{board}/?page=2").text


def test_while_it_is_away_the_page_says_so(board: int, settings: Any) -> None:
    settings.DYNAMODB_ENDPOINT = "http://127.0.0.1:1"

    answer = Client().get(f"/boards/{board}/?page=2")

    assert answer.status_code == 503
