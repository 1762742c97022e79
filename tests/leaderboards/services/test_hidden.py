"""Whoever is banned is shown nowhere, as if he had never played; let in again, he has his place back."""

import random
from collections.abc import Collection
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from foundation import clock
from leaderboards import selectors
from leaderboards.errors import NotRanked
from leaderboards.models import Board, Period, PeriodSnapshot, Player, RankHistoryEntry, RestrictionKind
from leaderboards.selectors.player_data.names import clear_name_cache
from leaderboards.services.periods.close import close_period
from leaderboards.services.periods.rank_history import record_rank_history
from leaderboards.services.submit.decide_redis import forget_bans
from tests.leaderboards.factories import BoardFactory, PlayerFactory
from tests.leaderboards.services.restricting import WAYS_ON_A_BOARD, keep_out, let_back
from tests.leaderboards.services.site import follow
from tests.leaderboards.views.pages import signed_in
from tests.playing import score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

STORAGES = ("hybrid", "redis", "sql")
TIES = ("first_come", "last_come", "shared", "dense")
EVERYBODY = [f"p{nth}" for nth in range(12)]
HOW = {"hybrid": WAYS_ON_A_BOARD, "redis": WAYS_ON_A_BOARD[::3], "sql": WAYS_ON_A_BOARD[::3]}
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
        "named": rows(selectors.rows_of_players(board, EVERYBODY, "all").rows),
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

    wanted = told(without)
    for how in HOW[storage]:
        keep_out(how, board, *BANNED)
        hidden = told(board)
        let_back()

        assert hidden == wanted, how
        assert told(board) == before, how


@pytest.mark.parametrize("storage", STORAGES)
def test_a_restriction_of_one_board_leaves_the_others_as_they_are(storage: str) -> None:
    board, other = (played(storage, ties, {"p0": 9, "p1": 7}, "desc") for ties in ("shared", "dense"))
    before = told(other)

    for kind in RestrictionKind:
        keep_out(kind, board, "p0")

    assert told(other) == before
    assert told(board) != told(other)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("kind", ["hidden", "shadowed", "hidden everywhere", "hidden standing"])
def test_who_is_hidden_before_they_ever_scored_is_not_shown_for_a_moment(storage: str, kind: str) -> None:
    board = played(storage, "shared", {"p1": 7}, "desc")
    PlayerFactory.create(external_id="p0")
    keep_out(kind, board, "p0")
    before = told(board)  # what is remembered from here on does not know their standing

    score(board.seq, {"p0": 9})

    assert told(board)["pages"] == before["pages"]
    assert told(board)["players"] == before["players"]
    follow(stored(board))
    forget_bans()
    assert told(board) == before
    let_back()
    assert selectors.player_row(board, "p0", "all").row.rank == 1


@pytest.mark.parametrize("how", ["hidden", "shadowed everywhere", "banned", "hidden standing"])
def test_looks_are_of_those_who_are_shown_so_that_nobody_seems_to_have_moved(how: str) -> None:
    board = played("hybrid", "shared", {"p0": 9, "p1": 7, "p2": 5}, "desc")
    keep_out(how, board, "p0")

    record_rank_history(stored(board), clock.now(), clock.now())

    of_all = RankHistoryEntry.objects.filter(moves_from=None)  # who is shadowed has a look of their own beside it
    assert dict(of_all.values_list("player__external_id", "rank")) == {"p1": 1, "p2": 2}
    assert PeriodSnapshot.objects.get().total == 2


def test_a_read_of_a_board_asks_sql_as_often_with_restrictions_as_without() -> None:
    board = played("hybrid", "shared", {"p0": 9, "p1": 7}, "desc")

    def asked() -> int:
        forget_bans()
        clear_name_cache()
        with CaptureQueriesContext(connection) as queries:
            selectors.standings(board, "all", 0, 3)
        return len(queries)

    asked()  # board and period are known from here on
    before = asked()
    keep_out("hidden", board, "p0")

    assert asked() == before


def test_a_final_period_shows_the_banned_no_more_and_hashes_what_it_shows() -> None:
    board = played("hybrid", "shared", {"p0": 9, "p1": 7, "p2": 7, "p3": 1}, "desc")
    without = played("hybrid", "shared", {"p1": 7, "p2": 7, "p3": 1}, "desc")
    for each in (board, without):
        Period.objects.filter(board=each).update(ends_at=clock.now())
        assert close_period(stored(each), clock.now()).final
    own = stored(board).content_hash

    for how in HOW["hybrid"]:
        keep_out(how, board, "p0")

        assert told(board) == told(without)
        assert selectors.content_hash_of(stored(board)) == stored(without).content_hash != own
        assert selectors.past_ranks(board, "p0") == []
        assert {each.player for each in selectors.winners(board, ["all"], 3)["all"]} == {"p1", "p2"}
        let_back()
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
