"""What comes within eight days, a column for each day."""

from datetime import UTC, datetime, timedelta

import pytest

from config.console.coming import coming
from tests.competitions.site import draft, make_board, open_competition
from tests.leaderboards.factories import BoardFactory

pytestmark = pytest.mark.django_db

AT = datetime(2026, 11, 24, 16, 20, tzinfo=UTC)


def moments(at: datetime = AT, **who: bool) -> list[tuple[str, str, str]]:
    found = coming(at, **{"competitions": True, "boards": True, **who})
    return [
        (f"{moment.at:%d %H:%M}", moment.verb, moment.name or ",".join(mark.board.name for mark in moment.marks))
        for day in found.days
        for moment in day.moments
    ]


def test_starts_freezes_and_ends_stand_in_their_days_in_order() -> None:
    open_competition(
        name="Raid week",
        starts_at=AT + timedelta(days=2),
        ends_at=AT + timedelta(days=4),
        freeze_minutes=60,
        join_until=AT + timedelta(days=3),
    )
    draft(name="Far away", starts_at=AT + timedelta(days=20), ends_at=AT + timedelta(days=21))

    assert moments() == [
        ("26 16:20", "starts", "Raid week"),
        ("27 16:20", "joining closes", "Raid week"),
        ("28 15:20", "freezes", "Raid week"),
        ("28 16:20", "ends", "Raid week"),
    ]


def test_periods_that_end_together_stand_together() -> None:
    for name, period in (("Daily", "day"), ("Weekly", "week"), ("Ever", "all_time")):
        BoardFactory.create(name=name, period=period)

    found = moments()

    assert len(found) == 7
    assert found[0] == ("25 00:00", "periods end:", "Daily")
    assert ("30 00:00", "periods end:", "Daily,Weekly") in found


def test_a_course_goes_from_day_to_day_and_drafts_are_marked() -> None:
    board = make_board()
    draft(board, name="Draft", starts_at=AT + timedelta(days=1), ends_at=AT + timedelta(days=30))
    open_competition(board, name="Runs", starts_at=AT - timedelta(days=1), ends_at=AT + timedelta(days=1))

    courses = {each.competition.name: each for each in coming(AT, competitions=True, boards=True).courses}

    draft_, runs = courses["Draft"], courses["Runs"]
    assert (draft_.first, draft_.last, draft_.begun, draft_.goes_on, draft_.is_draft) == (2, 8, False, True, True)
    assert (runs.first, runs.last, runs.begun, runs.goes_on, runs.is_draft) == (1, 2, True, False, False)


def test_each_is_for_who_may_look_at_it() -> None:
    open_competition(name="Cup", starts_at=AT + timedelta(days=2), ends_at=AT + timedelta(days=4))
    BoardFactory.create(name="Daily", period="day")

    assert {name for *_, name in moments(boards=False)} == {"Cup"}
    assert {name for *_, name in moments(competitions=False)} == {"Daily"}
    assert coming(AT, competitions=False, boards=False).is_empty


def test_windows_of_a_schedule_end_where_they_do_and_nothing_ends_between_them() -> None:
    schedule = {"period": "schedule", "schedule": "0 18 * * 5", "open_minutes": 3120, "timezone": "Asia/Seoul"}
    BoardFactory.create(name="Cup", at=AT, **schedule)

    assert moments() == [("29 13:00", "periods end:", "Cup")]
