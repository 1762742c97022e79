"""The list of standings tells ranks of one period alone, asks for them once, and opens whatever cannot be told."""

from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from foundation import clock
from leaderboards.models import Board, Period, Player
from leaderboards.selectors.rankings import store_routing
from leaderboards.selectors.visibility import hidden
from leaderboards.services.moderation.ban import ban
from tests.leaderboards.admin.moderation.test_ban_pages import scored
from tests.leaderboards.admin.scores.test_standing_admin import LIST, of, running, shown
from tests.leaderboards.admin.typed import make_board, page
from tests.leaderboards.services.site import redis_away
from tests.playing import score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def statements(client: Client, address: str) -> int:
    page(client, address)  # what is kept for a while is asked for before
    with CaptureQueriesContext(connection) as asked:
        page(client, address)
    return len(asked)


def in_days(board: Board, number: int) -> None:
    for day in range(number):
        score(board.seq, {"ann": 9, "bob": 7}, clock.now() - timedelta(days=day))


def test_the_list_of_all_periods_has_no_ranks_and_asks_no_more_for_more_periods(admin: Client) -> None:
    board = make_board(name="One", period="day")
    in_days(board, 1)
    one = statements(admin, LIST)
    in_days(board, 2)
    assert Period.objects.filter(standings__isnull=False).distinct().count() > 1

    assert statements(admin, LIST) == one
    assert "field-rank" not in page(admin, LIST)
    assert "field-player" in page(admin, LIST)


def test_who_is_hidden_is_asked_for_once_for_a_page(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    board = make_board(name="One", ties="dense")
    scored(board, {"ann": 9, "bob": 7, "cleo": 5})
    ban([Player.objects.get(external_id="ann").pk], "A test.", clock.now(), None)
    address = of(running())
    look = Mock(wraps=hidden._find_hidden)
    monkeypatch.setattr(hidden, "_find_hidden", look)

    lines = shown(page(admin, address))

    assert lines == [("hidden", "ann"), ("1", "bob"), ("2", "cleo")]
    assert look.call_count == 1


@pytest.mark.parametrize("storage", ["hybrid", "sql"])
@pytest.mark.parametrize("ties", ["first_come", "shared", "dense"])
def test_the_list_opens_while_redis_is_away_and_without_time_to_count(
    admin: Client, monkeypatch: pytest.MonkeyPatch, storage: str, ties: str
) -> None:
    scored(make_board(name="One", storage=storage, ties=ties), {"ann": 9, "bob": 7, "cleo": 5})
    ban([Player.objects.get(external_id="ann").pk], "A test.", clock.now(), None)

    with redis_away():
        counted = shown(page(admin, of(running())))
        monkeypatch.setattr(store_routing, "LIST_PATIENCE_MS", 0)
        uncounted = shown(page(admin, of(running())))

    assert counted == [("hidden", "ann"), ("1", "bob"), ("2", "cleo")]
    assert uncounted == [("hidden", "ann"), ("-", "bob"), ("-", "cleo")]
