"""What a board's page tells of each row (moves, gaps, equals), of the viewer (why), of the board (rules, spread)."""

from datetime import timedelta

import pytest
from django.test import Client

from foundation import clock
from leaderboards.models import Period
from leaderboards.services.close import close_period
from leaderboards.services.settle import settle_due
from tests.leaderboards.views.pages import text
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)

WEEK = timedelta(weeks=1)


def close_all_past(board: int) -> None:
    """Make every period that is over final."""
    settle_due(clock.now())
    for period in Period.objects.filter(board=board, ends_at__lte=clock.now()).order_by("ends_at"):
        assert close_period(period, clock.now()).final


def test_moves_are_told_against_the_final_ranks_of_the_period_before(client: Client) -> None:
    board = make_board()
    score(board, {"mina": 9, "robin": 8, "omar": 7}, clock.now() - WEEK)
    close_all_past(board)
    score(board, {"robin": 50, "mina": 40, "omar": 30, "aiko": 20})

    page = text(client.get(f"/boards/{board}/"))

    assert "1 ▲ up 1 robin 50" in page
    assert "2 ▼ down 1 mina 40" in page
    assert "3 – unchanged omar 30" in page
    assert "4 new aiko 20" in page


def test_no_moves_are_told_while_the_period_before_is_not_final(client: Client) -> None:
    board = make_board()
    score(board, {"mina": 9}, clock.now() - WEEK)
    score(board, {"robin": 50, "mina": 40})

    page = client.get(f"/boards/{board}/").content.decode()

    assert 'class="move"' not in page


def test_equals_are_told_once_and_lead_to_where_they_begin(client: Client) -> None:
    board = make_board(ties="shared")
    score(board, {f"a{number:02d}": 9 for number in range(48)} | {f"b{number:02d}": 5 for number in range(12)})

    first, second = (client.get(f"/boards/{board}/?page={page}") for page in (1, 2))

    assert text(first).count("=49th · 12 players") == 1
    assert "=1st · 48 players" in text(first)
    assert 'href="?page=1#rank-49"' in second.content.decode()


def test_a_place_is_explained(client: Client) -> None:
    board = make_board()
    score(board, {"omar": 9, "mina": 7})
    score(board, {"robin": 7})

    robin = text(client.get(f"/boards/{board}/?player=robin"))
    mina = text(client.get(f"/boards/{board}/?player=mina"))
    omar = text(client.get(f"/boards/{board}/?player=omar"))

    assert "The best result counts here: 7 points. It has stood so since" in robin
    assert "2 players are ahead." in robin
    assert "\u2068mina\u2069 has the same result and got it earlier." in robin
    assert (
        "\u2068robin\u2069 has the same result but got it later. \u2068omar\u2069 is next, ahead by 2 points." in mina
    )
    assert "Nobody has a better result." in omar


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "The most points win. Only your best result counts. Among equals, whoever was there first stands higher."),
        ({"order": "asc", "unit": "seconds"}, "The shortest time wins."),
        ({"update": "increment"}, "All your results are added up."),
        ({"ties": "shared", "update": "latest"}, "Only your latest result counts. Equals share a rank."),
        ({"week_start": "sunday", "cutoff": "06:00", "timezone": "Asia/Seoul"}, "every Sunday at 06:00 (Asia/Seoul)."),
        ({"period": "all_time"}, "Results count for good."),
        (
            {
                "criteria": [
                    {"name": "stage", "max": 9, "order": "desc"},
                    {"name": "deaths_seen", "max": 9, "order": "asc"},
                ]
            },
            "Compared one after the other: stage (more is better), deaths seen (less is better).",
        ),
    ],
)
def test_the_rules_are_sentences(client: Client, settings: dict[str, object], said: str) -> None:
    assert said in text(client.get(f"/boards/{make_board(**settings)}/"))


def test_the_spread_is_drawn_with_the_viewers_bar_and_told_as_a_table(client: Client) -> None:
    board = make_board()
    score(board, {f"p{number:03d}": number for number in range(1, 101)})

    page = client.get(f"/boards/{board}/?player=p007")

    drawing = page.content.decode()
    assert drawing.count("<rect") == 20
    assert drawing.count('class="bar is-mine"') == 1
    assert "Half of the players have 50 or better, the best tenth 90 or better." in text(page)
    assert "From To Players 1 5 5 6 10 5" in text(page)


def test_where_less_is_better_the_best_tenth_has_less(client: Client) -> None:
    board = make_board(order="asc")
    score(board, {f"p{number:03d}": number for number in range(1, 101)})

    assert "Half of the players have 51 or better, the best tenth 11 or better." in text(
        client.get(f"/boards/{board}/")
    )


def test_no_spread_is_drawn_of_a_few(client: Client) -> None:
    board = make_board()
    score(board, {f"p{number}": number for number in range(9)})

    assert "How points are spread" not in text(client.get(f"/boards/{board}/"))


def test_a_viewer_sees_his_final_ranks_as_a_line_and_a_table(client: Client) -> None:
    board = make_board()
    for weeks in (1, 2, 3):
        score(board, {"robin": 10 * weeks, "mina": 15}, clock.now() - weeks * WEEK)
    close_all_past(board)
    labels = [period.label for period in Period.objects.filter(board=board, state="final").order_by("-starts_at")]

    page = client.get(f"/boards/{board}/?player=robin")

    assert f"Period Rank {labels[0]} 2 {labels[1]} 1 {labels[2]} 1" in text(page)
    assert "From place 1 to place 2; the best was 1." in text(page)
