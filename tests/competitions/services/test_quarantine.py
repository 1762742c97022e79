"""Quarantined entries of a competition: accepted while it runs, and by its jury while its result is provisional."""

from typing import Any

import pytest

from competitions.errors import CompetitionOver, NotOfTheJury
from competitions.models import Change, Competition
from competitions.services.lifecycle.confirm import confirm
from competitions.services.lifecycle.finish import finish_due
from foundation.errors import SunwiError
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.errors import Banned
from leaderboards.models import Board, QuarantinedEntry
from leaderboards.services.moderation import review_quarantine
from leaderboards.services.moderation.review_quarantine import accept, void
from leaderboards.services.submit.pipeline import submit
from tests.competitions.factories import END, MINUTE
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.results.test_judge import CLOSED, JUDGED, is_whole
from tests.competitions.site import SOON, STORAGES, make_board, points_of, race, ranks, reloaded
from tests.leaderboards.factories import UserFactory
from tests.leaderboards.services.restricting import keep_out

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

WHY = "Seen on video."


def send(competition: Competition, player: str, points: int, **more: Any) -> Outcome:
    raw = {"competition": competition.pk, "player": player, "points": points, **more}
    return submit([read_entry(raw, 0)], Caller("game"), SOON)[0]


def waiting(storage: str) -> tuple[Competition, int]:
    """Bob has 5 and ann 4; ann's 300 waits, since nobody makes more than 100."""
    competition = race({"ann": 4, "bob": 5}, make_board(storage), review_hours=24)
    Board.objects.filter(pk=competition.board_id).update(plausible_most=100)
    assert send(competition, "ann", 300, id="m1").status.value == "quarantined"
    return competition, QuarantinedEntry.objects.get().pk


@pytest.mark.parametrize("storage", STORAGES)
def test_while_it_runs_it_counts_through_the_door_of_all(storage: str) -> None:
    competition, number = waiting(storage)

    accept(number, WHY, SOON, None)

    assert points_of(competition) == {"ann": 300, "bob": 5}


@pytest.mark.parametrize("storage", STORAGES)
def test_while_the_result_is_provisional_its_jury_takes_it_once_as_a_late_score(storage: str) -> None:
    competition, number = waiting(storage)
    points_of(competition)
    finish_due(CLOSED)
    with dying_at(review_quarantine, "quarantine.after_applied"):
        accept(number, WHY, JUDGED, None)

    accept(number, WHY, JUDGED, None)

    assert ranks(reloaded(competition), JUDGED) == [("ann", 1, 300), ("bob", 2, 5)]
    assert is_whole(competition)
    assert Change.objects.get(kind="accepted").reason == WHY


def test_what_counted_before_the_closing_and_was_not_noted_is_not_taken_as_a_late_score_too() -> None:
    competition, number = waiting("redis")
    with dying_at(review_quarantine, "quarantine.after_applied"):
        accept(number, WHY, END - MINUTE, None)
    points_of(competition)
    finish_due(CLOSED)

    assert accept(number, WHY, CLOSED, None)

    assert not Change.objects.filter(kind="accepted").exists()
    assert ranks(reloaded(competition), JUDGED) == [("ann", 1, 300), ("bob", 2, 5)]


@pytest.mark.parametrize(("is_final", "refusal"), [(False, NotOfTheJury), (True, CompetitionOver)])
def test_who_is_not_of_the_jury_or_too_late_is_refused_and_it_waits(is_final: bool, refusal: type[SunwiError]) -> None:
    competition, number = waiting("hybrid")
    points_of(competition)
    finish_due(CLOSED)
    if is_final:
        confirm(reloaded(competition), JUDGED, None)

    with pytest.raises(refusal):
        accept(number, WHY, JUDGED, None if is_final else UserFactory.create(username="moderator"))

    assert QuarantinedEntry.objects.get().decision == ""
    assert void(number, "Too late.", JUDGED, None)


def test_of_who_is_banned_from_the_board_nobody_takes_it_once_the_competition_is_closed() -> None:
    competition, number = waiting("sql")
    points_of(competition)
    finish_due(CLOSED)
    keep_out("banned", competition.board, "ann")

    with pytest.raises(Banned, match="lift the ban first"):
        accept(number, WHY, JUDGED, None)

    assert not Change.objects.filter(kind="accepted").exists()


@pytest.mark.parametrize("storage", STORAGES)
def test_a_late_score_keeps_its_operator(storage: str) -> None:
    board = make_board(storage, operators=["increment"])
    competition = race({"ann": 4, "bob": 5}, board, review_hours=24)
    Board.objects.filter(pk=board.pk).update(plausible_most=100)
    send(competition, "ann", 300, operator="increment")
    points_of(competition)
    finish_due(CLOSED)

    accept(QuarantinedEntry.objects.get().pk, WHY, JUDGED, None)

    assert ranks(reloaded(competition), JUDGED) == [("ann", 1, 304), ("bob", 2, 5)]
    assert is_whole(competition)
