"""What stands above a board's settings: it is right without Redis, costs few statements, and leads where it says."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.html import strip_tags

from foundation import clock
from foundation.models import Heartbeat
from foundation.monitoring import minutes
from foundation.tasks import REDIS
from leaderboards.admin.boards import status_head
from leaderboards.models import Board, Period, Player, QuarantinedEntry
from tests.competitions.site import joined, open_competition
from tests.competitions.site import make_board as make_event_board
from tests.leaderboards.admin.moderation.test_quarantine_admin import send
from tests.leaderboards.admin.typed import change, page
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.services.site import make_board, redis_away, score
from tests.staff import chief, staff

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    minutes.forget()
    yield
    minutes.forget()


def head(client: Client, board: Board) -> str:
    """The head as HTML; the page has its settings below it."""
    html = page(client, change(board))
    found = html.partition('<div class="head">')[2].partition('class="board-form"')
    assert found[1]
    return found[0]


def said(html: str) -> str:
    return re.sub(r"\s+", " ", strip_tags(html.replace("<", " <")))


def test_it_tells_whether_it_is_live_who_leads_how_many_come_and_when_it_ends(admin: Client) -> None:
    board = make_board("hybrid", clock.now(), period="week", timezone="Asia/Seoul")
    score(board, {"ann": 5, "bob": 7, "cleo": 7}, clock.now())
    minutes.write()

    html = head(admin, board)

    told = said(html)
    assert "Live: Redis shows what was decided." in told
    assert re.search(r"This week, .* Ends in (\d+ d )?\d+ h", told)
    assert re.search(r"ends Mon \d+ \w+ 00:00 KST \(Asia/Seoul\)", told)
    assert "data-countdown" in html
    assert re.search(r"Players 3 ranked in this period", told)
    assert "3 in the last hour" in told
    assert 'class="spark"' in html
    bob = Player.objects.get(external_id="bob")
    assert f'href="/admin/leaderboards/player/{bob.pk}/change/"' in html
    assert re.search(r"bob 7 points", told)
    assert told.index("bob") < told.index("ann")
    assert told.count("00:00 KST") >= 4  # the end, and the starts of the next three
    assert f"?period__id__exact={Period.objects.get(board=board, starts_at__lte=clock.now()).pk}" in html


def test_what_waits_is_counted_and_leads_to_the_list_of_just_that(admin: Client) -> None:
    board, other = (BoardFactory.create(name=name, plausible_most="100", update="increment") for name in ("One", "Two"))
    send(board, ann=500)
    send(other, bob=500, cleo=500)

    html = head(admin, board)

    address = f"/admin/leaderboards/quarantinedentry/?board__seq__exact={board.pk}"
    assert re.search(rf'href="{re.escape(address)}">Quarantined scores</a> <strong>1</strong>', html)
    listed = page(admin, address)
    assert "ann" in listed
    assert "cleo" not in listed
    differing = f"/admin/leaderboards/difference/?repaired__exact=0&period__board__seq__exact={board.pk}"
    assert differing.replace("&", "&amp;") in html
    assert admin.get(differing).status_code == 200
    assert QuarantinedEntry.objects.count() == 3


def test_a_board_of_competitions_has_these_and_the_reports_of_their_comments(admin: Client) -> None:
    board = make_event_board()
    running = open_competition(board, name="Spring cup")
    joined(running, "ann")

    html = head(admin, board)

    told = said(html)
    assert "Latest competitions" in told
    assert "Spring cup" in told
    assert "Next periods" not in told
    address = f"/admin/competitions/comment/?reports=open&competition__board__seq__exact={board.pk}"
    assert address.replace("&", "&amp;") in html
    assert admin.get(address).status_code == 200


def test_without_redis_it_is_not_live_since_then_and_sql_tells_the_rest(admin: Client) -> None:
    board = make_board("hybrid", clock.now())
    score(board, {"ann": 5, "bob": 7}, clock.now())
    Heartbeat.note(REDIS, clock.now() - timedelta(minutes=4))
    since = Heartbeat.objects.get(name=REDIS).beat_at

    with redis_away():
        html = head(admin, board)

    told = said(html)
    assert f"Redis has not answered since {since:%a} {since.day} {since:%b %Y %H:%M} UTC" in told
    assert 'href="/admin/health/#what-to-do"' in html
    assert "as SQL has them" in told
    assert re.search(r"bob 7 points", told)


@pytest.mark.parametrize("part", ["liveness_of", "_running", "_pace", "waiting_on", "_coming"])
def test_a_part_that_fails_says_so_and_breaks_nothing_else(
    admin: Client, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board("sql", clock.now())

    def broken(*_: object) -> Any:
        raise OperationalError("canceling statement due to statement timeout")

    monkeypatch.setattr(status_head, part, broken)

    html = head(admin, board)

    assert "SQL took too long for this part." in html
    assert ("Next periods" in html) + ("Waits for you" in html) + ("The best" in html) == 3


def test_scores_a_minute_are_not_known_while_the_page_cache_is_away(admin: Client) -> None:
    board = make_board("sql", clock.now())

    with patch.object(minutes, "last_hour", return_value=None):
        assert "Not known: the Redis of the page cache does not answer." in head(admin, board)


def test_it_shows_no_more_than_its_reader_may_see() -> None:
    board = BoardFactory.create(name="One", plausible_most="100", update="increment")
    send(board, ann=50, bob=500)

    html = head(staff("view_board"), board)

    assert 'href="/players/ann/"' in html
    assert "/admin/leaderboards/player/" not in html
    assert "Quarantined" not in html
    assert "/admin/leaderboards/period/" not in html


def test_a_retired_board_has_no_next_period_and_one_of_all_time_no_end(admin: Client) -> None:
    retired, endless = (BoardFactory.create(name=name, period=kind) for name, kind in (("R", "day"), ("E", "all_time")))
    Board.objects.filter(pk=retired.pk).update(retired_at=clock.now())

    assert "None: the board is retired." in head(admin, retired)
    told = said(head(admin, endless))
    assert "All time No end It never ends." in told
    assert "None: its period never ends." in told


def test_it_costs_few_statements_however_much_there_is() -> None:
    board = make_board("hybrid", clock.now(), plausible_most=10_000)
    client = chief("counting")

    def statements() -> int:
        page(client, change(board))
        with CaptureQueriesContext(connection) as asked:
            page(client, change(board))
        return len(asked)

    score(board, {"ann": 5}, clock.now())
    few = statements()
    score(board, {f"player-{nth}": nth for nth in range(40)}, clock.now())
    send(board, **{f"cheat{nth}": 50_000 for nth in range(10)})

    assert statements() <= few + 1
