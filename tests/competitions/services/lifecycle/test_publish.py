"""Publishing: what cannot work is refused with the field to blame; what can gets a period with its rules."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from competitions.errors import BadCompetition, CompetitionOver
from competitions.models import Change, Competition
from competitions.services.lifecycle.publish import check, publish
from foundation import clock
from leaderboards.models import Board
from leaderboards.services.boards import save_board
from tests.competitions.factories import DAY, END, MINUTE, START
from tests.competitions.services.telling import hooks, listening
from tests.competitions.site import SOON, draft, make_board, period_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.mark.parametrize(
    ("settings", "board", "field", "words"),
    [
        ({"ends_at": SOON - MINUTE}, {}, "ends_at", "past"),
        ({"starts_at": datetime(1969, 12, 31, tzinfo=UTC)}, {}, "starts_at", "1970 to 9998"),
        ({"timezone": "Mars/Olympus"}, {}, "timezone", "time zone"),
        ({"joining": "code"}, {}, "join_code", "code"),
        ({"join_until": SOON}, {}, "join_until", "Joining"),
        ({"join_until": END + MINUTE}, {}, "join_until", "until the end"),
        ({"snapshot_minutes": 0}, {}, "snapshot_minutes", "1"),
        ({"attempts": 0}, {}, "attempts", "1"),
        ({"name": ""}, {}, "name", "blank"),
        ({}, {"period": "week"}, "board", "own calendar"),
        ({}, {"retired_at": START}, "board", "retired"),
        ({"attempts": 3}, {"storage": "redis"}, "attempts", "cannot count"),
        ({"freeze_minutes": 24 * 60 + 1}, {}, "freeze_minutes", "lasts 1440 minutes: take that many"),
    ],
)
def test_settings_and_boards_that_cannot_work_are_refused(
    settings: dict[str, Any], board: dict[str, Any], field: str, words: str
) -> None:
    competition = draft(**settings)
    Board.objects.update(**board)

    with pytest.raises(BadCompetition, match=words) as refusal:
        publish(competition, SOON, None)

    assert refusal.value.field == field
    assert not Change.objects.exists()


@pytest.mark.parametrize(("seconds", "freeze"), [(0, 24 * 60), (30, 24 * 60 + 1)])
def test_a_freeze_of_the_whole_window_to_the_minute_is_taken(seconds: int, freeze: int) -> None:
    competition = publish(draft(ends_at=END + timedelta(seconds=seconds), freeze_minutes=freeze), SOON, None)

    assert competition.timeline.hides_from_the_start
    assert not draft(freeze_minutes=24 * 60 - 1).timeline.hides_from_the_start


def test_an_end_before_the_start_or_beyond_48_days_which_are_computed_and_said_is_refused() -> None:
    board = make_board(tie_break="score")
    backwards, too_long = draft(board), draft(board, ends_at=START + timedelta(days=49))
    backwards.ends_at = START - DAY

    publish(draft(board, ends_at=START + timedelta(seconds=2**22 - 1)), SOON, None)
    for unfit, words in ((backwards, "after it starts"), (too_long, r"at most 48\.5 days")):
        with pytest.raises(BadCompetition, match=words) as refusal:
            check(unfit, SOON)
        assert refusal.value.field == "ends_at"


def test_publishing_twice_is_publishing_once_with_the_rules_that_were_announced() -> None:
    listening()
    competition = draft(starts_at=SOON)

    publish(competition, START, None)
    board = Board.objects.get()
    board.order = "asc"
    with clock.freeze_at(START):
        save_board(board)
    again = publish(competition, START + MINUTE, None)

    assert again.published_at == START
    assert Change.objects.get().kind == "published"
    assert [kind for kind, _ in hooks()] == ["competition.published"]
    period = period_of(competition)
    assert (period.label, period.state, period.rules.order) == (f"c{competition.pk}", "open", "desc")

    Competition.objects.update(cancelled_at=SOON)
    with pytest.raises(CompetitionOver):
        publish(competition, SOON, None)
