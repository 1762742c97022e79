"""A period's page: its name is the public one, its state is a sentence, and nothing on it is None."""

import re
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils.html import strip_tags

from foundation import clock
from leaderboards.core.periods import window_at
from leaderboards.models import Board, Period, PeriodState
from leaderboards.services.periods import by_hand
from leaderboards.services.periods.open import open_period
from tests.competitions.site import open_competition, period_of
from tests.leaderboards.admin.boards.test_period_pages import running
from tests.leaderboards.admin.typed import make_board, page
from tests.leaderboards.factories import AdminFactory
from tests.leaderboards.services.site import redis_away
from tests.staff import chief

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def address(period: Period) -> str:
    return f"/admin/leaderboards/period/{period.pk}/change/"


def said(html: str) -> str:
    return re.sub(r"\s+", " ", strip_tags(html.partition('id="content"')[2].replace("<", " <")))


def at_time(period: Period, moment: datetime | None, later: timedelta = timedelta()) -> str:
    """What the page says then."""
    assert moment is not None
    with clock.freeze_at(moment + later):
        return said(page(chief(name=f"at-{moment + later:%d%H%M%S}"), address(period)))


def test_it_is_called_as_the_public_page_calls_it(admin: Client) -> None:
    period = running(make_board(name="Weekly wins", storage="hybrid", period="week", timezone="Asia/Seoul"))

    html = page(admin, address(period))

    assert re.search(r"<h1>Weekly wins: This week, \d+[^<]*\w{3}\s*</h1>", html)
    way = html.partition('class="breadcrumbs"')[2].partition("</div>")[0]
    assert "Weekly wins: This week" in way
    assert f"{period.board_id}/{period.label}" not in html


def test_it_says_when_who_leads_and_by_which_rules_and_nothing_is_none(admin: Client) -> None:
    period = running(make_board(storage="hybrid", period="week", timezone="Asia/Seoul"))

    html = page(admin, address(period))

    told = said(html)
    assert "Open Ends in" in told
    assert "It takes scores until its end." in told
    assert re.search(r"Starts Mon \d+ \w+ \d{4} 00:00 KST Ends Mon \d+ \w+ \d{4} 00:00 KST", told)
    assert re.search(r"Late scores until Mon \d+ \w+ \d{4} 00:01 KST", told)
    assert "Live: Redis shows what was decided." in told
    assert re.search(r"ann 5 points", told)
    assert "More points are better" in told
    assert "None" not in told
    assert "Content hash" not in told
    assert "Ranks are kept" not in told
    for name in ("Compare with Redis", "Rebuild in Redis", "All standings", "The board", "See the page"):
        assert name in told


def test_each_state_is_a_sentence(admin: Client) -> None:
    board = make_board(storage="sql", period="day", grace_seconds=600)
    period = running(board)
    following = Period.objects.filter(board=board, starts_at__gt=clock.now()).first()

    assert following is not None
    assert "It has not begun: it takes scores from its start on." in said(page(admin, address(following)))
    soon, late = (at_time(period, period.ends_at, timedelta(minutes=each)) for each in (4, 11))
    assert "It is over. Scores from before its end are taken for 6 min 0 s more." in soon
    assert "It is over, and waits to be closed." in late
    assert "Close now" in late

    assert period.ends_at is not None
    with clock.freeze_at(period.ends_at + timedelta(minutes=11)):
        by_hand.close_by_hand(period, "Over.", clock.now(), AdminFactory.create(username="closer"))
    final = Period.objects.get(pk=period.pk)
    told = said(page(admin, address(final)))
    assert re.search(r"Final since \w{3} .* UTC: its ranks change no more.", told)
    assert final.content_hash in told
    assert "Ends in" not in told
    Period.objects.filter(pk=period.pk).update(state=PeriodState.EXPIRED)
    assert "Redis has forgotten it; SQL keeps its ranks." in said(page(admin, address(final)))
    assert "None" not in told


def test_an_endless_period_has_no_times(admin: Client) -> None:
    board = make_board(storage="sql", period="all_time")
    period = Period.objects.get(board=board)

    told = said(page(admin, address(period)))

    assert "It takes scores, and never ends." in told
    assert "Late scores until" not in told
    assert "None" not in told


def test_a_competitions_period_has_its_name(admin: Client) -> None:
    period = period_of(open_competition(name="Spring cup"))

    html = page(admin, address(period))

    assert "Spring cup" in html.partition("<h1>")[2].partition("</h1>")[0]
    assert "None" not in said(html)


def test_without_redis_it_says_so_and_sql_tells_the_rest(admin: Client) -> None:
    period = running(make_board(storage="hybrid"))

    with redis_away():
        told = said(page(admin, address(period)))

    assert "Not live: Redis" in told
    assert re.search(r"ann 5 points", told)


def test_the_list_names_periods_as_people_do(admin: Client) -> None:
    board: Board = make_board(name="Weekly wins", storage="sql", period="week")
    period = running(board)
    open_competition(name="Spring cup")

    html = page(admin, "/admin/leaderboards/period/")

    rows = strip_tags(html.partition('id="result_list"')[2].partition("</table>")[0])
    assert "Spring cup" in rows
    assert period.label not in rows
    assert "None" not in rows


def test_one_that_has_not_begun_leads_to_no_public_page(admin: Client) -> None:
    board = running(make_board(storage="hybrid", period="week")).board
    to_come = open_period(board, window_at(board.calendar, clock.now() + timedelta(days=7)))

    assert "See the page" not in said(page(admin, address(to_come)))
