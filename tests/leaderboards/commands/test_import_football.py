"""Two and a half years of goals, imported as monthly boards on which equals share a rank."""

import csv
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from foundation import clock
from leaderboards import selectors
from leaderboards.models import Board, FinalStanding, Period, Player, Standing, State, Storage, Submission
from leaderboards.services.boards import apply_boards
from tests.leaderboards.commands.calls import Printed, run

GOALS = Path(__file__).parents[2] / "data" / "football_goals_2023_2025.csv"

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def make_board(storage: Storage) -> Board:
    settings = {"name": "Goals", "period": "month", "update": "increment", "ties": "shared", "storage": storage}
    return Board.objects.get(seq=apply_boards([settings], clock.now())["Goals"])


def import_goals(board: Board) -> Printed:
    columns = ("--player", "scorer", "--points", "1", "--at", "date", "--id", "row")
    return run("import_scores", GOALS, "--board", board.seq, *columns, "--backfill")


def goals_by_month() -> dict[str, Counter[str]]:
    months: dict[str, Counter[str]] = defaultdict(Counter)
    with GOALS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            months[row["date"][:7]][row["scorer"]] += 1
    return months


def ranked(goals: Counter[str]) -> dict[str, tuple[int, int]]:
    """Player → rank and goals, the plain way: one more than there are better ones."""
    return {name: (1 + sum(other > own for other in goals.values()), own) for name, own in goals.items()}


def past(board: Board) -> list[Period]:
    return [*Period.objects.filter(board=board, ends_at__lt=clock.now()).order_by("starts_at")]


def state() -> tuple[object, ...]:
    """Everything that a second import could have changed."""
    standings = Standing.objects.order_by("pk").values_list("pk", "points", "at", "score", "version")
    finals = FinalStanding.objects.order_by("pk").values_list()
    return (*standings, *finals, Submission.objects.count(), Player.objects.count(), Period.objects.count())


@pytest.mark.parametrize("storage", [Storage.HYBRID, Storage.REDIS])
def test_every_standing_of_every_month_equals_a_plain_count_of_the_file(storage: Storage) -> None:
    board = make_board(storage)

    printed = import_goals(board)

    assert "accepted: 4301 (4301 updated, 0 unchanged, 0 duplicate)" in printed.out
    assert "periods: 21 (21 closed)" in printed.out
    found = {
        period.label: {row.player: (row.rank, row.points) for row in selectors.export_rows(board, period.label)[1]}
        for period in past(board)
    }
    assert found == {month: ranked(goals) for month, goals in goals_by_month().items()}
    assert {period.state for period in past(board)} == {State.FINAL}


def test_the_file_has_as_many_scorers_and_goals_as_it_is_known_for() -> None:
    board = make_board(Storage.HYBRID)

    import_goals(board)

    standings = Standing.objects.filter(period__board=board)
    assert len(past(board)) == 21
    assert standings.values("player").distinct().count() == 1944
    assert sum(standing.points or 0 for standing in standings) == 4301
    first = selectors.standings(board, "2025-06", limit=1).rows[0]
    assert (first.rank, first.player, first.points, first.tied) == (1, "Ismael Díaz", 7, 1)


def test_a_second_run_with_row_ids_changes_nothing() -> None:
    board = make_board(Storage.HYBRID)
    import_goals(board)
    before = state()

    printed = import_goals(board)

    assert "accepted: 4301 (0 updated, 0 unchanged, 4301 duplicate)" in printed.out
    assert state() == before


def test_a_second_run_into_closed_months_of_a_redis_board_changes_nothing(tmp_path: Path) -> None:
    board = make_board(Storage.REDIS)
    copy = tmp_path / GOALS.name
    copy.write_bytes(GOALS.read_bytes())
    import_goals(board)
    before = state()

    printed = run("import_scores", copy, "--board", board.seq, "--player", "scorer", "--points", 1, "--at", "date")

    assert "rejected: 4301" in printed.out
    assert "period_closed: 4301" in printed.out
    assert state() == before
