"""Series: every final and shown result is counted once, follows its revisions, and the totals stand on the board."""

from datetime import datetime

import pytest

from competitions.models import Competition, Participant, Series, SeriesEvent, SeriesResult, SeriesTotal
from competitions.selectors.series import places
from competitions.services import series as counting
from competitions.services import series_totals as putting
from competitions.services.disqualify import disqualify
from competitions.services.finish import finish_due
from competitions.services.freeze import reveal
from competitions.services.revise import revise
from competitions.services.series import score_due
from competitions.services.series_settings import change, count_again, put_in, take_out
from foundation import clock
from leaderboards import selectors
from leaderboards.models import Player, Standing, Submission
from leaderboards.selectors.hidden import forget_hidden
from leaderboards.services.boards import retire
from leaderboards.services.erase import erase_player
from tests.at_once import at_once
from tests.competitions.factories import END, HOUR, MINUTE, SeriesFactory
from tests.competitions.services.mishaps import dying_at, let_happen_before
from tests.competitions.site import make_board, open_competition, race, reloaded
from tests.locked import only_postgresql

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

OVER = END + HOUR


def final(points: dict[str, int], at: datetime = OVER, **settings: object) -> Competition:
    """A competition that these players have finished, best first by points, with its first revision."""
    competition = race(points, make_board(ties="shared"), review_hours=0, **settings)
    finish_due(at)
    return revised(competition, at)


def revised(competition: Competition, at: datetime = OVER) -> Competition:
    forget_hidden()
    present = reloaded(competition)
    revise(present, at)
    return present


def disqualified(competition: Competition, player: str, out: bool = True) -> Competition:
    rows = Participant.objects.filter(competition=competition, player__external_id=player)
    assert rows.update(disqualified_at=OVER if out else None) == 1
    return revised(competition)


def totals(series: Series) -> dict[str, object]:
    """What the board shows, and nothing may be left to do."""
    forget_hidden()
    return {row.player: row.points for row in selectors.standings(series.board, limit=100).rows}


def results(competition: Competition) -> list[tuple[object, ...]]:
    rows = SeriesResult.objects.filter(competition=competition).order_by("place", "player__external_id")
    return list(rows.values_list("player__external_id", "place", "points", "counted", "revision"))


def test_places_of_final_results_earn_points_and_the_totals_stand_on_the_board() -> None:
    first, second = final({"ann": 9, "bob": 7, "cleo": 5, "dan": 3}), final({"bob": 9, "cleo": 7})
    running = open_competition()
    series = SeriesFactory.create(competitions=[first, second, running], taking_part=1)

    assert score_due(OVER) == 4

    assert totals(series) == {"bob": 18, "cleo": 11, "ann": 11, "dan": 1}
    assert [row.rank for row in selectors.standings(series.board).rows] == [1, 2, 2, 4]
    assert results(first) == [
        ("ann", 1, 11, True, 1), ("bob", 2, 7, True, 1), ("cleo", 3, 4, True, 1), ("dan", 4, 1, True, 1),
    ]  # fmt: skip  # as a table
    assert results(running) == []


def test_equal_places_share_the_points_of_the_better_place() -> None:
    series = SeriesFactory.create(competitions=[final({"ann": 9, "bob": 9, "cleo": 5})])

    score_due(OVER)

    assert totals(series) == {"ann": 10, "bob": 10, "cleo": 3}


def test_the_worst_results_are_dropped_and_of_equal_ones_the_later() -> None:
    first, second, third = final({"ann": 9, "bob": 5}), final({"bob": 9, "ann": 5}), final({"ann": 9, "bob": 5})
    series = SeriesFactory.create(competitions=[first, second, third], best=2)

    score_due(OVER)

    assert totals(series) == {"ann": 20, "bob": 16}
    counted = {(player, counts) for one in (first, third) for player, _, _, counts, _ in results(one)}
    assert counted == {("ann", True), ("bob", True), ("bob", False)}
    assert [row[3] for row in results(first)] == [True, True]


def test_a_disqualification_lets_the_others_move_up_and_takes_him_off_the_board_until_he_is_reinstated() -> None:
    competition = final({"ann": 9, "bob": 7, "cleo": 5})
    series = SeriesFactory.create(competitions=[competition])
    score_due(OVER)

    disqualified(competition, "ann")
    score_due(OVER + MINUTE)
    assert totals(series) == {"bob": 10, "cleo": 6}
    assert {row[4] for row in results(competition)} == {2}
    disqualified(competition, "ann", out=False)
    score_due(OVER + 2 * MINUTE)

    assert totals(series) == {"ann": 10, "bob": 6, "cleo": 3}
    assert not Standing.objects.filter(player__external_id="ann", period__board=series.board, score=None).exists()


def test_whoever_is_remembered_as_shown_is_asked_afresh_when_a_revision_is_counted() -> None:
    competition = final({"ann": 9, "bob": 7})
    series = SeriesFactory.create(competitions=[competition])
    list(places(competition))  # remembers that nobody is left out
    Participant.objects.filter(competition=competition, player__external_id="ann").update(disqualified_at=OVER)
    revise(competition, OVER)

    score_due(OVER)

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

    assert score_due(OVER) == 0
    assert (totals(series), SeriesResult.objects.count()) == ({}, 0)
    reveal(reloaded(hidden), OVER, None)

    assert score_due(OVER) == 2
    assert totals(series) == {"ann": 10, "bob": 6}


def test_a_competition_taken_out_takes_its_points_along_and_who_has_no_result_left_is_off_the_board() -> None:
    first, second = final({"ann": 9, "bob": 7}), final({"bob": 9})
    series = SeriesFactory.create(competitions=[first, second])
    score_due(OVER)

    take_out(first.series_event)
    score_due(OVER + MINUTE)

    assert totals(series) == {"bob": 10}
    assert results(first) == []
    assert score_due(OVER + 2 * MINUTE) == 0


def test_another_competition_in_the_place_of_one_takes_its_points_along() -> None:
    first, second, third = final({"ann": 9, "bob": 7}), final({"bob": 9}), final({"cleo": 9})
    series = SeriesFactory.create(competitions=[first, second])
    score_due(OVER)

    event = series.events.get(competition=first)
    event.competition = third
    put_in(event)
    score_due(OVER + MINUTE)

    assert totals(series) == {"bob": 10, "cleo": 10}
    assert results(first) == []


def test_another_order_decides_which_of_equal_results_count_and_says_nothing_of_what_was_counted() -> None:
    first, second = final({"ann": 9}), final({"ann": 9})
    series = SeriesFactory.create(competitions=[first, second], best=1)
    score_due(OVER)
    event = series.events.get(competition=first)
    count_again(series)

    event.position = 3
    put_in(event)  # a form that was opened before, and knows the old number
    assert set(series.events.values_list("revision_counted", flat=True)) == {None}
    score_due(OVER + MINUTE)

    assert [results(each)[0][3] for each in (first, second)] == [False, True]
    assert totals(series) == {"ann": 10}


def test_another_table_or_another_number_of_results_counts_all_of_them_anew() -> None:
    first, second = final({"ann": 9, "bob": 7}), final({"bob": 9, "ann": 7})
    series = SeriesFactory.create(competitions=[first, second])
    score_due(OVER)

    series.table, series.best = [5, 4], 1
    change(series, "public")
    score_due(OVER + MINUTE)

    assert totals(series) == {"ann": 5, "bob": 5}


def test_another_name_counts_nothing_anew_and_the_board_bears_it() -> None:
    series = SeriesFactory.create(competitions=[final({"ann": 9})])
    score_due(OVER)

    series.name = "Grand Prix"
    change(series, "private")

    series.board.refresh_from_db()
    assert (series.board.name, series.board.visibility) == ("Grand Prix", "private")
    assert score_due(OVER + MINUTE) == 0


def test_a_total_that_falls_is_kept_also_by_a_worker_whose_clock_is_behind() -> None:
    competition = final({"ann": 9, "bob": 7})
    series = SeriesFactory.create(competitions=[competition])
    score_due(OVER + 2 * HOUR)
    disqualified(competition, "ann")
    score_due(OVER + HOUR)
    disqualified(competition, "ann", out=False)

    score_due(OVER)

    assert totals(series) == {"ann": 10, "bob": 6}


def test_the_total_of_a_banned_player_waits_and_follows_when_he_is_let_in_again() -> None:
    first, second = final({"ann": 9, "bob": 7}), final({"bob": 9, "ann": 7})
    series = SeriesFactory.create(competitions=[first, second])
    score_due(OVER)
    Player.objects.filter(external_id="ann").update(banned_at=OVER)
    revised(first)

    assert score_due(OVER + MINUTE) == 1  # bob moves up in the first
    assert totals(series) == {"bob": 20}
    Player.objects.filter(external_id="ann").update(banned_at=None)
    revised(first)

    score_due(OVER + 2 * MINUTE)
    assert totals(series) == {"ann": 16, "bob": 16}


def test_an_erased_player_keeps_his_total_under_a_number() -> None:
    series = SeriesFactory.create(competitions=[final({"ann": 9, "bob": 7})])
    score_due(OVER)

    erased = erase_player("ann", OVER + MINUTE)
    assert totals(series) == {"bob": 6}
    score_due(OVER + 2 * MINUTE)

    assert totals(series) == {erased.player: 10, "bob": 6}


def test_of_a_retired_board_nothing_is_counted_any_more_and_the_totals_stay() -> None:
    competition = final({"ann": 9, "bob": 7})
    series = SeriesFactory.create(competitions=[competition])
    score_due(OVER)
    retire(series.board, OVER)
    disqualified(competition, "ann")

    assert score_due(OVER + MINUTE) == 0

    assert totals(series) == {"ann": 10, "bob": 6}


@pytest.mark.parametrize("step", ["series.after_results", "series.before_commit"])
def test_counting_that_dies_leaves_nothing_behind_and_counts_again(step: str) -> None:
    competition = final({"ann": 9, "bob": 7})
    series = SeriesFactory.create(competitions=[competition])
    with dying_at(counting, step):
        score_due(OVER)
    assert (SeriesResult.objects.count(), SeriesTotal.objects.count()) == (0, 0)

    score_due(OVER)

    assert totals(series) == {"ann": 10, "bob": 6}


@pytest.mark.parametrize("step", ["series.before_put", "series.after_put"])
def test_totals_that_die_on_their_way_are_written_by_the_next_run(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(putting, "CHUNK", 1)
    series = SeriesFactory.create(competitions=[final({"ann": 9, "bob": 7})])
    with dying_at(putting, step):
        score_due(OVER)
    assert totals(series) == {}
    assert set(SeriesTotal.objects.values_list("due", "points", "puts")) == {(True, None, 0)}

    score_due(OVER)

    assert totals(series) == {"ann": 10, "bob": 6}
    assert Submission.objects.filter(service="series").count() == 2


def test_several_workers_at_once_come_to_the_same_and_write_each_total_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(putting, "CHUNK", 2)
    players = {f"p{nth}": 100 - nth for nth in range(7)}
    series = SeriesFactory.create(
        competitions=[final(players), final(dict(reversed(players.items())))], table=(9, 8, 7)
    )

    at_once([lambda: score_due(OVER)] * 4)
    score_due(OVER)

    assert totals(series) == {"p0": 18, "p1": 16, "p2": 14, "p3": 0, "p4": 0, "p5": 0, "p6": 0}
    assert Submission.objects.filter(service="series").count() == 7
    assert score_due(OVER + MINUTE) == 0


def test_a_run_without_time_writes_a_chunk_of_each_series_and_the_next_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(putting, "CHUNK", 1)
    both = [SeriesFactory.create(competitions=[final({"ann": 9, "bob": 7, "cleo": 5})]) for _ in range(2)]
    for series in both:
        for event in series.events.all():
            counting.count(event, OVER)

    written = [putting.put_due(OVER, clock.monotonic()) for _ in range(4)]

    assert written == [2, 2, 2, 0]
    assert [totals(series) for series in both] == [{"ann": 10, "bob": 6, "cleo": 3}] * 2


def test_one_series_that_cannot_be_written_keeps_no_other_waiting() -> None:
    broken, well = (SeriesFactory.create(competitions=[final({"ann": 9})]) for _ in range(2))
    Submission.objects.create(  # an id that nobody may have used
        board=broken.board, period=broken.board.periods.get(), player=Player.objects.get(external_id="ann"),
        service="series", external_id=f"series-{broken.pk}-1-ann", points=3, at=OVER, created_at=OVER,
    )  # fmt: skip  # as a table

    with pytest.raises(ExceptionGroup):
        score_due(OVER)

    assert (totals(broken), totals(well)) == ({}, {"ann": 10})


def test_count_again_repairs_results_and_totals_that_somebody_spoilt() -> None:
    competition = final({"ann": 9, "bob": 7})
    series = SeriesFactory.create(competitions=[competition])
    score_due(OVER)
    SeriesResult.objects.update(points=99, place=7)

    count_again(series)
    score_due(OVER + MINUTE)

    assert [row[:3] for row in results(competition)] == [("ann", 1, 10), ("bob", 2, 6)]
    assert totals(series) == {"ann": 10, "bob": 6}


def test_an_event_removed_while_it_is_counted_is_not_counted() -> None:
    competition = final({"ann": 9})
    series = SeriesFactory.create(competitions=[competition])
    event = SeriesEvent.objects.get()
    take_out(SeriesEvent.objects.get())

    assert counting.count(event, OVER) is False

    assert (totals(series), SeriesResult.objects.count()) == ({}, 0)


@only_postgresql
@pytest.mark.parametrize("step", ["series.after_reading", "series.after_results", "series.before_commit"])
def test_the_jury_never_waits_for_a_count_and_the_next_run_counts_what_it_did(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    competition = final({"ann": 9, "bob": 7, "cleo": 5})
    series = SeriesFactory.create(competitions=[competition])
    ann = Player.objects.get(external_id="ann")

    def act(name: str) -> None:
        if name == step:
            monkeypatch.setattr(counting, "failpoint", lambda _: None)
            at_once([lambda: disqualify(competition, ann, "Two accounts.", OVER, None)])

    monkeypatch.setattr(counting, "failpoint", act)
    score_due(OVER)

    assert competition.revisions.count() == 2
    score_due(OVER + MINUTE)
    assert totals(series) == {"bob": 10, "cleo": 6}
    assert {row[4] for row in results(competition)} == {2}


def test_a_result_that_is_revised_while_it_is_read_is_dropped_and_counted_by_the_next_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    competition = final({"ann": 9, "bob": 7})
    event = SeriesFactory.create(competitions=[competition]).events.get()
    let_happen_before(monkeypatch, counting, "failpoint", lambda: disqualified(competition, "ann"))

    assert counting.count(event, OVER) is False
    assert SeriesResult.objects.count() == 0
    assert counting.count(event, OVER) is True

    assert [(*row[:3], row[4]) for row in results(competition)] == [("bob", 1, 10, 2)]


@pytest.mark.parametrize(("vacated_places", "expected"), [("close_up", [1, 1, 3, 4]), ("stay_empty", [1, 1, 4, 5])])
def test_places_count_the_better_ones_also_on_boards_of_dense_ranks(vacated_places: str, expected: list[int]) -> None:
    points = {"ann": 9, "bob": 9, "zoe": 9, "cleo": 5, "dan": 3}
    competition = race(points, make_board(ties="dense"), review_hours=0, vacated_places=vacated_places)
    finish_due(OVER)
    disqualified(competition, "ann")
    SeriesFactory.create(competitions=[competition])

    score_due(OVER)

    assert [row[1] for row in results(competition)] == expected


def test_three_tied_first_on_a_dense_board_leave_the_fourth_place_to_the_next() -> None:
    competition = race({"ann": 9, "bob": 9, "cleo": 9, "dan": 5}, make_board(ties="dense"), review_hours=0)
    finish_due(OVER)
    series = SeriesFactory.create(competitions=[revised(competition)], table=(25, 18, 15, 12))

    score_due(OVER)

    assert totals(series) == {"ann": 25, "bob": 25, "cleo": 25, "dan": 12}
