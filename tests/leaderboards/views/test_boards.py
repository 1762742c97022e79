"""The list of boards and the page of one: who may see what, and what they say."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client

from foundation import clock
from leaderboards.selectors import board_by_seq
from leaderboards.services.boards import retire
from leaderboards.views import scenes
from tests.leaderboards.services.contest import event_board, known_events, send, told
from tests.leaderboards.views.pages import signed_in, text
from tests.playing import HARD_NAMES, make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)


def test_the_list_tells_each_boards_leader_players_and_time_left(client: Client) -> None:
    board = make_board(name="Weekly wins")
    score(board, {"robin": 5, "mina": 1200})
    name("mina", "Mina")

    page = text(client.get("/"))

    assert re.search(r"Weekly wins This week · .+ Leader: Mina 1,200 points 2 players Ends in \d", page)


def test_the_list_leaves_out_private_and_retired_boards(client: Client) -> None:
    make_board(name="Secret", visibility="private")
    over = make_board(name="Over", period="event")
    retire(board_by_seq(over), clock.now())

    page = text(client.get("/"))

    assert "Secret" not in page
    assert "Over" not in page
    assert "There is no board yet." in page


def test_staff_see_private_boards_marked(client: Client) -> None:
    make_board(name="Secret", visibility="private")

    assert "Secret private" in text(signed_in(client, "boss", is_staff=True).get("/"))


def test_equals_are_shown_as_equals(client: Client) -> None:
    board = make_board(ties="shared")
    score(board, {"omar": 9, "mina": 7, "robin": 7, "aiko": 1})

    page = text(client.get(f"/boards/{board}/?player=robin"))

    assert "1 omar 9 = 2 robin highlighted 7 2 = 2 mina 7 2 4 aiko 1 6" in page
    assert "Rank = 2 of 4 Result 7 points To the next 2 points omar 2 share this rank" in page


def test_among_many_equals_the_next_rank_is_not_guessed(client: Client) -> None:
    board = make_board(ties="shared")
    score(board, {"leader": 9} | {f"p{number:03d}": 5 for number in range(100)})

    far = text(client.get(f"/boards/{board}/?player=p010"))
    near = text(client.get(f"/boards/{board}/?player=p090"))

    assert "To the next 100 share this rank" in far
    assert "To the next 4 points leader" in near


def test_the_first_sees_whom_he_is_ahead_of(client: Client) -> None:
    board = make_board(order="asc", unit="milliseconds")
    score(board, {"mina": 61_250, "robin": 59_999})

    assert "Ahead by 0:01.251 mina" in text(client.get(f"/boards/{board}/?player=robin"))


def test_criteria_stand_in_columns_and_the_gap_names_the_one_that_decides(client: Client) -> None:
    criteria = [{"name": "stage", "max": 32000, "order": "desc"}, {"name": "members", "max": 255, "order": "asc"}]
    board = make_board(criteria=criteria)
    score(board, {"mina": {"stage": 1200, "members": 3}, "robin": {"stage": 1200, "members": 5}})

    page = text(client.get(f"/boards/{board}/?player=robin"))

    assert "Rank Player stage members" in page
    assert "1 mina 1,200 3" in page
    assert "To the next members 2 mina" in page


def test_criteria_too_wide_for_a_phone_stand_in_one_cell(client: Client) -> None:
    criteria = [{"name": each, "max": 9_999_999, "order": "desc"} for each in ("stage", "damage_dealt")]
    board = make_board(criteria=criteria)
    score(board, {"robin": {"stage": 7, "damage_dealt": 1_500_000}})

    assert "1 robin stage 7 · damage dealt 1,500,000" in text(client.get(f"/boards/{board}/"))


def test_a_viewer_far_down_sees_his_neighbours(client: Client) -> None:
    board = make_board()
    score(board, {f"p{number:03d}": 1000 - number for number in range(120)})

    page = text(client.get(f"/boards/{board}/?player=p099"))

    assert "1–50 of 120 players" in page
    assert "Around this place Rank Player Points Since 97 p096 904" in page
    assert "100 p099 highlighted 901" in page


def test_pages_follow_each_other(client: Client) -> None:
    board = make_board()
    score(board, {f"p{number:03d}": 1000 - number for number in range(120)})

    last = client.get(f"/boards/{board}/?page=3")
    past_the_end = client.get(f"/boards/{board}/?page=9")

    assert "101–120 of 120 players" in text(last)
    assert 'href="?page=2"' in last.content.decode()
    assert "Next" not in text(last)
    assert "Nobody stands on this page any more." in text(past_the_end)


def test_previous_periods_are_offered_and_shown(client: Client) -> None:
    board = make_board()
    score(board, {"robin": 5})
    score(board, {"mina": 3}, clock.now() - timedelta(weeks=1))
    label = board_by_seq(board).periods.order_by("starts_at").values_list("label", flat=True)[0]

    running = client.get(f"/boards/{board}/").content.decode()
    previous = client.get(f"/boards/{board}/?period={label}")

    assert f'href="?period={label}"' in running
    assert "1 mina 3" in text(previous)
    assert "Ended" in text(previous)
    assert "robin" not in text(previous)


@pytest.mark.parametrize(
    "address",
    ["/boards/999/", "/boards/99999999999999999999/", "/boards/{}/?period=2031-01", "/boards/{}/?period=nonsense"]
    + [f"/boards/{{}}/?page={page}" for page in ("0", "-1", "x", "²", "9" * 30)],
)
def test_what_is_not_there_is_404_in_the_sites_own_style(client: Client, address: str) -> None:
    board = make_board()

    response = client.get(address.format(board))

    assert response.status_code == 404
    assert "There is no such page" in text(response)


def test_a_private_board_is_for_staff_and_unknown_to_others(client: Client) -> None:
    board = make_board(visibility="private")
    own = signed_in(Client(), "robin", "robin")
    staff = signed_in(Client(), "boss", is_staff=True)

    answers = [each.get(f"/boards/{board}/{query}") for each in (client, own, staff) for query in ("", "?fragment=1")]

    assert [answer.status_code for answer in answers] == [404, 404, 404, 404, 200, 200]


def test_an_event_board_sends_people_to_its_competitions(client: Client) -> None:
    board = make_board(period="event")

    response = client.get(f"/boards/{board}/")

    assert response.status_code == 200
    assert "This board counts in competitions." in text(response)


def test_no_label_opens_the_standings_of_an_event_board(client: Client) -> None:
    staff = signed_in(Client(), "boss", is_staff=True)
    with known_events(["robin"]) as declared:
        event = declared.add(event_board(), starts_at=clock.now() - HOUR, ends_at=clock.now() + HOUR)
        assert told(send({"player": "robin", "points": 5}, at=clock.now())) == ["updated"]
    board = f"/boards/{event.board.seq}/"

    answers = [
        each.get(f"{board}?period={label}") for each in (client, staff) for label in ("c7", "c7-frozen", "current")
    ]

    assert {answer.status_code for answer in answers} == {404}
    assert "c7" not in text(client.get(board))


def test_names_are_text(client: Client) -> None:
    board = make_board()
    score(board, {"robin": 5})
    for hard in HARD_NAMES:
        name("robin", hard)
        scenes.forget()  # what everybody sees may be a second old

        page = client.get(f"/boards/{board}/?player=robin").content.decode()

        assert "<script>alert" not in page
        assert hard in unescape(page)


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_a_board_is_only_read(client: Client, method: str) -> None:
    assert getattr(client, method)(f"/boards/{make_board()}/").status_code == 405
