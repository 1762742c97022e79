"""A board's page for a signed-in player is under 30 KB of HTML before it is packed, with all that is theirs on it."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from competitions.services.leagues.seasons import begin_due, place_due
from leaderboards.models import Board, Period, Player
from leaderboards.services.periods.rank_history import record_rank_history
from leaderboards.views.board_pages import shared_page
from leaderboards.views.http import micro_cache
from tests.competitions.factories import LeagueFactory
from tests.competitions.views.conftest import SetClock
from tests.leaderboards.views.http.test_micro_cache import HTML_LIMIT
from tests.leaderboards.views.pages import close_all_past, signed_in
from tests.playing import make_board, name, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

SUNDAY = datetime(2026, 11, 29, 18, 30, tzinfo=UTC)
PLAYERS, WEEK, DAY = [f"p{number:03d}" for number in range(60)], timedelta(weeks=1), timedelta(days=1)
COUNTRIES = ("KR", "US", "SE", "BR", "NL", "ZA", "DE", "JP", "PL", "IN", "TR", "MX", "FR", "IT", "ES", "NG", "CZ", "GB")
NAMES = ("Maja", "Nia", "Liam", "지우", "Omar", "José", "Dae-jung", "서연", "Bjørn", "Haruto", "Chloé", "Mia Rossi")


def points(step: int) -> dict[str, object]:
    """What each gains in one step: nearly the same, so that ranks move by some places as they do in a close week."""
    return {player: 90_000 - nth * 40 + (nth * 37 + step * 53) % 997 for nth, player in enumerate(PLAYERS)}


@pytest.fixture
def board(set_clock: SetClock) -> int:
    """A week in which sixty have gained points each day, with a race, a league, and six weeks before it."""
    set_clock(SUNDAY)
    board = make_board(name="Weekly wins", update="increment", period="week")
    for weeks in range(6, 0, -1):
        score(board, points(weeks), at=SUNDAY - weeks * WEEK)
    close_all_past(board)
    LeagueFactory.create(board=Board.objects.get(seq=board), group_size=8, promoted=3, demoted=2)
    midnight = SUNDAY.replace(hour=0, minute=0)
    for day in range(6, -1, -1):
        for at in (midnight - day * DAY, midnight - day * DAY + timedelta(hours=12)):
            set_clock(at + timedelta(minutes=1))
            score(board, points(at.hour + day))
            assert record_rank_history(Period.objects.get(board=board, starts_at__lte=at, ends_at__gt=at), at, at)
    set_clock(SUNDAY)
    begin_due(SUNDAY)
    place_due(SUNDAY)
    for nth, player in enumerate(PLAYERS):
        name(player, NAMES[nth % len(NAMES)])
        Player.objects.filter(external_id=player).update(country=COUNTRIES[nth % len(COUNTRIES)])
    return board


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_page_of_a_player_with_a_league_and_a_past_is_thirty_kilobytes(board: int, language: str) -> None:
    for nth, player in enumerate(("p003", "p047")):
        own = signed_in(Client(), f"user-{nth}", player)
        shared_page.forget()
        micro_cache.forget()
        page = own.get(f"/boards/{board}/", headers={"Accept-Language": language}).content

        assert page.count(b"<td id=r") == 50
        for part in (b"league-table", b'class="race-svg"', b'data-twin="past"', b'data-twin="way"', b"board-filters"):
            assert part in page, part
        assert len(page) < HTML_LIMIT, (player, len(page))
