"""The first page is the viewer's own: places with movement, who has passed them, and what ends next."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from foundation import clock
from foundation.sunwi_settings import sunwi_settings
from leaderboards.models import Restriction
from leaderboards.selectors.history.lately import clear_lately_cache
from leaderboards.services.periods.rank_history import record_due_rank_history
from tests.leaderboards.factories import PlayerFactory
from tests.leaderboards.views.pages import signed_in, text
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _every_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sunwi_settings, "RANK_SNAPSHOT_MINUTES", 1)


@pytest.fixture
def robin(client: Client) -> Client:
    return signed_in(client, "robin's", "robin")


def look() -> None:
    assert record_due_rank_history(clock.now() - timedelta(minutes=1))


def own_part(client: Client) -> str:
    """What stands between the title of the page and all boards."""
    return text(client.get("/")).partition("All boards")[0]


@pytest.mark.parametrize(
    ("now", "move", "passed"),
    [
        ({"aiko": 60, "mina": 70}, "Down 2 since", "aiko and 1 more passed you"),
        ({"mina": 70}, "Down 1 since", "mina passed you"),
        ({"robin": 99}, "Up 1 since", None),
        ({"ahead": 99}, "Unmoved since", None),
        ({"newcomer": 80}, "Down 1 since", "newcomer passed you"),
    ],
)
def test_places_have_movement_and_who_passed_is_named(
    robin: Client, now: dict[str, int], move: str, passed: str | None
) -> None:
    board = make_board(period="all_time", update="latest", name="Wins")
    score(board, {"ahead": 90, "robin": 50, "aiko": 40, "mina": 40})
    look()
    score(board, now)

    page = own_part(robin)

    assert move in page
    assert ("passed you" in page) is (passed is not None)
    assert (passed or move) in page.replace("\N{FIRST STRONG ISOLATE}", "").replace("\N{POP DIRECTIONAL ISOLATE}", "")


def test_before_the_first_look_nothing_is_said_of_movement(robin: Client) -> None:
    score(make_board(period="all_time", name="Wins"), {"ahead": 90, "robin": 50})

    page = own_part(robin)

    assert "Your places Wins Rank 2 40 points behind ahead" in page
    assert "since" not in page


def test_what_ends_next_is_what_the_viewer_plays_on_the_first_to_end_first(robin: Client) -> None:
    begun_today = f"{clock.now():%A}".lower()  # so the week ends on another day than the day does
    for period in ("week", "day", "all_time"):
        score(make_board(period=period, name=f"By {period}", week_start=begun_today), {"robin": 50})
    score(make_board(period="day", name="Of others"), {"mina": 50})

    page = own_part(robin).partition("Next for you")[2]

    assert page.index("By day") < page.index("By week")
    assert "all_time" not in page
    assert "Of others" not in page
    assert "Next for you" not in text(Client().get("/"))


def test_a_shadowed_viewer_is_told_of_the_ranks_that_they_see(robin: Client) -> None:
    board = make_board(period="all_time", update="latest")
    score(board, {"ahead": 90, "robin": 50, "mina": 40})
    Restriction.objects.create(
        player=PlayerFactory.create(external_id="robin"), board_id=board, kind="shadowed", since=clock.now()
    )
    look()
    score(board, {"mina": 60})

    page = own_part(robin)

    assert "Down 1 since" in page
    assert "passed you" in page


@pytest.mark.usefixtures("still")
def test_it_costs_two_statements_a_minute_however_many_boards_there_are(robin: Client) -> None:
    for number in range(6):
        score(make_board(period="week", name=f"Board {number}"), {"ahead": 90, "robin": 50, "mina": 40})
    look()
    robin.get("/")

    warm = count_statements(robin)
    clear_lately_cache()
    cold = count_statements(robin)

    assert cold == warm + 2


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that is remembered grows old."""
    at = clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: at)


def count_statements(client: Client) -> int:
    with CaptureQueriesContext(connection) as captured:
        client.get("/")
    return len(captured)
