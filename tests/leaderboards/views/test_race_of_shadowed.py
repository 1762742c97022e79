"""A shadowed player sees the race, the moves and the points by day as if nothing had happened, and nobody else does."""

import re
from datetime import datetime, timedelta
from unittest.mock import patch

import pytest
from django.test import Client

from foundation import clock
from leaderboards.models import Board, Period, RankHistoryEntry
from leaderboards.services.periods.rank_history import record_rank_history
from leaderboards.services.sync.mirror import mirror
from leaderboards.views.board_pages import shared_page
from leaderboards.views.http import micro_cache
from tests.leaderboards.services.restricting import keep_out, let_back
from tests.leaderboards.views.pages import signed_in
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)
NEXT_HOUR = clock.now().replace(minute=0, second=0, microsecond=0) + HOUR
OF_ONE_LOOK = re.compile(
    r"W/.quot;\w+|Board \d+|boards/\d+/|[-\dT]*\d\d:\d\d:\d\dZ?|\d\d:\d\d</time>|[?&;][vh]=\w+|[?]board=\d+"
    r"|csrfmiddlewaretoken.*?>"
)


def look(board: int, at: datetime, points: dict[str, int]) -> Period:
    """They score, and their ranks are recorded, as of ``at``."""
    score(board, points)
    period = Period.objects.select_related("board").get(board=board)
    if period.board.storage == "redis":
        mirror(period)
    assert record_rank_history(period, at, at)
    return period


def played(storage: str, ties: str, *, is_shadowed: bool) -> int:
    """A board on which zoe is passed and passes, looked at before and after she was shadowed."""
    board = make_board(
        period="all_time", update="increment", storage=storage, ties=ties, name=f"Board {clock.now():%M%S%f}"
    )
    now = clock.now().replace(minute=0, second=0, microsecond=0)
    look(board, now - 40 * HOUR, {"mina": 30, "omar": 20, "zoe": 20, "robin": 10, "kim": 10})
    if is_shadowed:
        keep_out("shadowed", Board.objects.get(pk=board), "zoe")
        keep_out("hidden", Board.objects.get(pk=board), "kim")
    else:
        keep_out("hidden", Board.objects.get(pk=board), "kim")
    look(board, now - 25 * HOUR, {"robin": 10})
    look(board, now - 15 * HOUR, {"zoe": 10})
    look(board, now - 5 * HOUR, {"zoe": 40, "omar": 20})
    score(board, {"robin": 50})
    return board


def page(client: Client, board: int) -> str:
    """What they see there, all at the same moment."""
    micro_cache.forget()
    shared_page.forget()
    with patch.object(clock, "now", lambda: NEXT_HOUR):
        shown = client.get(f"/boards/{board}/").content.decode()
    return OF_ONE_LOOK.sub("", shown.partition("<main")[2])


@pytest.mark.parametrize("storage", ["hybrid", "sql", "redis"])
@pytest.mark.parametrize("ties", ["first_come", "shared", "dense"])
def test_the_shadowed_see_the_race_as_if_nothing_had_happened(storage: str, ties: str) -> None:
    zoe = signed_in(Client(), "someone", "zoe")
    same, shadowed = (played(storage, ties, is_shadowed=each) for each in (False, True))

    of_zoe, public = page(zoe, shadowed), page(Client(), shadowed)

    assert 'data-part="race"' in of_zoe
    assert of_zoe.count("race-line") >= 4
    assert of_zoe == page(zoe, same)
    assert "zoe" not in public
    assert public.count("race-line") == 3
    assert "race-line is-1" in public


def test_a_rank_of_their_own_moves_nobody_for_others_and_stays_once_the_shadow_ends() -> None:
    board = played("hybrid", "first_come", is_shadowed=True)

    ranks = RankHistoryEntry.objects.filter(snapshot__period__board=board).order_by(
        "snapshot__taken_at", "rank", "-points"
    )
    last = list(ranks.values_list("player__external_id", "rank", "moves_from"))[-4:]
    assert last == [("zoe", 1, 1), ("omar", 1, None), ("mina", 2, None), ("robin", 3, None)]
    let_back()
    assert "zoe" in page(Client(), board).partition('data-part="race"')[2].partition("</section>")[0]


def test_alone_on_a_board_the_shadowed_see_their_past() -> None:
    zoe = signed_in(Client(), "someone", "zoe")
    seen = []
    for is_shadowed in (False, True):
        board = make_board(period="all_time", update="increment", name=f"Board {clock.now():%M%S%f}")
        score(board, {"zoe": 5})
        if is_shadowed:
            keep_out("shadowed", Board.objects.get(pk=board), "zoe")
        look(board, clock.now().replace(minute=0, second=0, microsecond=0) - 5 * HOUR, {})
        seen.append(page(zoe, board))

    assert seen[0] == seen[1]
