"""Who and when are typed as people know them: a name that only one player has, and the time on the board's clock."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from foundation import clock
from leaderboards.models import Board, Period, Player, Purge
from leaderboards.selectors import player_row
from leaderboards.services.players.profiles import set_profile
from leaderboards.services.sync.mirror import mirror
from tests.leaderboards.admin.test_moderation import PURGE, SET, a_minute, scored, shown
from tests.leaderboards.admin.typed import make_board

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.fixture
def board(db: None) -> Board:
    """A redis board in Seoul on which Ann and two called Kim have scored."""
    board = make_board(storage="redis", name="In Redis", timezone="Asia/Seoul", period="year")
    scored(board, {"ann": 9, "kim-1": 8, "kim-2": 7})
    for player, name in (("ann", "Ann Lee"), ("kim-1", "Kim"), ("kim-2", "Kim")):
        set_profile(player, {"name": name}, clock.now())
    for period in Period.objects.filter(board=board):
        mirror(period)
    return board


def test_a_name_is_replaced_by_the_id_so_that_what_is_confirmed_is_about_whom_was_shown(
    admin: Client, board: Board
) -> None:
    seen, typed = shown(admin, SET, board=str(board.seq), player="ann lee", worth="12")
    set_profile("ann", {"name": "Somebody else"}, clock.now())
    set_profile("kim-1", {"name": "Ann Lee"}, clock.now())

    admin.post(SET, typed)

    assert 'value="ann"' in seen
    assert player_row(board, "ann").row.points == 12
    assert player_row(board, "kim-1").row.points == 8


def test_a_name_that_several_have_is_refused_with_who_they_are(admin: Client, board: Board) -> None:
    refused = admin.post(SET, {"board": str(board.seq), "player": "kim", "worth": "1"}).context["form"]

    assert refused.errors == {"player": ["Several players are called so: Kim (kim-1); Kim (kim-2). Type the id."]}


def test_a_purge_is_of_the_player_with_the_name(admin: Client, board: Board) -> None:
    other = make_board(name="In SQL")
    scored(other, {"ann": 1})
    _, typed = shown(admin, PURGE, player="Ann Lee", **a_minute())

    admin.post(PURGE, typed)

    assert Purge.objects.get().player == Player.objects.get(external_id="ann")


def test_a_time_without_a_zone_is_on_the_boards_clock(admin: Client, board: Board) -> None:
    at = (clock.now() - timedelta(minutes=1)).replace(microsecond=0)
    local = at.astimezone(ZoneInfo("Asia/Seoul"))
    for worth, text in (("20", f"{local:%Y-%m-%d %H:%M:%S}"), ("21", f"{at:%Y-%m-%dT%H:%M:%SZ}")):
        _, typed = shown(admin, SET, board=str(board.seq), player="ann", worth=worth, at=text)

        admin.post(SET, typed)

        row = player_row(board, "ann").row
        assert (row.points, row.achieved_at) == (int(worth), at)


def test_what_is_no_time_is_refused_in_words(admin: Client, board: Board) -> None:
    seen, _ = shown(admin, SET, board=str(board.seq), player="ann", worth="20", at="yesterday")

    assert "RFC 3339" in seen
    assert player_row(board, "ann").row.points == 9
