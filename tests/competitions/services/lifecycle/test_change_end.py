"""Moving the end: ranks stay, scores count until the new end, all are told; also while others move it, or it comes.

A period lasts as long as its competition, and no longer.
"""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client

from competitions import errors
from competitions.models import Change, Competition
from competitions.selectors.standings.standings import standings
from competitions.services.lifecycle import change_end as changing
from competitions.services.lifecycle import finish as finishing
from competitions.services.lifecycle.change_end import change_end
from competitions.services.lifecycle.finish import finish, finish_due
from competitions.services.lifecycle.freeze import freeze_due
from tests.competitions.factories import DAY, END, HOUR, MINUTE, START
from tests.competitions.services.mishaps import let_happen_before
from tests.competitions.services.telling import notices
from tests.competitions.site import (
    SOON,
    STORAGES,
    joined,
    make_board,
    open_competition,
    period_of,
    race,
    raced,
    ranks,
    reloaded,
    score,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

LATER = END + 9 * DAY
SECOND = timedelta(seconds=1)


def move(competition: Competition, end: datetime, at: datetime = SOON) -> Competition:
    return change_end(reloaded(competition), end, "so many asked", at, None)


def code(competition: Competition, points: int, at: datetime) -> str | None:
    """What becomes of Ann's score."""
    [outcome] = score(competition, {"ann": points}, at)
    return outcome.code


@pytest.mark.parametrize("storage", STORAGES)
def test_a_later_end_moves_no_rank_scores_count_until_then_and_everybody_is_told_once(storage: str) -> None:
    competition = race({"ann": 5, "bob": 9}, make_board(storage))
    raced(competition, {"cleo": 5, "dan": 9}, SOON + MINUTE)
    before = ranks(competition)

    moved = [move(competition, LATER, SOON + MINUTE) for _ in range(2)][-1]

    change = Change.objects.get(kind="extended")
    assert (change.reason, change.details) == ("so many asked", {"from": END.isoformat(), "to": LATER.isoformat()})
    assert sorted(notices()) == [(name, "extended") for name in ("ann", "bob", "cleo", "dan")]
    found = standings(moved, SOON).period
    assert (moved.ends_at, found.label, found.ends_at) == (LATER, f"c{competition.pk}", LATER)
    assert ranks(competition) == before
    assert (code(competition, 9, END + HOUR), code(competition, 99, LATER + MINUTE)) == (None, "period_closed")
    assert (finish_due(END + DAY), finish_due(LATER + MINUTE)) == (0, 1)
    assert ranks(competition, LATER + MINUTE) == [("bob", 1, 9), ("dan", 2, 9), ("ann", 3, 9), ("cleo", 4, 5)]


def test_an_earlier_end_ends_it_and_joining_earlier() -> None:
    competition = race({"ann": 5, "bob": 9}, join_until=END)
    earlier = SOON + HOUR

    moved = move(competition, earlier)

    assert (moved.ends_at, moved.join_until) == (earlier, earlier)
    assert (code(competition, 6, earlier - MINUTE), code(competition, 7, earlier + MINUTE)) == (None, "period_closed")
    assert finish_due(earlier + MINUTE) == 1
    assert ranks(competition, earlier + MINUTE) == [("bob", 1, 9), ("ann", 2, 6)]


@pytest.mark.parametrize("end", [END + 3 * HOUR, END - MINUTE], ids=["later", "earlier"])
def test_once_frozen_it_is_frozen_since_then_wherever_its_end_is_moved(client: Client, end: datetime) -> None:
    freezing = race({"ann": 5, "bob": 9}, freeze_minutes=60)
    freezing_at = END - HOUR
    freeze_due(freezing_at + 5 * SECOND)
    before = standings(reloaded(freezing), freezing_at + MINUTE)

    move(freezing, end, freezing_at + 2 * MINUTE)

    after = standings(reloaded(freezing), freezing_at + 3 * MINUTE)
    assert before.as_of == after.as_of == freezing_at
    assert reloaded(freezing).timeline.frozen_since == freezing_at
    assert client.get(f"/api/v1/competitions/{freezing.pk}").json()["freezes_at"] == f"{freezing_at:%FT%TZ}"


def test_an_end_moved_to_where_the_freeze_has_passed_freezes_at_once_and_since_then() -> None:
    freezing = race({"ann": 5, "bob": 9}, freeze_minutes=60)

    move(freezing, SOON + HOUR / 2)

    assert reloaded(freezing).timeline.frozen_since == SOON
    assert standings(reloaded(freezing), SOON + MINUTE).as_of == SOON


def test_an_end_moved_back_and_forth_stays_where_it_was_left_also_before_the_start() -> None:
    running = open_competition()
    coming = open_competition(running.board, starts_at=END, ends_at=END + DAY)

    for competition, ends, last in (
        (running, (SOON + HOUR, END, LATER, END), END),
        (coming, (END + HOUR, END + 2 * DAY), END + 2 * DAY),
    ):
        joined(competition, "ann")
        for end in ends:
            move(competition, end)
        assert (reloaded(competition).ends_at, code(competition, 3, last - MINUTE)) == (last, None)
        assert finish_due(last + MINUTE) == 1


@pytest.mark.parametrize(
    ("state", "ends_at", "at", "refusal", "words"),
    [
        ({}, SOON - MINUTE, SOON, errors.BadCompetition, "past"),
        ({}, START - HOUR, START - 2 * HOUR, errors.BadCompetition, "after it starts"),
        ({}, datetime(9999, 12, 31, tzinfo=UTC), SOON, errors.BadCompetition, "9998"),
        ({}, START + timedelta(days=50), SOON, errors.BadCompetition, r"at most 48\.5 days"),
        ({}, LATER, END, errors.CompetitionOver, "ended"),
        ({"cancelled_at": SOON}, LATER, SOON, errors.CompetitionOver, "cancelled"),
        ({"published_at": None}, LATER, SOON, errors.NotOpenYet, "draft"),
    ],
)
def test_an_end_in_the_past_or_beyond_clocks_and_scores_and_that_of_what_does_not_run_are_refused(
    state: dict[str, Any], ends_at: datetime, at: datetime, refusal: type[Exception], words: str
) -> None:
    competition = race({"ann": 5}, make_board(tie_break="score"))
    Competition.objects.update(**state)

    with pytest.raises(refusal, match=words):
        move(competition, ends_at, at)

    assert reloaded(competition).ends_at == END
    assert not Change.objects.filter(kind="extended").exists()


def test_a_crash_before_anybody_is_told_leaves_the_old_end_and_asking_again_moves_it() -> None:
    left = open_competition()
    again = open_competition(left.board)
    for competition in (left, again):
        raced(competition, {"ann": 5, "bob": 9})
        with patch.object(changing, "_save_end", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
            move(competition, LATER)

    move(again, LATER)

    assert (code(left, 6, END + MINUTE), code(again, 6, END + MINUTE)) == ("period_closed", None)
    assert finish_due(END + MINUTE) == 1
    assert reloaded(left).phase(END + MINUTE) == "final"
    assert ranks(left, END + MINUTE) == [("bob", 1, 9), ("ann", 2, 5)]
    assert Change.objects.filter(kind="extended").count() == 1


@pytest.mark.parametrize("step", ["move_end", "_save_end"])
@pytest.mark.parametrize(("first", "second"), [(HOUR, 2 * HOUR), (2 * HOUR, HOUR)])
def test_two_who_move_it_at_once_leave_a_period_that_lasts(
    monkeypatch: pytest.MonkeyPatch, step: str, first: timedelta, second: timedelta
) -> None:
    competition = race({"ann": 5})
    let_happen_before(monkeypatch, changing, step, partial(move, competition, END + second))

    move(competition, END + first)

    assert reloaded(competition).ends_at == END + first
    assert period_of(competition).ends_at == END + 2 * HOUR


def test_who_read_the_period_before_another_moved_it_never_moves_it_back(monkeypatch: pytest.MonkeyPatch) -> None:
    competition = race({"ann": 5})
    let_happen_before(monkeypatch, changing, "move_end", partial(move, competition, END + 2 * HOUR))
    monkeypatch.setattr(changing, "_save_end", lambda *_: competition)  # whoever reads first gets no further

    move(competition, END + HOUR)

    assert period_of(competition).ends_at == END + 2 * HOUR


def test_an_end_that_came_while_scores_were_packed_anew_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    competition = race({"ann": 5})
    let_happen_before(monkeypatch, changing, "_save_end", partial(finish_due, END + HOUR))

    with pytest.raises(errors.CompetitionOver):
        move(competition, END + DAY, END - MINUTE)

    assert (reloaded(competition).ends_at, reloaded(competition).phase(END + HOUR)) == (END, "final")


@pytest.mark.parametrize("step", ["freeze_if_due", "_stop_scores"])
def test_an_end_that_is_moved_in_time_is_not_finished_by_who_looked_before(
    monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    competition = race({"ann": 5})
    let_happen_before(monkeypatch, finishing, step, partial(move, competition, END + DAY, END - MINUTE))

    assert not finish(reloaded(competition), END + HOUR)

    assert (reloaded(competition).phase(END + HOUR), period_of(competition).state) == ("running", "open")
