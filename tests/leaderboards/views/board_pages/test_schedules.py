"""Pages of a board whose windows leave gaps: while one is open, between two, and how they step."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client

from leaderboards.selectors import board_by_seq
from leaderboards.services.periods.close import close_due
from leaderboards.services.periods.open import open_due
from leaderboards.views.board_pages import shared_page
from leaderboards.views.http import micro_cache
from tests.leaderboards.views.pages import text
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)

OPEN = datetime(2026, 11, 24, 4, tzinfo=UTC)  # a Tuesday, 13:00 in Seoul
CLOSED = OPEN + timedelta(hours=2)
ARENA = {
    "name": "Arena", "period": "schedule", "schedule": "0 12 * * *", "open_minutes": 120, "timezone": "Asia/Seoul",
    "storage": "sql",
}  # fmt: skip  # as a table


@pytest.fixture
def arena() -> Iterator[int]:
    """A board that was open yesterday and is open now, with a score in either window."""
    with time_machine.travel(OPEN - timedelta(days=1), tick=False):
        board = make_board(**ARENA)
        score(board, {"omar": 3})
    with time_machine.travel(OPEN, tick=False):
        open_due(OPEN)
        close_due(OPEN)
        score(board, {"mina": 5})
    yield board
    shared_page.forget()
    micro_cache.forget()


def page(client: Client, address: str, at: datetime, **headers: str) -> str:
    shared_page.forget()
    micro_cache.forget()
    with time_machine.travel(at, tick=False):
        return text(client.get(address, headers=headers))


def page_html(client: Client, address: str, at: datetime) -> str:
    shared_page.forget()
    micro_cache.forget()
    with time_machine.travel(at, tick=False):
        return client.get(address).content.decode()


def test_while_a_window_is_open_the_page_tells_when_it_ends(client: Client, arena: int) -> None:
    shown = page(client, f"/boards/{arena}/", OPEN)

    assert "Open now · 1 player" in shown
    assert "Ends in" in shown
    assert "Opens in" not in shown
    assert "Tue 24 Nov, 12:00–14:00" in shown
    assert "Everybody starts again with each window; each is open for 2 h (Asia/Seoul)." in shown


def test_between_two_windows_the_last_is_finished_and_the_page_counts_down_to_the_next(
    client: Client, arena: int
) -> None:
    with time_machine.travel(CLOSED, tick=False):
        open_due(CLOSED)
        close_due(CLOSED)

    shown, listed, screen = (
        page(client, address, CLOSED) for address in (f"/boards/{arena}/", "/", f"/boards/{arena}/?screen=1")
    )

    assert "Window · 1 player" in shown
    assert "Final standings" in shown
    assert "Opens in · Wed 25 Nov, 12:00 21 h 0 min" in shown
    assert "Won by" in shown
    assert shown.count(", 12:00–14:00") >= 11  # the one shown, and the next ten
    assert "Opens in 21 h 0 min" in listed
    assert "Opens in 21 h 0 min" in screen
    assert "Ends in" not in shown + listed + screen


def test_pages_between_two_windows_look_again_when_the_next_one_opens(client: Client, arena: int) -> None:
    def fragment(at: datetime) -> tuple[str, str]:
        shared_page.forget()
        micro_cache.forget()
        with time_machine.travel(at, tick=False):
            answer = client.get(f"/boards/{arena}/?fragment=1")
        return answer["Poll-Interval"], answer["ETag"]

    opens_at = CLOSED + timedelta(hours=21)
    running, closed, soon, opened = (
        fragment(at) for at in (OPEN, CLOSED, opens_at - timedelta(seconds=20), opens_at + timedelta(seconds=1))
    )

    assert [running[0], closed[0], soon[0], opened[0]] == ["2.0", "60.0", "20.0", "2.0"]
    assert closed[1] == soon[1]
    assert len({running[1], closed[1], opened[1]}) == 3


def test_one_steps_from_window_to_window(client: Client, arena: int) -> None:
    yesterday = "2026-11-23-1200"

    last = page(client, f"/boards/{arena}/?period={yesterday}", CLOSED)
    periods = page(client, f"/boards/{arena}/periods/", CLOSED)
    with time_machine.travel(CLOSED, tick=False):
        to_come = client.get(f"/boards/{arena}/?period=2026-11-25-1200")

    assert "omar" in last
    assert "Mon 23 Nov, 12:00–14:00" in last
    assert "Opens in" not in last
    assert "Tue 24 Nov, 12:00–14:00" in periods
    assert "Mon 23 Nov, 12:00–14:00" in periods
    assert to_come.status_code == 404


def test_each_clock_time_of_a_window_can_be_converted_or_names_its_zone(client: Client, arena: int) -> None:
    board, listed, periods = (
        page_html(client, address, CLOSED) for address in (f"/boards/{arena}/", "/", f"/boards/{arena}/periods/")
    )

    window = '<time datetime="2026-11-25T03:00:00Z">Wed 25 Nov, 12:00</time>–<time datetime="2026-11-25T05:00:00Z"'
    assert f'<li>{window} data-after="2026-11-25T03:00:00Z">14:00</time></li>' in board
    assert 'title="Mon 23 Nov, 12:00–14:00 Asia/Seoul"' in board
    for shown in (listed, periods):
        assert re.search(r'">14:00</time> <span class="zone">Asia/Seoul</span>', shown)
    assert 'data-zone="Asia/Seoul"' in listed


def test_it_is_said_in_korean(client: Client, arena: int) -> None:
    shown = page(client, f"/boards/{arena}/", CLOSED, **{"Accept-Language": "ko"})

    assert "열릴 때까지" in shown
    assert "다음 회차" in shown


def test_a_board_without_any_window_yet_tells_when_the_first_opens(client: Client) -> None:
    with time_machine.travel(CLOSED, tick=False):
        board = make_board(**ARENA)

    shown = page(client, f"/boards/{board}/", CLOSED)

    assert "Opens in · Wed 25 Nov, 12:00 21 h 0 min" in shown
    assert "Nobody has scored yet." in shown
    assert "Next window" in shown
    assert "Wed 25 Nov, 12:00–14:00 Next window" in shown
    assert "Final standings" not in shown
    assert "Tue 24 Nov" not in shown
    listed = page(client, "/", CLOSED)
    assert "Next window · Wed 25 Nov, 12:00–14:00 Asia/Seoul" in listed
    assert "Nobody has scored yet." in listed
    assert board_by_seq(board).schedule == "0 12 * * *"


def test_a_window_that_was_and_in_which_nobody_scored_is_final_and_says_so(client: Client) -> None:
    with time_machine.travel(OPEN, tick=False):
        board = make_board(**ARENA)
        open_due(OPEN)
    with time_machine.travel(CLOSED, tick=False):
        close_due(CLOSED)

    shown, listed = (page(client, address, CLOSED) for address in (f"/boards/{board}/", "/"))

    assert "Final standings" in shown
    assert "Tue 24 Nov, 12:00–14:00" in shown
    for told in (shown, listed):
        assert "Nobody scored." in told
        assert "Nobody has scored yet." not in told
