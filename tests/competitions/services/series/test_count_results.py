"""Series: every final and shown result is counted once, follows its revisions, and the totals stand on the board."""

from datetime import datetime

import pytest

from competitions.models import Competition, Participant, Series, SeriesResult
from competitions.selectors.series.series import published_places
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.freeze import reveal
from competitions.services.results.revisions import publish_revision
from competitions.services.series.count_results import count_due_series
from competitions.services.series.settings import count_again
from leaderboards import selectors
from leaderboards.models import Player, Standing
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.boards import retire
from leaderboards.services.players.erase import erase_player
from tests.competitions.factories import END, HOUR, MINUTE, SeriesFactory
from tests.competitions.site import make_board, open_competition, race, reloaded

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

OVER = END + HOUR


def final(points: dict[str, int], at: datetime = OVER, **settings: object) -> Competition:
    """A competition that these players have finished, best first by points, with its first revision."""
    competition = race(points, make_board(ties="shared"), review_hours=0, **settings)
    finish_due(at)
    return revised(competition, at)


def revised(competition: Competition, at: datetime = OVER) -> Competition:
    clear_hidden_cache()
    present = reloaded(competition)
    publish_revision(present, at)
    return present


def disqualified(competition: Competition, player: str, out: bool = True) -> Competition:
    rows = Participant.objects.filter(competition=competition, player__external_id=player)
    assert rows.update(disqualified_at=OVER if out else None) == 1
    return revised(competition)


def totals(series: Series) -> dict[str, object]:
    """What the board shows, and nothing may be left to do."""
    clear_hidden_cache()
    return {row.player: row.points for row in selectors.standings(series.board, limit=100).rows}


def results(competition: Competition) -> list[tuple[object, ...]]:
    rows = SeriesResult.objects.filter(competition=competition).order_by("place", "player__external_id")
    return list(rows.values_list("player__external_id", "place", "points", "counted", "revision"))


def test_places_of_final_results_earn_points_and_the_totals_stand_on_the_board() -> None:
    first, second = final({"ann": 9, "bob": 7, "cleo": 5, "dan": 3}), final({"bob": 9, "cleo": 7})
    running = open_competition()
    series = SeriesFactory.create(competitions=[first, second, running], taking_part=1)

    assert count_due_series(OVER) == 4

    assert totals(series) == {"bob": 18, "cleo": 11, "ann": 11, "dan": 1}
    assert [row.rank for row in selectors.standings(series.board).rows] == [1, 2, 2, 4]
    assert results(first) == [
        ("ann", 1, 11, True, 1), ("bob", 2, 7, True, 1), ("cleo", 3, 4, True, 1), ("dan", 4, 1, True, 1),
    ]  # fmt: skip  # as a table
    assert results(running) == []


def test_equal_places_share_the_points_of_the_better_place() -> None:
    series = SeriesFactory.create(competitions=[final({"ann": 9, "bob": 9, "cleo": 5})])

    count_due_series(OVER)

    assert totals(series) == {"ann": 10, "bob": 10, "cleo": 3}


def test_the_worst_results_are_dropped_and_of_equal_ones_the_later() -> None:
    first, second, third = final({"ann": 9, "bob": 5}), final({"bob": 9, "ann": 5}), final({"ann": 9, "bob": 5})
    series = SeriesFactory.create(competitions=[first, second, third], best=2)

    count_due_series(OVER)

    assert totals(series) == {"ann": 20, "bob": 16}
    counted = {(player, counts) for one in (first, third) for player, _, _, counts, _ in results(one)}
    assert counted == {("ann", True), ("bob", True), ("bob", False)}
    assert [row[3] for row in results(first)] == [True, True]


def test_a_disqualification_lets_the_others_move_up_and_takes_him_off_the_board_until_he_is_reinstated() -> None:
    competition = final({"ann": 9, "bob": 7, "cleo": 5})
    series = SeriesFactory.create(competitions=[competition])
    count_due_series(OVER)

    disqualified(competition, "ann")
    count_due_series(OVER + MINUTE)
    assert totals(series) == {"bob": 10, "cleo": 6}
    assert {row[4] for row in results(competition)} == {2}
    disqualified(competition, "ann", out=False)
    count_due_series(OVER + 2 * MINUTE)

    assert totals(series) == {"ann": 10, "bob": 6, "cleo": 3}
    assert not Standing.objects.filter(player__external_id="ann", period__board=series.board, score=None).exists()


def test_whoever_is_remembered_as_shown_is_asked_afresh_when_a_revision_is_counted() -> None:
    competition = final({"ann": 9, "bob": 7})
    series = SeriesFactory.create(competitions=[competition])
    list(published_places(competition))  # remembers that nobody is left out
    Participant.objects.filter(competition=competition, player__external_id="ann").update(disqualified_at=OVER)
    publish_revision(competition, OVER)

    count_due_series(OVER)

    assert totals(series) == {"bob": 10}


def test_nothing_is_counted_before_the_result_is_final_nor_while_a_freeze_hides_it_nor_of_a_cancelled_one() -> None:
    hidden = race({"ann": 9, "bob": 7}, freeze_minutes=60, review_hours=0)
    cancelled, closed = race({"cleo": 9}), race({"dan": 9})
    series = SeriesFactory.create(competitions=[hidden, cancelled, closed])
    finish_due(OVER)
    Competition.objects.filter(pk=cancelled.pk).update(cancelled_at=END)
    Competition.objects.filter(pk=closed.pk).update(final_at=None, closed_at=OVER)
    Competition.objects.filter(pk=hidden.pk).update(final_at=OVER)
    assert Competition.objects.exclude(frozen_at=None).get() == hidden

    assert count_due_series(OVER) == 0
    assert (totals(series), SeriesResult.objects.count()) == ({}, 0)
    reveal(reloaded(hidden), OVER, None)

    assert count_due_series(OVER) == 2
    assert totals(series) == {"ann": 10, "bob": 6}


def test_a_total_that_falls_is_kept_also_by_a_worker_whose_clock_is_behind() -> None:
    competition = final({"ann": 9, "bob": 7})
    series = SeriesFactory.create(competitions=[competition])
    count_due_series(OVER + 2 * HOUR)
    disqualified(competition, "ann")
    count_due_series(OVER + HOUR)
    disqualified(competition, "ann", out=False)

    count_due_series(OVER)

    assert totals(series) == {"ann": 10, "bob": 6}


def test_the_total_of_a_banned_player_waits_and_follows_when_he_is_let_in_again() -> None:
    first, second = final({"ann": 9, "bob": 7}), final({"bob": 9, "ann": 7})
    series = SeriesFactory.create(competitions=[first, second])
    count_due_series(OVER)
    Player.objects.filter(external_id="ann").update(banned_at=OVER)
    revised(first)

    assert count_due_series(OVER + MINUTE) == 1  # bob moves up in the first
    assert totals(series) == {"bob": 20}
    Player.objects.filter(external_id="ann").update(banned_at=None)
    revised(first)

    count_due_series(OVER + 2 * MINUTE)
    assert totals(series) == {"ann": 16, "bob": 16}


def test_an_erased_player_keeps_his_total_under_a_number() -> None:
    series = SeriesFactory.create(competitions=[final({"ann": 9, "bob": 7})])
    count_due_series(OVER)

    erased = erase_player("ann", OVER + MINUTE)
    assert totals(series) == {"bob": 6}
    count_due_series(OVER + 2 * MINUTE)

    assert totals(series) == {erased.player: 10, "bob": 6}


def test_of_a_retired_board_nothing_is_counted_any_more_and_the_totals_stay() -> None:
    competition = final({"ann": 9, "bob": 7})
    series = SeriesFactory.create(competitions=[competition])
    count_due_series(OVER)
    retire(series.board, OVER)
    disqualified(competition, "ann")

    assert count_due_series(OVER + MINUTE) == 0

    assert totals(series) == {"ann": 10, "bob": 6}


def test_count_again_repairs_results_and_totals_that_somebody_spoilt() -> None:
    competition = final({"ann": 9, "bob": 7})
    series = SeriesFactory.create(competitions=[competition])
    count_due_series(OVER)
    SeriesResult.objects.update(points=99, place=7)

    count_again(series)
    count_due_series(OVER + MINUTE)

    assert [row[:3] for row in results(competition)] == [("ann", 1, 10), ("bob", 2, 6)]
    assert totals(series) == {"ann": 10, "bob": 6}


@pytest.mark.parametrize(("vacated_places", "expected"), [("close_up", [1, 1, 3, 4]), ("stay_empty", [1, 1, 4, 5])])
def test_places_count_the_better_ones_also_on_boards_of_dense_ranks(vacated_places: str, expected: list[int]) -> None:
    points = {"ann": 9, "bob": 9, "zoe": 9, "cleo": 5, "dan": 3}
    competition = race(points, make_board(ties="dense"), review_hours=0, vacated_places=vacated_places)
    finish_due(OVER)
    disqualified(competition, "ann")
    SeriesFactory.create(competitions=[competition])

    count_due_series(OVER)

    assert [row[1] for row in results(competition)] == expected


def test_three_tied_first_on_a_dense_board_leave_the_fourth_place_to_the_next() -> None:
    competition = race({"ann": 9, "bob": 9, "cleo": 9, "dan": 5}, make_board(ties="dense"), review_hours=0)
    finish_due(OVER)
    series = SeriesFactory.create(competitions=[revised(competition)], table=(25, 18, 15, 12))

    count_due_series(OVER)

    assert totals(series) == {"ann": 25, "bob": 25, "cleo": 25, "dan": 12}
