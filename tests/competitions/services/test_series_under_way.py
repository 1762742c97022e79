"""Counting a series while it dies, while others count, judge or take competitions out, and with little time."""

import pytest

from competitions.models import SeriesEvent, SeriesResult, SeriesTotal
from competitions.services.participants.disqualify import disqualify
from competitions.services.series import count_results as counting
from competitions.services.series import totals as putting
from competitions.services.series.count_results import count_due_series
from competitions.services.series.settings import remove_event
from foundation import clock
from leaderboards.models import Player, Submission
from tests.at_once import at_once
from tests.competitions.factories import MINUTE, SeriesFactory
from tests.competitions.services.mishaps import dying_at, let_happen_before
from tests.competitions.services.series.test_count_results import OVER, disqualified, final, results, totals
from tests.locked import only_postgresql

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.mark.parametrize("step", ["series.after_results", "series.before_commit"])
def test_counting_that_dies_leaves_nothing_behind_and_counts_again(step: str) -> None:
    competition = final({"ann": 9, "bob": 7})
    series = SeriesFactory.create(competitions=[competition])
    with dying_at(counting, step):
        count_due_series(OVER)
    assert (SeriesResult.objects.count(), SeriesTotal.objects.count()) == (0, 0)

    count_due_series(OVER)

    assert totals(series) == {"ann": 10, "bob": 6}


@pytest.mark.parametrize("step", ["series.before_put", "series.after_put"])
def test_totals_that_die_on_their_way_are_written_by_the_next_run(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(putting, "CHUNK", 1)
    series = SeriesFactory.create(competitions=[final({"ann": 9, "bob": 7})])
    with dying_at(putting, step):
        count_due_series(OVER)
    assert totals(series) == {}
    assert set(SeriesTotal.objects.values_list("due", "points", "puts")) == {(True, None, 0)}

    count_due_series(OVER)

    assert totals(series) == {"ann": 10, "bob": 6}
    assert Submission.objects.filter(service="series").count() == 2


def test_several_workers_at_once_come_to_the_same_and_write_each_total_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(putting, "CHUNK", 2)
    players = {f"p{nth}": 100 - nth for nth in range(7)}
    series = SeriesFactory.create(
        competitions=[final(players), final(dict(reversed(players.items())))], table=(9, 8, 7)
    )

    at_once([lambda: count_due_series(OVER)] * 4)
    count_due_series(OVER)

    assert totals(series) == {"p0": 18, "p1": 16, "p2": 14, "p3": 0, "p4": 0, "p5": 0, "p6": 0}
    assert Submission.objects.filter(service="series").count() == 7
    assert count_due_series(OVER + MINUTE) == 0


def test_a_run_without_time_writes_a_chunk_of_each_series_and_the_next_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(putting, "CHUNK", 1)
    both = [SeriesFactory.create(competitions=[final({"ann": 9, "bob": 7, "cleo": 5})]) for _ in range(2)]
    for series in both:
        for event in series.events.all():
            counting.count(event, OVER)

    written = [putting.write_due_totals(OVER, clock.monotonic()) for _ in range(4)]

    assert written == [2, 2, 2, 0]
    assert [totals(series) for series in both] == [{"ann": 10, "bob": 6, "cleo": 3}] * 2


def test_one_series_that_cannot_be_written_keeps_no_other_waiting() -> None:
    broken, well = (SeriesFactory.create(competitions=[final({"ann": 9})]) for _ in range(2))
    Submission.objects.create(  # an id that nobody may have used
        board=broken.board, period=broken.board.periods.get(), player=Player.objects.get(external_id="ann"),
        service="series", external_id=f"series-{broken.pk}-1-ann", points=3, at=OVER, created_at=OVER,
    )  # fmt: skip  # as a table

    with pytest.raises(ExceptionGroup):
        count_due_series(OVER)

    assert (totals(broken), totals(well)) == ({}, {"ann": 10})


def test_an_event_removed_while_it_is_counted_is_not_counted() -> None:
    competition = final({"ann": 9})
    series = SeriesFactory.create(competitions=[competition])
    event = SeriesEvent.objects.get()
    remove_event(SeriesEvent.objects.get())

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
    count_due_series(OVER)

    assert competition.revisions.count() == 2
    count_due_series(OVER + MINUTE)
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
