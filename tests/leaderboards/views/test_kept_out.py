"""The hidden are told so on their own page; the shadowed see every page as if nothing was, and nobody else does."""

import pytest
from django.test import Client

from foundation import clock
from leaderboards.models import Board, Period
from leaderboards.views.board_pages import shared_page
from leaderboards.views.http import micro_cache
from tests.leaderboards.services.restricting import HIDDEN_STANDING, keep_out, let_back
from tests.leaderboards.views.pages import WEEK, close_all_past, signed_in, text, timeless_text
from tests.playing import make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)

CHEAT = "Zoe Quux"
EVERYWHERE = ["shadowed", "shadowed everywhere"]


@pytest.fixture
def board() -> Board:
    """Zoe leads, and won last week."""
    seq = make_board(name="Weekly wins")
    score(seq, {"zoe": 9, "mina": 3}, clock.now() - WEEK)
    close_all_past(seq)
    score(seq, {"zoe": 9, "mina": 7, "robin": 5})
    name("zoe", CHEAT)
    name("mina", "Mina")
    return Board.objects.get(seq=seq)


@pytest.fixture
def zoe(board: Board) -> Client:
    return signed_in(Client(), "someone", "zoe")


def shown(client: Client, address: str) -> str:
    """What they read, whenever that is."""
    return timeless_text(client.get(address))


def forget() -> None:
    shared_page.forget()
    micro_cache.forget()


@pytest.mark.parametrize("how", EVERYWHERE)
def test_the_shadowed_see_what_they_saw_and_nobody_else_sees_them(board: Board, zoe: Client, how: str) -> None:
    there = f"/boards/{board.seq}/"
    mina = signed_in(Client(), "another", "mina")
    before, of_all = shown(zoe, there), shown(Client(), there)
    assert CHEAT in before
    assert CHEAT in of_all
    keep_out(how, board, "zoe")
    forget()

    own = shown(zoe, there)
    others = [shown(each, there) for each in (Client(), mina, Client(headers={"cookie": "player=zoe"}))]
    again = shown(zoe, f"{there}?fragment=1")

    assert own == before
    assert CHEAT in again
    assert [CHEAT in page for page in others] == [False, False, False]
    let_back()
    forget()
    assert shown(Client(), there) == of_all


@pytest.mark.parametrize("how", EVERYWHERE)
def test_the_first_page_gives_no_shadow_away(board: Board, zoe: Client, how: str) -> None:
    before = shown(zoe, "/")
    assert CHEAT in before
    keep_out(how, board, "zoe")
    forget()

    own, others = shown(zoe, "/"), shown(Client(), "/")

    assert own == before
    assert CHEAT not in others


@pytest.mark.parametrize("how", EVERYWHERE)
def test_the_page_of_the_shadowed_is_as_it_was_for_themselves(board: Board, zoe: Client, how: str) -> None:
    before = shown(zoe, "/players/zoe/")
    assert "Weekly wins 1 of 3" in before
    assert "Records Weekly wins 1" in before
    keep_out(how, board, "zoe")
    forget()

    assert shown(zoe, "/players/zoe/") == before
    found = Client().get("/players/zoe/")
    assert (found.status_code == 404) is how.endswith("everywhere")
    assert "Weekly wins" not in text(found)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("hidden", "Moderators have hidden you on Weekly wins: nobody sees you there."),
        ("hidden everywhere", "Moderators have hidden you: nobody sees you on any board."),
        (HIDDEN_STANDING, "Moderators have hidden your standing on Weekly wins in "),
        ("banned", "Moderators have banned you from Weekly wins: your scores are not taken there."),
        ("banned everywhere", "Moderators have banned you: nobody sees you on any board, and your scores are not"),
    ],
)
def test_the_hidden_are_told_so_and_see_no_place_of_theirs(board: Board, zoe: Client, how: str, told: str) -> None:
    there = f"/boards/{board.seq}/"
    mina = signed_in(Client(), "another", "mina")
    before = zoe.get(f"{there}?fragment=1")
    keep_out(how, board, "zoe")
    forget()

    pages = [shown(zoe, address) for address in (there, "/account/")]
    followed = zoe.get(f"{there}?fragment=1", headers={"if-none-match": before["ETag"]})
    hers = zoe.get("/players/zoe/")

    assert [told in page for page in (*pages, text(followed))] == [True] * 3
    assert CHEAT not in pages[0]
    assert "not ranked in this period" not in pages[0]
    if how == "banned everywhere":
        assert hers.status_code == 404
    else:
        assert told in text(hers)
        assert "Ranked on no board at the moment." in text(hers)
        assert ("Records Weekly wins" in text(hers)) is (how == HIDDEN_STANDING)  # last week stays as it was
    others = [Client(), mina, Client(headers={"cookie": "player=zoe"})]
    seen = [shown(each, address) for each in others for address in (there, f"{there}?player=zoe", "/players/zoe/")]
    assert "Moderators" not in " ".join(seen)
    assert "zoe is not ranked in this period." in shown(others[2], there)
    let_back()
    forget()
    assert CHEAT in shown(zoe, there)
    assert "Moderators" not in shown(zoe, "/account/")


def test_in_another_period_nothing_is_told_of_one_hidden_standing(board: Board, zoe: Client) -> None:
    keep_out(HIDDEN_STANDING, board, "zoe")
    last = Period.objects.exclude(restrictions__isnull=False).earliest("starts_at")

    assert CHEAT in shown(zoe, f"/boards/{board.seq}/?period={last.label}")
    assert "Moderators" not in shown(zoe, f"/boards/{board.seq}/?period={last.label}")


@pytest.mark.parametrize("how", EVERYWHERE)
def test_the_shadowed_without_a_score_are_told_nothing(board: Board, how: str) -> None:
    score(make_board(name="Other"), {"nora": 1})
    nora = signed_in(Client(), "third", "nora")
    before = [shown(nora, address) for address in (f"/boards/{board.seq}/", "/account/")]
    keep_out(how, board, "nora")
    forget()

    assert [shown(nora, address) for address in (f"/boards/{board.seq}/", "/account/")] == before
    assert "You are not ranked in this period." in before[0]
