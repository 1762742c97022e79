"""Lists of boards and periods while DynamoDB is away: they name its boards, and count those of the others."""

import re

import pytest
from django.test import Client

from foundation import clock
from leaderboards.models import Board
from tests.leaderboards.services.dynamodb.conftest import away
from tests.leaderboards.services.site import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def boards() -> tuple[Board, Board]:
    """One in DynamoDB and one in SQL, each with a player."""
    at = clock.now()
    elsewhere, here = (make_board(storage, at, name=storage, period="all_time") for storage in ("dynamodb", "sql"))
    for board in (elsewhere, here):
        assert [outcome.code for outcome in score(board, {"alice": 3}, at)] == [None]
    return elsewhere, here


def test_the_api_lists_it_without_its_players(boards: tuple[Board, Board], client: Client) -> None:
    elsewhere, here = boards

    with away():
        listed = client.get("/api/v1/boards").json()["rows"]
        periods = [client.get(f"/api/v1/boards/{board.pk}/periods").json()["rows"] for board in boards]

    assert {row["seq"]: row["total"] for row in listed} == {elsewhere.pk: None, here.pk: 1}
    assert [[row["players"] for row in rows] for rows in periods] == [[None], [1]]


@pytest.mark.parametrize("path", ["/", "/boards/"])
def test_pages_that_list_boards_say_so_in_its_place(
    boards: tuple[Board, Board], admin_client: Client, path: str
) -> None:
    with away():
        meanwhile = admin_client.get(path).content.decode()
    then = admin_client.get(path).content.decode()

    assert [page.count("This part cannot be read now") for page in (meanwhile, then)] == [1, 0]
    assert [page.count('data-key="alice"') for page in (meanwhile, then)] == [1, 2]
    assert len({*re.findall(r'data-etag="(.+?)"', meanwhile + then)}) == 2  # so it is shown live


@pytest.mark.parametrize("path", ["/admin/", "/admin/leaderboards/board/", "/admin/leaderboards/period/"])
def test_the_admins_lists_open(boards: tuple[Board, Board], admin_client: Client, path: str) -> None:
    with away():
        assert admin_client.get(path).status_code == 200
