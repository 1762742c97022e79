"""The league beside a board's standings: for anybody how it goes, for a viewer their group in words."""

import re

import pytest
from django.test import Client
from django.utils.translation import override

from competitions.models import LeagueGroup, LeagueMember
from competitions.services.leagues.promotion import turn_due
from competitions.services.leagues.seasons import begin_due, place_due
from foundation import clock
from leaderboards.models import Board, Player
from leaderboards.services.periods.close import close_due
from leaderboards.views.board_pages import shared_page
from leaderboards.views.http import micro_cache
from tests.competitions.factories import DAY, LeagueFactory
from tests.competitions.views.conftest import SetClock
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.services.site import period_of
from tests.leaderboards.views.pages import text
from tests.playing import HARD_NAMES, name, score

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


@pytest.fixture
def board() -> Board:
    """Five in a group of the lowest tier: one moves up."""
    board: Board = BoardFactory.create(name="Wins", period="year")
    LeagueFactory.create(board=board, group_size=5)
    score(board.seq, {"ann": 9, "bob": 5, "cleo": 3, "dan": 2, "eve": 1})
    begin_due(clock.now())
    place_due(clock.now())
    return board


def shown(client: Client, board: Board, query: str = "") -> str:
    """The page as it is now."""
    shared_page.forget()
    micro_cache.forget()
    return text(client.get(f"/boards/{board.seq}/{query}"))


def test_anybody_reads_how_the_league_goes(client: Client, board: Board) -> None:
    page = shown(client, board)

    assert "League Bronze Silver Gold Everybody begins in Bronze and competes in a group of up to 5 players." in page
    assert "When the period is over: The first moves up. The last moves down." in page
    assert "Places in the group" not in page


def test_a_viewer_reads_their_place_and_what_each_place_comes_to_in_words(client: Client, board: Board) -> None:
    page = shown(client, board, "?player=bob")

    assert "Bronze league · group 1 2nd of 5 As things stand: stays in Bronze. The first moves up." in page
    assert "The last moves down" not in page  # nobody falls out of the lowest tier
    assert "1 ann 9 up 2 bob highlighted 5 stays" in page
    assert "As things stand: up to Silver." in shown(client, board, "?player=ann")


@pytest.mark.parametrize(
    ("players", "said"),
    [(3, "Nobody moves down in a group this small."), (4, "The last moves down."), (5, "The last 2 move down.")],
)
def test_a_group_reads_how_many_of_its_players_move_down(client: Client, players: int, said: str) -> None:
    board = BoardFactory.create(name="Wins", period="year")
    LeagueFactory.create(board=board, group_size=5, promoted=3, demoted=2)
    score(board.seq, {f"p{number}": 9 - number for number in range(players)})
    begin_due(clock.now())
    place_due(clock.now())
    LeagueGroup.objects.update(tier=2)

    page = shown(client, board, f"?player=p{players - 1}")

    assert f"The first 3 move up. {said}" in page
    assert len(re.findall(r"\d down\b", page)) == players - 3
    with override("ko"):
        assert "Nobody moves down" not in shown(Client(headers={"accept-language": "ko"}), board, "?player=p0")


def test_a_group_with_room_says_among_whom_its_places_are_decided(client: Client, board: Board) -> None:
    assert "The group is not full" not in shown(client, board, "?player=ann")
    score(board.seq, {"late": 4})
    place_due(clock.now())

    page = shown(client, board, "?player=late")

    assert "Bronze league · group 2 1st of 1 As things stand: stays in Bronze. The first moves up." in page
    assert "The group is not full: what its places come to is decided among the group before it too." in page
    assert "The group is not full" not in shown(client, board, "?player=ann")
    score(board.seq, {"late": 10})
    assert "As things stand: up to Silver." in shown(client, board, "?player=late")
    assert "As things stand: up to Silver." in shown(client, board, "?player=ann")  # who loses nothing by it


def turn(board: Board, set_clock: SetClock) -> None:
    """The year is over and turned, and the next one has begun."""
    over = (period_of(board, clock.now()).ends_at or clock.now()) + DAY
    close_due(over)
    turn_due(over)
    set_clock(over)
    period_of(board, over)
    begin_due(over)


def test_who_was_moved_reads_so_and_who_has_not_scored_yet_reads_where_they_enter(
    client: Client, board: Board, set_clock: SetClock
) -> None:
    turn(board, set_clock)
    assert "Bronze league · group 1 1st of 5 Moved up to Silver." in shown(client, board, "?period=previous&player=ann")
    assert "Silver league The first score of this period leads into a group." in shown(client, board, "?player=ann")

    LeagueMember.objects.filter(player__external_id="bob").update(outcome="promoted")
    score(board.seq, {"ann": 1, "bob": 3})
    place_due(clock.now())
    assert "As things stand: down to Bronze. The first moves up. The last moves down." in shown(
        client, board, "?player=ann"
    )
    turn(board, set_clock)

    page = shown(client, board, "?period=previous&player=ann")

    assert "Silver league · group 1 2nd of 2 Moved down to Bronze." in page
    assert "Places in the group, as they came out" in page


def test_the_banned_and_strangers_read_what_anybody_does(client: Client, board: Board) -> None:
    Player.objects.filter(external_id="ann").update(banned_at=clock.now())

    for who in ("ann", "stranger"):
        page = shown(client, board, f"?player={who}")
        assert "Everybody begins in Bronze" in page, who
        assert "Places in the group" not in page, who


def test_names_of_players_and_tiers_break_nothing_out(client: Client) -> None:
    board = BoardFactory.create(name="Wins", period="year")
    LeagueFactory.create(board=board, tiers=("<b>Wood</b>", "Stone"), group_size=20)
    for nth, hard in enumerate(HARD_NAMES):
        name(f"p{nth}", hard) if "\u202e" not in hard else None
    score(board.seq, {f"p{nth}": nth + 1 for nth in range(len(HARD_NAMES))})
    begin_due(clock.now())
    place_due(clock.now())

    html = client.get(f"/boards/{board.seq}/?player=p0").content.decode()

    assert "<b>Wood" not in html
    assert "<script>alert" not in html
    assert "&lt;b&gt;Wood&lt;/b&gt;" in html


def test_a_board_without_a_league_and_an_embedded_page_show_nothing_of_it(client: Client, board: Board) -> None:
    other = BoardFactory.create(name="Other", period="year")
    score(other.seq, {"ann": 1})

    assert "league-heading" not in client.get(f"/boards/{other.seq}/?player=ann").content.decode()
    assert "league-heading" not in client.get(f"/boards/{board.seq}/?embed=1&player=ann").content.decode()


def test_it_is_told_in_korean(client: Client, board: Board) -> None:
    with override("ko"):
        page = shown(Client(headers={"accept-language": "ko"}), board, "?player=bob")

    for english in ("league", "The first", "As things stand", "Places in the group", "Then"):
        assert english not in page


def test_a_board_is_filtered_by_the_viewers_group(client: Client, board: Board) -> None:
    score(board.seq, {"late": 10})
    place_due(clock.now())

    own, stranger = (shown(client, board, query) for query in ("?of=group&player=bob", "?of=group&player="))
    everyone = client.get(f"/boards/{board.seq}/?player=bob").content.decode()

    assert "Bronze league · group 1: 5 of 6 players" in own
    assert "1 2 ann" in own
    assert "2 3 bob highlighted" in own
    assert "You are in no group in this period." in stranger
    assert 'href="?of=group"' in everyone
    assert 'href="?of=group"' not in client.get(f"/boards/{board.seq}/?player=nobody").content.decode()
