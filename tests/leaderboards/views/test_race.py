"""The race: of every storage the same, from snapshots that are read once for all viewers."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from foundation import clock
from leaderboards import selectors
from leaderboards.models import Board, Period
from leaderboards.selectors.history.race import race_snapshots
from leaderboards.services.periods.rank_history import record_rank_history
from leaderboards.views.board_pages import shared_page
from leaderboards.views.http import micro_cache
from tests.leaderboards.views.pages import make_full_board, text
from tests.leaderboards.views.raced import LINE, board_of, hour_ago, look, page_of, race_in, raced
from tests.playing import name, score

pytestmark = pytest.mark.django_db(transaction=True)


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

    of_rank = {1: "is-1", 2: "is-2 as-1", 3: "is-3 as-1", 4: "is-4 as-2"}
    assert lines == {name: f"M8 {nth * 2 - 1}h472" for nth, name in of_rank.items()}


def test_where_places_are_shared_lines_end_on_them_in_the_metal_of_their_rank() -> None:
    board = board_of(ties="shared")
    crowd = {f"p{number:02d}": 50 - number for number in range(8)}
    look(board, hour_ago(30), {**crowd, "q1": 9, "q2": 9, "q3": 9, "q4": 9})
    score(board, {"p01": 1})

    last = re.findall(r"<a href=/players/(q\d)/>", page_of(board))[-1]
    race = race_in(page_of(board, f"?player={last}"))
    table = page_of(board, f"?player={last}&tables=1").partition('id="race"')[2].partition(f"{last}</bdi>")[2]

    lines = dict(LINE.findall(race))
    assert "is-2 as-1" in lines
    assert "is-3" in lines
    assert lines["is-me"] == "M8 21.36h472"  # equal then and now: no fall
    assert re.findall(r'<text class="race-turn is-me[^>]*>(=?\d+)<', race)[-1] == "=9"
    assert "<li>=1 <bdi>" in race
    assert table.startswith("<td>9<td>=9")
    assert "2 players share first place." in page_of(board, "?tables=1")


@pytest.mark.parametrize(
    ("language", "said"), [("en", "21 players share first place."), ("ko", "21명이 공동 1위입니다.")]
)
def test_where_more_share_first_place_than_are_drawn_the_page_says_so_instead(language: str, said: str) -> None:
    board = board_of(ties="shared")
    look(board, hour_ago(30), {f"p{number:02d}": 10 for number in range(21)})
    score(board, {f"p{number:02d}": 5 for number in range(21)})
    micro_cache.forget()
    shared_page.forget()

    answer = Client().get(f"/boards/{board}/?player=p20", headers={"Accept-Language": language})
    race = race_in(answer.content.decode())

    assert said in race
    assert "race-line" not in race
    assert '<p class="race-level">' in race


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


@pytest.mark.parametrize(("minutes", "least", "most"), [(5, 1, 3), (40, 1, 8), (16 * 60, 1, 62)])
def test_the_axis_ends_soon_after_now_and_not_before_what_is_cached_goes(minutes: int, least: int, most: int) -> None:
    board = board_of()
    now = clock.now()
    look(board, now - timedelta(minutes=minutes), {"mina": 30, "omar": 20})
    found = selectors.standings(Board.objects.get(seq=board))

    past = race_snapshots(found.board, found.period, found.rules, now)

    assert past is not None
    assert timedelta(minutes=least) <= past.end - now <= timedelta(minutes=most)
