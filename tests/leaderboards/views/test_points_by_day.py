"""Points by day: of every storage the same, from snapshots that are read once for all viewers."""

import re
from typing import Any

import pytest

from foundation import clock
from leaderboards.models import Period, PeriodSnapshot, RankHistoryEntry
from leaderboards.services.periods.rank_history import record_rank_history
from tests.leaderboards.views.pages import WEEK, close_all_past, make_full_board
from tests.leaderboards.views.raced import DAY, HOUR, board_of, look, midnight, page_of, raced
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)


def cells_of(board: int, player: str) -> tuple[str, str]:
    """What the table tells of a player's days, and their row of today."""
    table = page_of(board).partition('data-part="top"')[2].partition("</tbody>")[0]
    row = next((each for each in table.split("<tr") if f"<a href=/players/{player}/>" in each), "")
    table = page_of(board, "?tables=1").partition('id="days"')[2]
    told = re.search(rf"<bdi>{player}</bdi>((?:<td>[^<]*)+)", table)
    today = re.search(r"<th>.*?<td>(?:<svg>.*?</svg>)?<td>([^<]*)<td>", row)
    return (told[1].removeprefix("<td>").replace("<td>", ", ") if told else "", today[1] if today else "none")


@pytest.mark.parametrize("storage", ["hybrid", "sql", "redis"])
def test_points_by_day_are_those_between_the_first_looks_of_days(storage: str) -> None:
    board = board_of(storage=storage, decimals=1)
    look(board, midnight() - 2 * DAY, {"mina": 30, "robin": 10})
    look(board, midnight() - DAY, {"mina": 5, "robin": 20})
    look(board, midnight(), {"robin": 1200})
    score(board, {"mina": 3, "aiko": 7})

    unknown = "–, –, –, –"
    assert cells_of(board, "mina") == (f"{unknown}, +5.0, 0.0, +3.0", "+3.0")
    assert cells_of(board, "robin") == (f"{unknown}, +20.0, +1,200.0, 0.0", "0.0")
    assert cells_of(board, "aiko") == (f"{unknown}, 0.0, 0.0, +7.0", "+7.0")
    assert "<path d=M4,0V1h1V22h1V1h1V0>" in page_of(board)  # robin's, beside which all others are low


def test_a_day_whose_beginning_nobody_saw_is_left_out() -> None:
    board = board_of()
    look(board, midnight() - 2 * DAY, {"mina": 30, "robin": 10})
    look(board, midnight() - 12 * HOUR, {"mina": 5})
    score(board, {"mina": 3})

    assert cells_of(board, "mina") == ("", "none")


def test_a_final_week_of_which_nothing_was_recorded_has_no_such_column() -> None:
    board = make_board(update="increment")
    score(board, {"mina": 9, "robin": 8}, clock.now() - WEEK)
    close_all_past(board)

    page = page_of(board, "?period=previous")

    assert "mina" in page
    assert "has-days" not in page


def test_whom_a_look_at_the_best_left_out_is_told_nothing_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foundation.sunwi_settings.sunwi_settings.RANK_SNAPSHOT_PLAYERS", 1)
    board = board_of()
    look(board, midnight(), {"mina": 30, "robin": 10})
    score(board, {"mina": 3, "robin": 4})

    assert cells_of(board, "mina")[1] == "+3"
    assert cells_of(board, "robin") == ("–, –, –, –, –, –, –", "")


@pytest.mark.parametrize(
    "settings",
    [
        {"update": "best"},
        {"update": "latest"},
        {"period": "day"},
        {"update": "best", "criteria": [{"name": "a", "max": 9, "order": "desc"}]},
    ],
    ids=["best", "latest", "a day", "criteria"],
)
def test_where_nothing_adds_up_over_days_there_are_no_such_columns(settings: dict[str, Any]) -> None:
    board = board_of(**settings)
    if "criteria" in settings:
        score(board, {"mina": {"a": 3}, "robin": {"a": 2}})
    else:
        score(board, {"mina": 3, "robin": 2})
    period = Period.objects.select_related("board").filter(board=board).earliest("starts_at")
    record_rank_history(period, clock.now(), clock.now())

    assert "has-days" not in page_of(board)


def test_the_viewers_row_at_the_foot_has_its_days_too() -> None:
    board = make_full_board(period="all_time", update="increment")
    record_rank_history(Period.objects.select_related("board").get(board=board), midnight(), midnight())
    score(board, {"p099": 2})

    foot = page_of(board, "?player=p099").partition("<tfoot>")[2].partition("</tfoot>")[0]

    assert re.search(r"<td><svg><path d=M6,0V\d+h1V0></svg><td>\+2", foot)


def test_without_looks_and_without_sql_the_page_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    from foundation.db.resilience import SqlAway

    def away(*_: object) -> None:
        raise SqlAway("SQL is away.")

    board = raced()
    monkeypatch.setattr("leaderboards.selectors.history.race._snapshots.get", away)
    page = page_of(board)
    assert "race-line" not in page
    assert "robin" in page

    monkeypatch.undo()
    RankHistoryEntry.objects.all().delete()
    PeriodSnapshot.objects.all().delete()
    assert "race-line" not in page_of(board)
