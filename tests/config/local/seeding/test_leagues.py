"""The demo's league: what a first start makes of it, and that a later one leaves it alone."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from competitions.models import League, LeagueMember, LeagueSeason
from competitions.services.leagues.seasons import begin_due, place_due
from config.local.competition_players import RACERS
from config.local.seeding import leagues as demo
from config.local.seeding.seed import make_boards
from foundation import clock
from leaderboards.models import Board
from tests.playing import score

pytestmark = pytest.mark.django_db

AT = datetime(2026, 11, 18, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _first_start() -> Iterator[None]:
    with clock.freeze_at(AT):
        make_boards()
        demo.make_league(AT)
        yield


def test_a_first_start_makes_two_turned_weeks_and_a_later_one_leaves_the_league_alone() -> None:
    assert LeagueSeason.objects.exclude(turned_at=None).count() == demo.WEEKS
    assert LeagueMember.objects.count() == demo.WEEKS * RACERS
    assert set(LeagueMember.objects.values_list("outcome", flat=True)) == {"promoted", "stayed", "demoted"}
    robin = LeagueMember.objects.filter(player__external_id="robin").order_by("pk")
    assert [each.outcome for each in robin] == ["promoted", "promoted"]

    League.objects.update(enabled=False)
    demo.make_league(AT + timedelta(days=30))

    assert LeagueSeason.objects.count() == demo.WEEKS
    assert not League.objects.get().enabled


def test_the_running_week_goes_on_where_the_past_ended() -> None:
    score(Board.objects.get(name=demo.BOARD).seq, {"robin": 5})

    assert begin_due(AT) == 1
    assert place_due(AT) == 1
    robin = LeagueMember.objects.filter(player__external_id="robin").order_by("pk").last()
    assert robin is not None
    assert str(robin.group) == "Gold 1"
