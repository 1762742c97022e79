"""The freeze: the copy is what stood when it came, whoever makes it, and stays until the result is revealed."""

from datetime import datetime
from functools import partial

import pytest

from competitions import errors
from competitions.models import Change, Competition, Participant
from competitions.selectors.standings.standings import OwnPoints, own_points, standings
from competitions.services.lifecycle import freeze
from competitions.services.lifecycle.change_end import change_end
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.freeze import freeze_due, freeze_if_due, reveal
from competitions.services.lifecycle.snapshots import take_due_snapshots
from leaderboards import selectors
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Period
from leaderboards.services import events
from leaderboards.services.periods.close import close_due
from leaderboards.services.submit.pipeline import submit
from tests.at_once import at_once
from tests.competitions.factories import DAY, END, HOUR, MINUTE
from tests.competitions.services.mishaps import dying_at, let_happen_before, redis_away
from tests.competitions.site import (
    SOON,
    STORAGES,
    make_board,
    open_competition,
    points_of,
    race,
    raced,
    ranks,
    reloaded,
    score,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

FREEZE = END - HOUR
BEFORE = [("ann", 1, 9), ("bob", 2, 5)]
AFTER = [("bob", 1, 99), ("ann", 2, 9)]


def freezing(storage: str = "hybrid") -> Competition:
    return race({"ann": 9, "bob": 5}, make_board(storage), freeze_minutes=60)


@pytest.mark.parametrize("storage", STORAGES)
def test_a_score_after_the_freeze_is_seen_by_its_player_and_the_admins_alone(storage: str) -> None:
    competition = freezing(storage)

    [outcome] = score(competition, {"bob": 99}, FREEZE)

    assert (outcome.status, outcome.points, outcome.rank) == ("updated", 99, None)
    assert ranks(competition, FREEZE) == BEFORE
    assert ranks(competition, FREEZE, full=True) == AFTER
    assert own_points(reloaded(competition), "bob", FREEZE) == OwnPoints(99, None)


@pytest.mark.parametrize("storage", STORAGES)
def test_who_looks_rehearses_or_is_refused_freezes_nothing_and_who_scores_next_freezes_first(storage: str) -> None:
    competition = freezing(storage)
    entry = {"competition": competition.pk, "player": "bob", "points": 99}

    [event] = events.source().find_events([competition.pk], FREEZE).values()
    [rehearsed] = submit([read_entry(entry, 0)], Caller("tests"), FREEZE, dry_run=True)
    [stranger] = score(competition, {"eve": 1}, FREEZE)
    looked = (reloaded(competition).frozen_at, Period.objects.filter(label=competition.frozen_label).count())
    score(competition, {"bob": 99}, FREEZE)

    assert looked == (None, 0)
    assert isinstance(event, events.Event)
    assert (event.freeze_due, rehearsed.status, stranger.code) == (True, "updated", "not_joined")
    assert reloaded(competition).frozen_at == FREEZE
    assert ranks(competition, FREEZE) == BEFORE


def test_the_schedule_freezes_once_and_the_last_score_before_is_in_the_copy() -> None:
    competition = freezing()
    score(competition, {"bob": 7}, FREEZE - MINUTE)

    found = [freeze_due(at) for at in (FREEZE - MINUTE, FREEZE, FREEZE + MINUTE)]
    score(competition, {"bob": 99}, FREEZE + MINUTE)
    freeze_due(FREEZE + 2 * MINUTE)

    assert found == [0, 1, 0]
    assert take_due_snapshots(FREEZE + 31 * MINUTE) == 2  # the copy is kept, and snapshots go on behind the curtain
    assert reloaded(competition).frozen_at == FREEZE
    assert ranks(competition, END) == [("ann", 1, 9), ("bob", 2, 7)]


def test_frozen_by_many_at_once_it_is_frozen_once() -> None:
    competition = freezing()
    scores = [{("ann", "bob")[number % 2]: 100 + number} for number in range(4)]

    at_once([partial(score, competition, points, FREEZE + MINUTE) for points in scores])

    assert ranks(competition, FREEZE + MINUTE) == BEFORE
    assert points_of(competition) == {"ann": 102, "bob": 103}


def test_the_result_stays_hidden_until_it_is_revealed_once_and_not_before_it_is_closed() -> None:
    competition = freezing()
    score(competition, {"bob": 99}, FREEZE)
    for unfit, reason in ((competition, "closed"), (open_competition(competition.board), "frozen")):
        with pytest.raises(errors.NotRevealable, match=reason):
            reveal(unfit, END, None)
    finish_due(END + MINUTE)
    hidden = standings(reloaded(competition), END + MINUTE)

    reveal(competition, END + HOUR, None)
    reveal(competition, END + DAY, None)

    assert (hidden.period.state, [row.player for row in hidden.rows]) == ("closing", ["ann", "bob"])
    assert ranks(competition, END + HOUR) == AFTER
    assert standings(reloaded(competition), END + HOUR).period.state == "final"
    assert Change.objects.filter(kind="revealed").count() == 1
    assert reloaded(competition).revealed_at == END + HOUR


@pytest.mark.parametrize("storage", STORAGES)
def test_who_was_gone_before_the_freeze_is_not_in_the_copy_though_nobody_had_taken_them_out(storage: str) -> None:
    competition = freezing(storage)
    raced(competition, {"cleo": 7})
    for name, mark in (("ann", "left_at"), ("cleo", "disqualified_at")):
        Participant.objects.filter(player__external_id=name).update(**{mark: FREEZE - MINUTE})

    score(competition, {"bob": 6}, FREEZE + MINUTE)

    assert ranks(competition, FREEZE + MINUTE) == [("bob", 1, 5)]


@pytest.mark.parametrize(
    ("noticed_at", "moved_at", "phase", "shown"),
    [
        (FREEZE, FREEZE + MINUTE, "frozen", BEFORE),
        (None, FREEZE + MINUTE, "frozen", BEFORE),
        (None, SOON, "running", AFTER),  # it freezes later then
    ],
)
def test_a_freeze_outlasts_a_moved_end_also_if_nobody_had_noticed_it(
    noticed_at: datetime | None, moved_at: datetime, phase: str, shown: list[tuple[str, int, int]]
) -> None:
    competition = freezing()
    if noticed_at:
        freeze_due(noticed_at)

    change_end(reloaded(competition), END + DAY, "so many asked", moved_at, None)
    score(competition, {"bob": 99}, FREEZE + 2 * MINUTE)

    assert ranks(competition, FREEZE + 2 * MINUTE) == shown
    assert reloaded(competition).phase(FREEZE + 2 * MINUTE) == phase


def test_while_redis_is_away_a_redis_board_neither_freezes_nor_takes_a_score() -> None:
    competition = freezing("redis")
    with redis_away():
        [refused] = score(competition, {"bob": 99}, FREEZE)
        assert freeze_due(FREEZE) == 0

    [taken] = score(competition, {"bob": 99}, FREEZE + MINUTE)

    assert (refused.code, taken.code) == ("unavailable", None)
    assert ranks(competition, FREEZE + MINUTE) == BEFORE


def test_whatever_comes_between_reading_live_and_answering_is_not_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    competition = freezing()
    let_happen_before(monkeypatch, selectors, "standings", partial(score, competition, {"bob": 99}, FREEZE + MINUTE))

    found = standings(competition, FREEZE - MINUTE)

    assert ([row.points for row in found.rows], found.period.state) == ([9, 5], "open")


@pytest.mark.parametrize("storage", STORAGES)
def test_what_was_closed_while_nobody_froze_it_is_frozen_as_it_ended(storage: str) -> None:
    competition = freezing(storage)
    close_due(END + MINUTE)

    finish_due(END + DAY)

    assert reloaded(competition).phase(END + DAY) == "frozen"
    assert ranks(competition, END + DAY) == ranks(competition, END + DAY, full=True) == BEFORE


def test_an_end_that_was_moved_since_the_row_was_read_is_not_frozen_by_the_old_one() -> None:
    competition = freezing()
    stale = reloaded(competition)
    change_end(reloaded(competition), END + 5 * HOUR, "rain", FREEZE - MINUTE, None)

    frozen = freeze_if_due(stale, FREEZE + MINUTE)

    assert (frozen, stale.frozen_at, reloaded(competition).frozen_at) == (False, None, None)
    assert not Period.objects.filter(label=competition.frozen_label).exists()


@pytest.mark.parametrize("storage", STORAGES)
def test_an_end_that_is_moved_while_the_copy_is_being_made_ready_is_not_frozen_by_the_old_one(
    monkeypatch: pytest.MonkeyPatch, storage: str
) -> None:
    competition = freezing(storage)

    def move_the_end() -> None:
        change_end(reloaded(competition), END + 5 * HOUR, "rain", FREEZE - MINUTE, None)

    let_happen_before(monkeypatch, freeze, "mirror_before_copy", move_the_end)
    found = freeze_due(FREEZE + MINUTE)
    score(competition, {"bob": 99}, FREEZE + MINUTE)
    seen = ranks(competition, FREEZE + MINUTE)
    freeze_due(END + 4 * HOUR)

    assert (found, seen) == (0, AFTER)
    assert (reloaded(competition).frozen_at, ranks(competition, END + 4 * HOUR)) == (END + 4 * HOUR, AFTER)


def test_the_copy_and_its_mark_are_there_together_or_not_at_all() -> None:
    competition = freezing()

    with dying_at(freeze, "freeze.marked"):
        freeze_if_due(competition, FREEZE + MINUTE)

    assert reloaded(competition).frozen_at is None
    assert not Period.objects.filter(label=competition.frozen_label).exists()
