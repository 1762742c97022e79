"""Two players side by side: rows, gap, lines over time, final periods, and an address that says all of it."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from foundation import clock
from leaderboards.models import Period, Player, RestrictionKind
from leaderboards.services.moderation.restrict import RestrictionScope, restrict
from leaderboards.services.periods.rank_history import record_rank_history, snapshot_time
from tests.leaderboards.views.pages import WEEK, close_all_past, signed_in, text
from tests.playing import make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def board() -> int:
    board = make_board(name="Weekly wins", update="increment")
    for weeks, points in enumerate(({"robin": 9, "mina": 3}, {"robin": 1, "mina": 3}, {"robin": 2, "mina": 1}), 1):
        score(board, points, clock.now() - weeks * WEEK)
    close_all_past(board)
    score(board, {"robin": 5, "mina": 7, "omar": 1})
    name("robin", "Robin")
    return board


def address(board: int, first: str = "robin", second: str = "mina") -> str:
    return f"/compare/?a={first}&b={second}&board={board}"


def test_both_stand_side_by_side_with_the_gap_and_who_won_more(board: int, client: Client) -> None:
    page = text(client.get(address(board)))

    assert "Robin Rank 2 5 points mina Rank 1 7 points mina is ahead: 2 points" in page
    assert "Final periods 2 Robin 1 mina" in page
    assert "3 of the last 30 final periods, level in 0" in page
    assert "Not enough is known of this period yet" in page
    link = f'value="http://testserver{address(board)}"'.replace("&", "&amp;")
    assert link in client.get(address(board)).content.decode()


def test_another_period_has_its_dates_and_its_own_standings(board: int, client: Client) -> None:
    page = client.get(address(board)).content.decode()
    first = re.search(r'class="period-link" href="([^"]+)">([^<]+)<', page)
    assert first

    past = text(client.get(f"/compare/{first[1].replace('&amp;', '&')}"))

    assert "\N{EN DASH}" in first[2] or "-" in first[2]
    assert "Robin Rank 1 9 points mina Rank 2 3 points Robin is ahead: 6 points" in past


def test_seen_from_the_other_side_it_is_the_same(board: int, client: Client) -> None:
    page = text(client.get(address(board, "mina", "robin")))

    assert "mina Rank 1 7 points Robin Rank 2 5 points mina is ahead: 2 points" in page
    assert "Final periods 1 mina 2 Robin" in page


def test_their_points_at_the_kept_moments_are_lines_and_a_table(board: int, client: Client) -> None:
    now = clock.now()
    running = Period.objects.select_related("board").get(board__seq=board, starts_at__lte=now, ends_at__gt=now)
    for hours in (3, 2, 1):
        at = snapshot_time(now - timedelta(hours=hours))
        record_rank_history(running, at, at)
        score(board, {"robin": 10})

    page = client.get(address(board)).content.decode()

    assert page.count('class="compare-line') == 2
    table = page.partition("The latest first")[2].partition("</table>")[0]
    assert re.findall(r'class="result">(\d+)<', table)[:4] == ["35", "7", "25", "7"]
    assert "Robin and mina over time; now 35 and 7." in page


def test_on_a_board_of_criteria_places_are_drawn(client: Client) -> None:
    board = make_board(name="Raid", criteria=[{"name": "stage", "max": 99, "order": "desc"}])
    score(board, {"robin": {"stage": 5}, "mina": {"stage": 9}})

    page = text(client.get(address(board)))

    assert "mina is ahead: 4 stages" in page
    assert "Places over time" in page


def test_level_is_said_and_so_is_a_lead_by_time(client: Client) -> None:
    shared, by_time = make_board(name="Shared", ties="shared"), make_board(name="By time")
    for board in (shared, by_time):
        score(board, {"robin": 5})
        score(board, {"mina": 5})

    assert "Level: both share this rank." in text(client.get(address(shared)))
    assert "robin is ahead: by time alone" in text(client.get(address(by_time)))


def test_who_is_not_ranked_and_who_never_met_is_said(board: int, client: Client) -> None:
    other = make_board(name="Other")
    score(other, {"omar": 1, "eve": 2})

    page, stranger = (text(client.get(address(board, "omar", each))) for each in ("robin", "eve"))

    assert "They have not been in a final period of this board together." in page
    assert "not ranked in this period" in stranger
    assert "There is nothing to compare until both have scored." in stranger


def test_without_a_board_it_is_the_first_that_both_are_on(board: int, client: Client) -> None:
    score(make_board(name="Other"), {"eve": 2})

    response = client.get("/compare/?a=robin&b=mina")

    assert response["Location"] == address(board)
    assert "They share no board at the moment." in text(client.get("/compare/?a=robin&b=eve"))


def test_the_viewer_is_compared_with_whom_they_look_at(board: int, client: Client) -> None:
    robin = signed_in(Client(), "robin", "robin")

    assert robin.get(f"/compare/?b=mina&board={board}")["Location"] == address(board)
    assert "With whom?" in text(client.get("/compare/?b=mina"))
    assert "With whom?" in text(robin.get("/compare/?b=robin"))
    assert "Whom?" in text(client.get("/compare/"))


def test_the_other_one_is_found_by_name_or_id(board: int, client: Client) -> None:
    asked = f"/compare/?a=mina&board={board}&with="

    assert client.get(f"{asked}robin")["Location"] == address(board, "mina", "robin")
    assert client.get(f"{asked}ROB")["Location"] == address(board, "mina", "robin")
    assert "There is no player of this name or id." in text(client.get(f"{asked}nobody"))
    assert "There is no player of this name or id." in text(client.get(f"{asked}mina"))


def test_what_is_not_shown_is_404(board: int, client: Client) -> None:
    secret, event = make_board(name="Secret", visibility="private"), make_board(name="Cup", period="event")
    score(secret, {"robin": 1, "mina": 2})
    mina = Player.objects.get(external_id="mina")

    before = [
        client.get(each).status_code
        for each in (address(secret), address(event), address(9999), address(board, "nobody"))
    ]
    bad = [client.get(f"{address(board)}&{more}").status_code for more in ("period=1999-01", "board=x", "a=%00")]
    restrict([mina.pk], RestrictionScope(RestrictionKind.SHADOWED), "Why.", clock.now(), None)

    assert before == [404] * 4
    assert bad == [404] * 3
    assert client.get(address(board)).status_code == 404
    own = signed_in(Client(), "mina-s", "mina").get(address(board))
    assert "mina Rank 1" in text(own)
    assert own["Cache-Control"] == "private, no-cache"


def test_a_profile_and_a_row_lead_there(board: int, client: Client) -> None:
    robin = signed_in(Client(), "robin", "robin")

    assert 'href="/compare/?b=mina"' in client.get("/players/mina/").content.decode()
    assert "Compare with me" in text(robin.get("/players/mina/"))
    menu = robin.get(f"/players/mina/menu/?board={board}").content.decode()
    assert f'href="/compare/?b=mina&amp;board={board}"' in menu
