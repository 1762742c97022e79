"""Finding a place on a board by rank, id or name."""

import pytest
from django.test import Client

from foundation import clock
from leaderboards.selectors import board_by_seq
from tests.leaderboards.views.pages import WEEK, signed_in, text
from tests.playing import make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def board() -> int:
    """120 players, the best first; robin is called Robin Hood and stands 61st."""
    found = make_board()
    score(found, {f"p{number:03d}": 1000 - 2 * number for number in range(119)} | {"robin": 881})
    name("robin", "Robin Hood")
    return found


def test_what_is_asked_for_is_an_address(client: Client, board: int) -> None:
    addresses = {
        "robin": "?page=2&player=robin#me",
        "robin hood": "?page=2&player=robin#me",
        "p003": "?player=p003#me",
        "7": "#r7",
        "#51": "?page=2#r51",
    }

    for asked, address in addresses.items():
        response = client.get(f"/boards/{board}/", {"find": asked})

        assert (response.status_code, response["Location"].replace("/?#", "/#")) == (302, f"/boards/{board}/{address}")


def test_the_period_is_kept_and_who_is_linked_stays_themselves(client: Client, board: int) -> None:
    score(board, {"mina": 3}, clock.now() - WEEK)
    label = board_by_seq(board).periods.order_by("starts_at")[0].label

    past = client.get(f"/boards/{board}/", {"find": "mina", "period": label})
    linked = signed_in(client, "someone", "p000").get(f"/boards/{board}/", {"find": "robin"})

    assert past["Location"] == f"/boards/{board}/?period={label}&player=mina#me"
    assert linked["Location"] == f"/boards/{board}/?page=2#r61"


def test_what_is_not_there_is_said_beside_the_field(client: Client, board: int) -> None:
    for asked in ("nobody", "121", "0", "a/b", "9" * 30, "\0", "²"):
        response = client.get(f"/boards/{board}/", {"find": asked})

        assert response.status_code == 200, asked
        assert "Nobody with this name or id is ranked here" in text(response), asked


def test_of_two_with_one_name_the_better_is_found_and_an_id_comes_before_a_name(client: Client, board: int) -> None:
    for player, shown in (("p100", "Twin"), ("p010", "Twin"), ("p050", "robin")):
        name(player, shown)

    for asked, found in (("twin", "p010"), ("robin", "robin")):
        assert f"player={found}#" in client.get(f"/boards/{board}/", {"find": asked})["Location"]
