"""Movement and places over time within a period: since the last look at it; before the first, since the last period."""

from datetime import timedelta
from itertools import pairwise

import pytest
from django.test import Client

from foundation import clock
from foundation.sunwi_settings import sunwi_settings
from leaderboards.models import PeriodSnapshot
from leaderboards.services.periods.rank_history import record_due_rank_history
from leaderboards.views.http import micro_cache
from tests.leaderboards.views.pages import WEEK, close_all_past, text
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


@pytest.fixture(autouse=True)
def _every_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sunwi_settings, "RANK_SNAPSHOT_MINUTES", 1)


def look(board: int, *points: dict[str, int]) -> None:
    """Somebody looks after each of these, the last time a minute ago."""
    for ago, scored in zip(range(len(points), 0, -1), points, strict=True):
        score(board, scored)
        assert record_due_rank_history(clock.now() - ago * MINUTE) == 1


@pytest.mark.parametrize(("looked_at", "last"), [(4, "4 new aiko 20"), (3, "4 aiko 20")])
def test_moves_of_those_looked_at_are_told_since_the_last_look(
    client: Client, monkeypatch: pytest.MonkeyPatch, looked_at: int, last: str
) -> None:
    monkeypatch.setattr(sunwi_settings, "RANK_SNAPSHOT_PLAYERS", looked_at)
    board = make_board(period="all_time", update="latest", timezone="Asia/Seoul")
    look(board, {"robin": 99}, {"mina": 9, "robin": 8, "omar": 7, "last": 6})
    score(board, {"robin": 50, "mina": 40, "omar": 30, "aiko": 20})

    page = client.get(f"/boards/{board}/")

    since = PeriodSnapshot.objects.latest("due_at").taken_at
    moves = ["Movement since", "1 up 1 robin 50", "2 down 1 mina 40", "3 unchanged omar 30", last]
    assert f'± since <time datetime="{since:%Y-%m-%dT%H:%M:%SZ}">' in page.content.decode()
    assert [move for move in moves if move not in text(page)] == []


@pytest.mark.parametrize(
    ("player", "words"), [("robin", "Up 1 since"), ("mina", "Down 1 since"), ("omar", "Unmoved since")]
)
def test_the_viewers_plate_says_how_their_row_has_moved(client: Client, player: str, words: str) -> None:
    board = make_board(period="all_time", update="latest")
    look(board, {"mina": 9, "robin": 8, "omar": 7})
    score(board, {"robin": 50, "mina": 40, "omar": 30})

    assert words in text(client.get(f"/boards/{board}/?player={player}"))


def test_before_the_first_look_moves_are_told_against_the_final_ranks_before_and_it_says_so(client: Client) -> None:
    board = make_board(week_start=f"{clock.now() - 3 * DAY:%A}".lower())  # no week begins just now
    score(board, {"mina": 9, "robin": 8}, clock.now() - WEEK)
    assert record_due_rank_history(clock.now() - 2 * MINUTE) == 1  # a look at nobody is none
    score(board, {"robin": 50, "mina": 40})
    not_final = client.get(f"/boards/{board}/").content.decode()
    close_all_past(board)
    micro_cache.forget()
    before = text(client.get(f"/boards/{board}/"))

    look(board, {"mina": 60})
    micro_cache.forget()
    after = text(client.get(f"/boards/{board}/"))

    assert 'class="move"' not in not_final
    assert "± against the final ranks before" in before
    assert "1 up 1 robin 50" in before
    assert "2 down 1 mina 40" in before
    assert "± since" in after
    assert "1 unchanged mina 60" in after


def test_a_viewer_sees_their_places_in_the_period_as_a_line_and_a_table(client: Client) -> None:
    board = make_board(period="all_time", update="latest")
    look(board, {"mina": 9, "robin": 8}, {"robin": 10}, {"robin": 11})
    score(board, {"robin": 1})

    page = text(client.get(f"/boards/{board}/?player=robin"))

    assert "Place over time 1 2 From place 2 to place 2; the best was 1." in page
    tables = text(client.get(f"/boards/{board}/?player=robin&tables=1"))
    steps = tables.partition("When Rank Result")[2]
    places = ["2 1 point", "1 10 points", "2 8 points"]
    assert all(0 <= steps.find(one) < steps.find(other) for one, other in pairwise(places))
    assert "11 points" not in steps
    assert "Place over time" not in text(client.get(f"/boards/{board}/?player=nobody"))


def test_a_players_page_draws_their_places_on_each_board(client: Client) -> None:
    boards = [make_board(name=name, period="all_time", update="latest") for name in ("One", "Two", "Never looked at")]
    for board in boards[:2]:
        score(board, {"mina": 9, "robin": 8})
    record_due_rank_history(clock.now() - MINUTE)
    score(boards[2], {"robin": 5})
    score(boards[0], {"robin": 10})

    page = client.get("/players/robin/")

    assert page.content.decode().count("<polyline") == 2
    assert "From place 2 to place 1; the best was 1." in text(page)
    assert "From place 2 to place 2; the best was 2." in text(page)
