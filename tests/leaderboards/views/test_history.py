"""What is over stays readable page by page: a board's periods with their winners, a player's final ranks."""

from datetime import timedelta

import pytest
from django.test import Client

from foundation import clock
from leaderboards.models import Board, Period, State
from leaderboards.services.boards import apply_boards
from leaderboards.views import history, players
from tests.leaderboards.views.pages import signed_in, text
from tests.leaderboards.views.test_details import close_all_past
from tests.playing import make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)

WEEK = timedelta(weeks=1)


def played(board: int, weeks: int) -> list[str]:
    """So many weeks that are over, the last one lost by robin; their labels, the latest first."""
    for ago in range(weeks, 0, -1):
        score(board, {"robin": 9, "mina": 5 if ago > 1 else 12}, clock.now() - ago * WEEK)
    close_all_past(board)
    over = Period.objects.filter(board=board, state=State.FINAL).order_by("-starts_at")
    return list(over.values_list("label", flat=True))


def test_all_periods_of_a_board_are_told_with_winner_and_players(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "PERIODS_A_PAGE", 2)
    board = make_board()
    labels = played(board, 3)
    score(board, {"robin": 1})
    name("mina", "Mina")

    first, second = (client.get(f"/boards/{board}/periods/?page={number}") for number in (1, 2))

    assert "running" in text(first)
    assert "Mina 12 points 2" in text(first)
    assert f"?period={labels[0]}" in first.content.decode()
    assert text(second).count("robin 9 points 2") == 2
    assert "Page 2 of 2" in text(second)


def test_a_boards_page_leads_to_all_periods(client: Client) -> None:
    board = make_board()
    played(board, 6)

    assert f'href="/boards/{board}/periods/"' in client.get(f"/boards/{board}/").content.decode()


def test_periods_of_private_boards_and_of_competitions_are_nobodys(client: Client) -> None:
    private, event = make_board(name="Secret", visibility="private"), make_board(name="Races", period="event")
    staff = signed_in(Client(), "boss", is_staff=True)

    asked = [client.get(f"/boards/{board}/periods/").status_code for board in (private, event, 404_404)]

    assert asked == [404, 404, 404]
    assert staff.get(f"/boards/{private}/periods/").status_code == 200
    assert staff.get(f"/boards/{event}/periods/").status_code == 404


def test_a_players_final_ranks_come_a_page_at_a_time_the_latest_first(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(players, "FINALS_A_PAGE", 2)
    board = make_board(name="Weekly wins")
    labels = played(board, 3)

    first, second = (client.get(f"/players/robin/?page={number}") for number in (1, 2))

    addresses = [f"?period={label}&amp;player=robin#me" for label in labels]
    assert [address in first.content.decode() for address in addresses] == [True, True, False]
    assert [address in second.content.decode() for address in addresses] == [False, False, True]
    assert "Page 1 of 2" in text(first)


def test_final_ranks_stay_when_the_keys_of_their_period_are_gone(client: Client) -> None:
    board = make_board(name="Weekly wins")
    played(board, 2)
    Period.objects.filter(board=board, state=State.FINAL).update(state=State.EXPIRED)
    score(board, {"robin": 3, "mina": 1})

    page = text(client.get("/players/robin/"))

    assert "in 2 final periods" in page
    assert "▲ up 1 robin" in text(client.get(f"/boards/{board}/"))
    assert "Final ranks so far" in text(client.get(f"/boards/{board}/?player=robin"))


def test_rules_and_reasons_are_those_that_the_period_opened_with(client: Client) -> None:
    board = make_board()
    score(board, {"robin": 9, "mina": 5})
    apply_boards([{"name": "Board", "update": "increment", "ties": "shared"}], clock.now())
    assert Board.objects.get(pk=board).update == "increment"

    page = text(client.get(f"/boards/{board}/?player=robin"))

    assert "The best result counts here: 9 points." in page
    assert "Only your best result counts. Among equals, whoever was there first stands higher." in page


def test_whoever_is_signed_in_sees_on_his_own_page_when_he_was_there(client: Client) -> None:
    score(make_board(), {"robin": 5, "mina": 3})
    robin = signed_in(Client(), "someone", "robin")

    assert "Your last ten weeks" in text(robin.get("/players/robin/"))
    assert "Your last ten weeks" not in text(robin.get("/players/mina/"))
    assert "Your last ten weeks" not in text(client.get("/players/robin/"))
