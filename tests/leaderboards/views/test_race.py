"""The race and points by day: of every storage the same, from snapshots that are read once for all viewers."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from foundation import clock
from leaderboards.models import Board, Period, PeriodSnapshot, RankHistoryEntry
from leaderboards.services.periods.rank_history import record_rank_history
from leaderboards.services.sync.mirror import mirror
from leaderboards.views.board_pages import shared_page
from leaderboards.views.http import micro_cache
from tests.leaderboards.views.pages import WEEK, close_all_past, make_full_board, text
from tests.playing import make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LINE = re.compile(r'<path class="race-line ([^"]*)" d="([^"]*)"/>')


def hour_ago(hours: int) -> datetime:
    return clock.now().replace(minute=0, second=0, microsecond=0) - hours * HOUR


def midnight() -> datetime:
    return clock.now().replace(hour=0, minute=0, second=0, microsecond=0)


def board_of(**settings: Any) -> int:
    """A board that never begins anew: whatever day it is, it has a past."""
    return make_board(**{"period": "all_time", "update": "increment", **settings})


def look(board: int, at: datetime, points: dict[str, int]) -> None:
    """They score, and are looked at, as of ``at``."""
    score(board, points)
    period = Period.objects.select_related("board").get(board=board)
    if period.board.storage == "redis":
        mirror(period)
    assert record_rank_history(period, at, at)


def page_of(board: int, query: str = "") -> str:
    micro_cache.forget()
    shared_page.forget()
    return Client().get(f"/boards/{board}/{query}").content.decode()


def race_in(page: str) -> str:
    return page.partition('data-part="race"')[2].partition("</section>")[0]


def raced(**settings: Any) -> int:
    """A board on which robin was last of three, then second, and leads."""
    board = board_of(**settings)
    look(board, hour_ago(30), {"mina": 30, "omar": 20, "robin": 10})
    look(board, hour_ago(20), {"robin": 15})
    score(board, {"robin": 100})
    return board


@pytest.mark.parametrize("storage", ["hybrid", "sql", "redis"])
@pytest.mark.parametrize("ties", ["first_come", "shared", "dense"])
def test_lines_run_from_where_players_stood_into_their_rows(storage: str, ties: str) -> None:
    board = raced(storage=storage, ties=ties)
    race = race_in(page_of(board))

    lines = dict(LINE.findall(race))
    assert lines["is-1"].startswith("M8 5c")
    assert lines["is-1"].count("c") == 2
    assert lines["is-2"].startswith("M8 1h")
    assert lines["is-3"].startswith("M8 3c")
    table = page_of(board, "?tables=1")
    assert "robin leads. The lead changed 1 time. robin climbed most, from place 3 to place 1." in table
    assert "<td>3<td>2<td>1" in table.partition("robin</bdi>")[2]
    assert 'aria-hidden="true"><svg' in race


def test_equals_of_dense_ranks_stand_in_the_rows_that_they_had() -> None:
    board = board_of(ties="dense")
    look(board, hour_ago(3), {"aiko": 9, "mina": 9, "omar": 9, "robin": 5})
    score(board, {"robin": 1})

    lines = dict(LINE.findall(race_in(page_of(board))))

    assert lines == {f"is-{nth}": f"M8 {nth * 2 - 1}h472" for nth in (1, 2, 3, 4)}


def test_there_is_no_race_before_a_look_of_one_alone_on_later_pages_and_where_it_is_embedded() -> None:
    alone = board_of(name="Alone")
    look(alone, hour_ago(3), {"mina": 9})
    fresh = make_full_board(name="Fresh")
    long = make_full_board(name="Long", period="all_time")
    record_rank_history(Period.objects.select_related("board").get(board=long), hour_ago(2), hour_ago(2))

    assert "race-line" in page_of(long)
    for board, query in ((alone, ""), (fresh, ""), (long, "?page=2"), (long, "?embed=1")):
        page = page_of(board, query)
        assert "race-line" not in page
        assert page.count('<section class="race" data-part="race" hidden>') == 1


def test_ones_own_line_is_marked_among_the_ten_and_below_them_runs_in_a_lane_with_its_turns() -> None:
    board = board_of()
    crowd = {f"p{number:02d}": 1000 - number for number in range(30)}
    look(board, hour_ago(40), crowd)
    look(board, hour_ago(20), {"p20": 5, "p29": 50})
    look(board, hour_ago(10), {"p21": 25, "p22": 25, "p23": 25})
    score(board, {"p20": 3})

    below, among = race_in(page_of(board, "?player=p20")), race_in(page_of(board, "?player=p03"))

    ranks = page_of(board, "?player=p20&tables=1").partition("p20</bdi>")[2].partition("</table>")[0]
    assert '<path class="race-line is-me" d="M8 21.36h472"/>' in below
    numbers = re.findall(r'<text class="race-turn is-me[^>]*>(\d+)<', below)
    assert numbers == ["21", "18", "21", "18"] == re.findall(r"<td>(\d+)", ranks)
    assert '<svg class="race-svg" height="32.75rem">' in below
    assert [names for names, _ in LINE.findall(among)][-1].endswith("is-me")
    assert sum("is-me" in names for names, _ in LINE.findall(among)) == 1
    assert '<svg class="race-svg" height="29.5rem">' in among
    assert "is-me" not in race_in(page_of(board))


def test_all_who_watch_share_what_was_read_and_a_new_look_is_seen_at_once() -> None:
    board = raced()
    page_of(board)
    with CaptureQueriesContext(connection) as asked:
        before = page_of(board)
    assert not [each for each in asked if "keptrank" in each["sql"] and "periodsnapshot" not in each["sql"].lower()]
    assert race_in(before).count("<li>") == 3

    look(board, hour_ago(5), {"mina": 500})

    after = page_of(board, "?tables=1")
    assert after.partition('id="race"')[2].partition("</table>")[0].count("<th scope") == 5 + 3
    assert "mina leads. The lead never changed." in after


def test_names_are_escaped_and_sentences_speak_korean() -> None:
    board = raced()
    name("robin", "<b>bold</b>")

    page = page_of(board)
    with override("ko"):
        asked = [f"/boards/{board}/{query}" for query in ("", "?tables=1")]
        spoken = "".join(text(Client().get(each, headers={"Accept-Language": "ko"})) for each in asked)

    assert "<b>" not in race_in(page)
    assert "선두가 1번 바뀌었습니다." in spoken
    assert "순위 변화를 표로 보기" in spoken


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


def test_the_drawing_of_a_full_page_is_small() -> None:
    board = board_of()
    for nth in range(40):
        points = {f"player-{number:02d}": (number * 7919 + nth * 104729) % 97 for number in range(60)}
        look(board, hour_ago(40 - nth), points)
    score(board, {"player-01": 3})

    race = race_in(page_of(board, "?player=player-40"))

    drawing = race.partition("<svg")[2].partition("<ol")[0]
    assert len(drawing) < 6 * 1024
    assert len(re.findall("race-line", drawing)) == 11
    assert Board.objects.count() == 1
