"""Publishing: what cannot work is refused with the field to blame; what can gets a period with its rules."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from competitions.errors import BadCompetition, CompetitionOver
from competitions.models import Change, Competition
from competitions.services.publish import check, publish
from foundation.webhooks.models import WebhookDelivery, WebhookEndpoint
from leaderboards.models import Board, Period
from leaderboards.services.boards import save_board
from tests.competitions.site import DAY, END, MINUTE, SOON, START, draft, make_board, period_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("settings", "field", "word"),
    [
        ({"ends_at": SOON - MINUTE}, "ends_at", "past"),
        ({"timezone": "Mars/Olympus"}, "timezone", "time zone"),
        ({"joining": "code"}, "join_code", "code"),
        ({"join_until": SOON}, "join_until", "Joining"),
        ({"join_until": END + MINUTE}, "join_until", "until the end"),
        ({"snapshot_minutes": 0}, "snapshot_minutes", "1"),
        ({"attempts": 0}, "attempts", "1"),
        ({"name": ""}, "name", "blank"),
    ],
)
def test_settings_that_cannot_work_are_refused(links: None, settings: dict[str, Any], field: str, word: str) -> None:
    competition = draft(**settings)

    with pytest.raises(BadCompetition, match=word) as refusal:
        publish(competition, SOON, None)

    assert refusal.value.field == field
    assert not Change.objects.exists()


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"starts_at": datetime(1969, 12, 31, tzinfo=UTC)}, "starts_at"),
        ({"ends_at": datetime(9999, 12, 31, 23, 59, tzinfo=UTC)}, "ends_at"),
    ],
)
def test_what_not_every_clock_can_show_is_refused(links: None, settings: dict[str, Any], field: str) -> None:
    competition = draft(**settings)

    with pytest.raises(BadCompetition, match="1970 to 9998") as refusal:
        publish(competition, SOON, None)

    assert refusal.value.field == field


def test_an_end_before_the_start_is_refused(links: None) -> None:
    competition = draft()
    competition.ends_at = START - DAY

    with pytest.raises(BadCompetition) as refusal:
        check(competition, SOON)

    assert refusal.value.field == "ends_at"


@pytest.mark.parametrize(
    ("board", "settings", "field"),
    [
        ({"period": "week"}, {}, "board"),
        ({"retired_at": START}, {}, "board"),
        ({"storage": "redis"}, {"attempts": 3}, "attempts"),
    ],
)
def test_boards_that_no_competition_can_stand_on_are_refused(
    links: None, board: dict[str, Any], settings: dict[str, Any], field: str
) -> None:
    competition = draft(**settings)
    Board.objects.update(**board)

    with pytest.raises(BadCompetition) as refusal:
        publish(competition, SOON, None)

    assert refusal.value.field == field


def test_the_limit_of_48_days_is_computed_and_said(links: None) -> None:
    board = make_board(tie_break="score")
    fits, too_long = timedelta(seconds=2**22 - 1), timedelta(days=49)

    publish(draft(board, ends_at=START + fits), SOON, None)
    with pytest.raises(BadCompetition, match=r"at most 48\.5 days") as refusal:
        publish(draft(board, ends_at=START + too_long), SOON, None)

    assert refusal.value.field == "ends_at"


def test_publishing_twice_is_publishing_once(links: None) -> None:
    endpoint = WebhookEndpoint.objects.create(name="game", url="https://game.example/hooks")
    competition = draft()

    publish(competition, SOON, None)
    again = publish(competition, SOON + MINUTE, None)

    assert again.published_at == SOON
    assert Change.objects.get().kind == "published"
    assert WebhookDelivery.objects.get(endpoint=endpoint).kind == "competition.published"
    assert (period_of(competition).label, period_of(competition).state) == (f"c{competition.pk}", "open")


def test_a_published_competition_keeps_the_rules_that_were_announced(links: None) -> None:
    competition = publish(draft(starts_at=SOON, ends_at=END), START, None)
    board = Board.objects.get()
    board.order = "asc"

    save_board(board, START)

    assert Period.objects.get().rules.order == "desc"
    assert period_of(competition).rules.order == "desc"


def test_a_cancelled_one_is_not_published_again(links: None) -> None:
    competition = draft()
    Competition.objects.update(cancelled_at=START)

    with pytest.raises(CompetitionOver):
        publish(competition, SOON, None)
