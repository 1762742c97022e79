"""What a board's settings would mean, asked while they are typed."""

import re
from html import unescape
from itertools import product

import pytest
import time_machine
from django.test import Client

from leaderboards.models import Board
from tests.leaderboards.admin.typed import PREVIEW, make_board, settings

pytestmark = pytest.mark.django_db


def asked(client: Client, address: str = PREVIEW, **changed: str) -> str:
    answer = client.post(address, settings(**changed))
    assert answer.status_code == 200
    return " ".join(unescape(answer.content.decode()).split())


@time_machine.travel("2026-11-21T12:00:00Z", tick=False)
def test_it_tells_the_key_and_five_boundaries_in_the_boards_zone_and_in_utc(admin: Client) -> None:
    html = asked(admin, timezone="Asia/Seoul", week_start="sunday", cutoff="18:00")

    assert "LeaderBoard_…_2026-46" in html
    assert html.count('<th scope="row">') == 5
    assert "<td>Sun 22 Nov 18:00 KST</td><td>Sun 22 Nov 09:00</td>" in html
    assert "Every Sunday at 18:00 (Asia/Seoul) players start again." in html


def test_it_tells_the_layout_in_words_or_what_cannot_work_and_what_would(admin: Client) -> None:
    works = asked(admin, tie_break="score", name="")  # a name that is still missing is no refusal
    cannot = asked(admin, tie_break="score", total_maximum="1099511627776", timezone="UTC")

    assert "31 bits of points, 20 bits of seconds: ties go to the first, to the second" in works
    assert ["This can not work yet" in each for each in (works, cannot)] == [False, True]
    assert "put the time in the member" in cannot
    assert "never ends" in asked(admin, period="all_time")
    assert "its competitions" in asked(admin, period="event")


def test_the_layout_is_told_in_korean_to_who_reads_korean(admin: Client) -> None:
    def told(**changed: str) -> str:
        answer = admin.post(PREVIEW, settings(tie_break="score", **changed), headers={"Accept-Language": "ko"})
        return " ".join(unescape(answer.content.decode()).split())

    works, cannot = told(), told(total_maximum="1099511627776")

    assert "점수 31비트, 초 2" in works
    assert "동점이면 먼저 도달한 쪽이 앞섭니다(초 단위)" in works
    assert re.search("시각을 멤버에 두거나\\(“[^”`]+: [^”`]+”\\), “합계 최댓값”을 ", cannot)
    assert not [word for word in ("bits", "ties go", "put the time") if word in works + cannot]


STRANGE = {
    ("criteria",): ("{}", "null", "3", '"x"', "[1]", '[{"name": "a"}]', "not json", '[{"name": [], "max": 1}]'),
    ("cutoff", "decimals", "maximum", "grace_seconds"): ("", "x", "-1", "NaN", "1e400", "٣"),
    ("period", "timezone", "order", "week_start"): ("", "x"),
}


def test_settings_of_any_kind_make_no_error(admin: Client) -> None:
    for fields, texts in STRANGE.items():
        for field, text in product(fields, texts):
            asked(admin, **{field: text})


def test_a_stored_boards_key_has_its_number_and_its_fixed_settings(admin: Client) -> None:
    board = make_board()

    html = asked(admin, f"{PREVIEW}?board={board.seq}", period="day", order="asc")

    assert [said for said in (f"LeaderBoard_{board.seq}_", "Every Monday", "Less points are") if said not in html] == []
    assert Board.objects.get().order == "desc"


def test_only_staff_who_may_see_boards_may_ask_and_by_post_only(admin: Client, stranger: Client) -> None:
    answers = stranger.post(PREVIEW, settings()), Client().post(PREVIEW, settings()), admin.get(PREVIEW)

    assert [answer.status_code for answer in answers] == [403, 302, 405]


def test_of_a_schedule_without_expression_it_says_nothing_but_what_is_missing(admin: Client) -> None:
    html = asked(admin, period="schedule", schedule=" ", open_minutes="120")

    assert "“Schedule” has five fields" in html
    assert "Windows start by" not in html


@time_machine.travel("2026-11-23T12:00:00Z", tick=False)
def test_of_a_schedule_it_tells_the_next_ten_windows_in_the_boards_zone(admin: Client) -> None:
    typed = {"period": "schedule", "schedule": "0 18 * * 5", "open_minutes": "3120", "timezone": "Asia/Seoul"}
    html = asked(admin, **typed)

    assert "The next ten windows" in html
    assert html.count('<th scope="row">') == 10
    assert "LeaderBoard_…_2026-11-27-1800" in html
    assert "<td>Fri 27 Nov 18:00 KST</td><td>Sun 29 Nov 22:00 KST</td>" in html
    assert "Windows start by 0 18 * * 5 (Asia/Seoul), each for 2 d 4 h; players start again." in html
    assert "'99' is no hour" in asked(admin, **typed | {"schedule": "0 99 * * 5"})
    assert "The windows overlap" in asked(admin, **typed | {"schedule": "0 18 * * *"})
    assert "The schedule never starts" in asked(admin, **typed | {"schedule": "0 18 31 2 *"})
    assert "The schedule starts again after 1 min" in asked(admin, **typed | {"schedule": "* * * * *"})
    assert "leave it empty" in asked(admin, **typed | {"period": "day"})


@time_machine.travel("2026-11-21T12:00:00Z", tick=False)
def test_of_a_changed_schedule_it_tells_the_windows_as_they_will_be(admin: Client) -> None:
    arena = {"period": "schedule", "schedule": "0 12 * * *", "open_minutes": 120, "timezone": "UTC"}
    board = make_board(**arena)

    html = asked(admin, f"{PREVIEW}?board={board.seq}", schedule="0 20 * * *", open_minutes="60")

    labels = ["2026-11-21-1200", *(f"2026-11-{day}-2000" for day in range(21, 30))]
    assert [label in html for label in labels] == [True] * 10
    assert "2026-11-22-1200" not in html


@pytest.mark.parametrize(
    "wrong",
    [
        {"period": "schedule", "schedule": "0 18 * * 8"},
        {"period": "schedule", "schedule": "0 18 * * 5", "open_minutes": "0"},
        {"period": "day", "schedule": "0 18 * * 5"},
        {"period": "day", "timezone": "Asia/Seou"},
    ],
)
def test_a_wrong_calendar_is_told_once_and_not_as_points_that_do_not_fit(admin: Client, wrong: dict[str, str]) -> None:
    html = asked(admin, **wrong)

    assert html.count("<li>") == 1
    assert "does not fit" not in html
    assert "What a score holds" not in html
