"""Whoever is banned is shown nowhere, as if he had never played; let in again, he has his place back."""

import random
from collections.abc import Collection
from typing import Any

import pytest
from django.test import Client

from foundation import clock
from leaderboards import selectors
from leaderboards.errors import NotRanked
from leaderboards.models import Board, Period, Player
from leaderboards.services.close import close_period
from leaderboards.services.decide_redis import forget_bans
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.services.site import follow
from tests.leaderboards.views.pages import signed_in
from tests.playing import score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

STORAGES = ("hybrid", "redis", "sql")
TIES = ("first_come", "last_come", "shared", "dense")
EVERYBODY = [f"p{nth}" for nth in range(12)]
BANNED = ["p0", "p3", "p4", "p11"]


def ban(players: Collection[str], banned: bool = True) -> None:
    Player.objects.filter(external_id__in=players).update(banned_at=clock.now() if banned else None)
    forget_bans()


def played(storage: str, ties: str, points: dict[str, int], order: str) -> Board:
    board = BoardFactory.create(
        name=f"{storage} {ties} {len(points)}", storage=storage, ties=ties, order=order, period="all_time"
    )
    score(board.seq, points)
    follow(stored(board))
    return board


def stored(board: Board) -> Period:
    return Period.objects.select_related("board").get(board=board)


def rows(found: Any) -> list[tuple[object, ...]]:
    return [(row.rank, row.player, row.points, row.tied, row.ahead) for row in found]


def about(board: Board, player: str) -> object:
    try:
        row, near = selectors.player_row(board, player, "all"), selectors.around(board, player, 2, "all")
    except NotRanked:
        return None
    return rows([row.row]), row.percentile, row.total, rows(near.rows), near.total


def told(board: Board) -> dict[str, object]:
    """All that anybody can ask, without the time of the answer and of scores."""
    spread = selectors.distribution(board, "all")
    return {
        "pages": [rows(selectors.standings(board, "all", at, 3).rows) for at in range(13)],
        "players": {player: about(board, player) for player in EVERYBODY},
        "named": rows(selectors.named(board, EVERYBODY, "all").rows),
        "page": rows(selectors.board_page(board, "all", 0, 5, "p5").neighbours),
        "spread": (spread.total, spread.percentiles, spread.histogram),
        "csv": rows(selectors.export_rows(board, "all")[1]),
        "total": selectors.running_periods([board])[board.seq].total,
    }


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("storage", STORAGES)
def test_a_board_shows_what_it_would_if_the_banned_had_never_played(storage: str, ties: str) -> None:
    dice = random.Random(f"{storage} {ties}")
    points = {player: dice.randint(1, 5) for player in EVERYBODY}
    order = dice.choice(["desc", "asc"])
    board = played(storage, ties, points, order)
    without = played(storage, ties, {name: had for name, had in points.items() if name not in BANNED}, order)
    before = told(board)

    ban(BANNED)
    hidden = told(board)
    ban(BANNED, banned=False)

    assert hidden == told(without)
    assert told(board) == before


def test_a_final_period_shows_the_banned_no_more_and_hashes_what_it_shows() -> None:
    board = played("hybrid", "shared", {"p0": 9, "p1": 7, "p2": 7, "p3": 1}, "desc")
    without = played("hybrid", "shared", {"p1": 7, "p2": 7, "p3": 1}, "desc")
    for each in (board, without):
        Period.objects.filter(board=each).update(ends_at=clock.now())
        assert close_period(stored(each), clock.now()).final
    own = stored(board).content_hash

    ban(["p0"])

    assert told(board) == told(without)
    assert selectors.content_hash_of(stored(board)) == stored(without).content_hash != own
    assert selectors.past_ranks(board, "p0") == []
    ban(["p0"], banned=False)
    assert selectors.content_hash_of(stored(board)) == own
    assert [each.rank for each in selectors.past_ranks(board, "p0")] == [1]


def test_page_api_and_csv_leave_out_whom_the_admin_bans_at_once(client: Client) -> None:
    board = played("redis", "shared", {"cheat": 9, "honest": 7}, "desc").seq
    chief = signed_in(Client(), "chief", is_staff=True, is_superuser=True)
    there = [f"/boards/{board}/", f"/api/v1/boards/{board}/standings", f"/api/v1/boards/{board}/standings.csv"]
    player = Player.objects.get(external_id="cheat")
    asked = {"_selected_action": [player.pk], "confirmed": "1", "reason": "A bot."}

    chief.post("/admin/leaderboards/player/", {"action": "ban", **asked})

    for address in there:
        shown = client.get(address).getvalue().decode()
        assert ("cheat" in shown, "honest" in shown) == (False, True), address
    chief.post("/admin/leaderboards/player/", {"action": "unban", **asked})
    assert "cheat" in client.get(there[1]).getvalue().decode()
