"""What a player has finished, on their page: trophies, records, streaks and rivals, as everybody may see them."""

from collections.abc import Mapping, Sequence

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from foundation import clock
from leaderboards.models import Board, Period, PeriodState, Player, RestrictionKind
from leaderboards.selectors.history.career import MOST_BOARDS, career_of, clear_career_cache
from leaderboards.services.moderation.ban import ban
from leaderboards.services.moderation.restrict import RestrictionScope, hidden_in_period, restrict
from leaderboards.services.players.erase import erase_player
from leaderboards.views.http import micro_cache
from tests.leaderboards.views.pages import WEEK, close_all_past, signed_in, text
from tests.playing import make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)


def played(weeks: Sequence[Mapping[str, object]], **settings: object) -> int:
    """A board whose weeks, the latest one a week ago, were played like this; all of them are final."""
    board = make_board(**{"name": "Weekly wins", **settings})
    for ago, points in enumerate(reversed(weeks), 1):
        if points:
            score(board, points, clock.now() - ago * WEEK)
    close_all_past(board)
    return board


def shown(client: Client, player: str = "robin") -> str:
    micro_cache.forget()
    return text(client.get(f"/players/{player}/"))


def player(external_id: str) -> Player:
    return Player.objects.get(external_id=external_id)


def test_trophies_are_counted_and_lead_to_their_period(client: Client) -> None:
    board = played([{"robin": 9, "mina": 5}, {"robin": 5, "mina": 9}, {"robin": 9, "mina": 5}])
    latest = Period.objects.filter(board=board, state=PeriodState.FINAL).latest("ends_at")

    page = client.get("/players/robin/").content.decode()

    assert "2 × 1st 1 × 2nd" in shown(client)
    assert "Trophies Weekly wins 1 " in shown(client)
    assert page.index(f"?period={latest.label}&amp;player=robin#me") > page.index("trophies-heading")


def test_streaks_say_how_long_they_were_and_whether_they_last() -> None:
    played([{"robin": 9, "mina": 5}, {"mina": 9}, {"robin": 9, "mina": 5}, {"robin": 5, "mina": 9}])

    (record,) = career_of(player("robin")).records

    assert (record.periods, record.best.rank) == (3, 1)
    assert (record.played.longest, record.played.current) == (2, 2)
    assert (record.first.longest, record.first.current) == (1, 0)
    assert (record.top.longest, record.top.current) == (2, 2)


@pytest.mark.parametrize(("order", "best"), [("desc", 90), ("asc", 15)])
def test_the_best_score_goes_by_the_boards_order(order: str, best: int) -> None:
    played([{"robin": 90}, {"robin": 15}, {"robin": 40}], order=order)

    (record,) = career_of(player("robin")).records

    assert record.score is not None
    assert record.score.points == best


@pytest.mark.parametrize("ties", ["first_come", "shared", "dense"])
def test_who_is_hidden_gives_their_place_to_the_next_and_is_no_rival(client: Client, ties: str) -> None:
    played([{"cheat": 99, "robin": 9, "mina": 5}] * 3, ties=ties)
    name("cheat", "Cheat")
    assert "3 × 2nd" in shown(client)
    assert "Rivals" in shown(client)
    assert "Cheat" in shown(client)

    ban([player("cheat").pk], "A bot.", clock.now(), None)

    page = shown(client)
    assert "3 × 1st" in page
    assert "Cheat" not in page
    assert "Final ranks Weekly wins 1 " in page


def test_what_is_hidden_of_a_player_leaves_their_page_at_once_and_they_keep_seeing_a_shadow(client: Client) -> None:
    board = played([{"robin": 9, "mina": 5}, {"robin": 9, "mina": 5}])
    robin = signed_in(Client(), "someone", "robin")
    latest = Period.objects.filter(board=board, state=PeriodState.FINAL).latest("ends_at")
    assert "2 × 1st" in shown(client)

    restrict([player("robin").pk], hidden_in_period(latest), "False.", clock.now(), None)
    assert "1 × 1st" in shown(client)

    scope = RestrictionScope(RestrictionKind.SHADOWED, Board.objects.get(seq=board))
    restrict([player("robin").pk], scope, "A bot.", clock.now(), None)
    assert "Trophies Weekly" not in shown(client)
    assert "1 × 1st" in text(robin.get("/players/robin/"))


def test_private_boards_and_erased_players_show_nothing(client: Client) -> None:
    played([{"robin": 9, "mina": 5}] * 2, visibility="private")
    assert "Trophies Weekly" not in shown(client)
    assert "Rivals" not in shown(client)

    board = played([{"robin": 9, "mina": 5}] * 2, name="Another one")
    clear_career_cache()
    assert "Rivals" in shown(client)
    erase_player("mina", clock.now())

    assert "Rivals" not in shown(client)
    new = Player.objects.exclude(external_id="robin").get().external_id
    page = shown(client, new)
    assert "Final ranks Another one 2" in page
    assert "Records" not in page
    assert Board.objects.get(seq=board).visibility == "public"


def test_rivals_are_who_stood_next_most_often_and_say_who_passed_whom(client: Client) -> None:
    played([{"zoe": 9, "robin": 8, "mina": 5}, {"mina": 9, "robin": 8, "zoe": 7}, {"robin": 9, "mina": 8, "zoe": 1}])
    name("mina", "Mina")
    name("robin", "Robin")

    page = shown(client)

    assert "Robin was ahead 2 times, behind 1 times" in page
    assert page.index("3 times side by side · Robin passed Mina on Weekly wins") < page.index("2 times side by side")


def test_a_player_who_stood_next_once_is_no_rival() -> None:
    played([{"robin": 9, "mina": 5}])

    assert career_of(player("robin")).rivals == ()


def test_before_the_first_final_period_the_page_says_what_will_come(client: Client) -> None:
    score(make_board(name="Weekly wins"), {"robin": 1})

    page = shown(client)

    assert "robin has not finished a period yet." in page
    assert "Weekly wins · Ends in" in page


def test_a_career_costs_so_many_statements_once_a_minute(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    played([{"robin": 9, "mina": 5, "zoe": 4}] * 6)
    robin = player("robin")

    with django_assert_max_num_queries(2 + 1 + MOST_BOARDS + 3 + 4):
        first = career_of(robin)
    with django_assert_max_num_queries(2):
        assert career_of(robin) == first


def test_charts_have_a_table_beside_them(client: Client) -> None:
    played([{"robin": 9, "mina": 5}, {"robin": 5, "mina": 9}])

    page = shown(client)

    assert "From place 1 to place 2; the best was 1." in page
    assert "Places over time Final ranks, the latest first Period Rank" in page
