"""Snapshots: one for each time of the grid, with the very ranks of the board; harmless late, twice and at once."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest

from competitions.models import Competition, Notice, NoticeKind, Snapshot, SnapshotRow
from competitions.selectors.standings.history import history
from competitions.selectors.standings.standings import standings
from competitions.services.lifecycle import snapshots
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.snapshots import latest_due_time, take_due_snapshots, take_snapshot
from competitions.services.notices.rank_notices import compare_due_snapshots
from competitions.services.participants.disqualify import disqualify, reinstate
from competitions.services.results.judge import void
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Player, Submission
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.submit.pipeline import submit
from tests.at_once import at_once
from tests.competitions.factories import DAY, END, HOUR, MINUTE, START
from tests.competitions.services.mishaps import let_happen_before, redis_away
from tests.competitions.site import SOON, STORAGES, joined, make_board, open_competition, race, raced, reloaded, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def rows(snapshot: Snapshot) -> list[tuple[str, int, int | None]]:
    found = SnapshotRow.objects.filter(snapshot=snapshot).order_by("rank", "player__external_id")
    return list(found.values_list("player__external_id", "rank", "points"))


@pytest.mark.parametrize(("storage", "ties"), [("hybrid", "first_come"), ("redis", "shared"), ("sql", "dense")])
@pytest.mark.parametrize("order", ["desc", "asc"])
def test_a_snapshot_has_the_ranks_of_the_board(storage: str, ties: str, order: str) -> None:
    competition = race({"ann": 9, "bob": 5, "cleo": 9, "dan": 7}, make_board(storage, ties=ties, order=order))

    assert take_due_snapshots(SOON) == 1

    snapshot = Snapshot.objects.get()
    shown = {row.player: (row.rank, row.points) for row in standings(competition, SOON).rows}
    assert {name: (rank, points) for name, rank, points in rows(snapshot)} == shown
    assert (snapshot.total, snapshot.due_at, snapshot.taken_at) == (4, SOON, SOON)


def test_a_snapshot_keeps_so_many_rows_and_counts_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "MOST_ROWS", 2)
    competition = race({"ann": 9, "bob": 5, "cleo": 8})

    snapshot = take_snapshot(competition, SOON, SOON)

    assert snapshot is not None
    assert (rows(snapshot), snapshot.total) == ([("ann", 1, 9), ("cleo", 2, 8)], 3)


def test_the_grid_begins_one_interval_after_the_start_a_late_run_takes_one_and_none_of_what_does_not_run() -> None:
    competition = open_competition(snapshot_minutes=30)
    open_competition(competition.board, starts_at=END, ends_at=END + DAY)
    cancelled = open_competition(competition.board)
    Competition.objects.filter(pk=cancelled.pk).update(cancelled_at=START)

    assert latest_due_time(competition, START + 29 * MINUTE) is None
    assert latest_due_time(competition, START + 30 * MINUTE) == START + 30 * MINUTE
    assert [take_due_snapshots(START + 5 * HOUR + minutes * MINUTE) for minutes in (7, 8)] == [1, 0]
    assert Snapshot.objects.get().due_at == START + 5 * HOUR
    assert (take_due_snapshots(END), competition.phase(END)) == (0, "closing")


def test_taken_at_once_it_is_taken_once() -> None:
    competition = race({f"p{number}": number for number in range(10)})

    taken = at_once([lambda: take_snapshot(competition, SOON, SOON)] * 4)

    assert len([each for each in taken if each]) == 1
    assert (Snapshot.objects.count(), SnapshotRow.objects.count()) == (1, 10)


def test_who_is_held_up_until_a_later_one_was_told_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    competition = race({"ann": 9, "bob": 5}, alert_hours=24)
    take_snapshot(competition, SOON, SOON)

    def bob_leads_and_all_hear_of_it() -> None:
        score(competition, {"bob": 12}, SOON + 40 * MINUTE)
        take_snapshot(competition, SOON + HOUR, SOON + HOUR)
        compare_due_snapshots(SOON + HOUR)

    let_happen_before(monkeypatch, snapshots, "_write", bob_leads_and_all_hear_of_it)
    score(competition, {"ann": 10}, SOON + 20 * MINUTE)

    assert take_snapshot(competition, SOON + 30 * MINUTE, SOON + 30 * MINUTE) is None

    assert [each.due_at for each in Snapshot.objects.order_by("due_at")] == [SOON, SOON + HOUR]
    assert compare_due_snapshots(SOON + HOUR) == 0
    assert sorted(Notice.objects.values_list("player__external_id", "kind")) == [
        ("ann", "first_lost"),
        ("bob", "first_taken"),
    ]


def test_while_redis_is_away_a_redis_board_waits_and_the_others_do_not() -> None:
    for storage in STORAGES:
        raced(open_competition(make_board(storage)), {"ann": 1})
    with redis_away():
        assert take_due_snapshots(SOON) == 2

    assert take_due_snapshots(SOON + MINUTE) == 1

    assert {(each.due_at, each.total) for each in Snapshot.objects.all()} == {(SOON, 1)}


def test_history_is_a_players_places_and_at_last_the_final_one() -> None:
    competition = race({"ann": 9, "bob": 5}, make_board(decimals=1))
    take_due_snapshots(SOON)
    score(competition, {"bob": 12}, SOON + MINUTE)
    take_due_snapshots(SOON + 30 * MINUTE)
    before = [(each.at, each.rank, each.points) for each in history(competition, "bob", SOON + 30 * MINUTE)]
    finish_due(END + DAY)

    after = history(reloaded(competition), "bob", END + DAY)

    assert before == [(SOON, 2, 5), (SOON + 30 * MINUTE, 1, 12)]
    assert [(each.at, each.rank, each.points) for each in after] == [*before, (END, 1, 12)]
    assert history(competition, "nobody", SOON) == []


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_history_tells_fields_where_a_board_has_them(storage: str) -> None:
    criteria = [{"name": "stage", "bits": 15, "order": "desc"}, {"name": "members", "bits": 9, "order": "asc"}]
    competition = open_competition(make_board(storage, criteria=criteria))
    joined(competition, "ann")
    entry = {"competition": competition.pk, "player": "ann", "fields": {"stage": 7, "members": 30}}
    submit([read_entry(entry, 0)], Caller("game"), SOON)

    take_due_snapshots(SOON)

    [moment] = history(competition, "ann", SOON)
    assert (moment.rank, moment.points, moment.fields) == (1, None, {"stage": 7, "members": 30})


def test_what_is_read_as_a_freeze_comes_is_no_history_from_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    competition = race({"ann": 9, "bob": 5}, freeze_minutes=60)
    eve, frozen = END - HOUR - MINUTE, END - HOUR
    # the first score after the freeze makes the copy
    let_happen_before(monkeypatch, snapshots, "ranking", partial(score, competition, {"bob": 50}, frozen))

    take_snapshot(competition, END - 2 * HOUR, eve)

    assert Snapshot.objects.get().taken_at == frozen
    assert history(reloaded(competition), "bob", frozen + MINUTE) == []


@pytest.mark.parametrize("storage", STORAGES)
def test_first_place_that_is_taken_in_the_last_seconds_is_told_from_the_closed_standings(storage: str) -> None:
    competition = race({"ann": 9, "bob": 5, "cleo": 1}, make_board(storage))
    take_due_snapshots(END - 10 * MINUTE)
    score(competition, {"bob": 12}, END - timedelta(seconds=18))
    assert take_due_snapshots(END + MINUTE) == 0  # it is not closed
    finish_due(END + DAY)

    assert [take_due_snapshots(END + DAY), take_due_snapshots(END + DAY)] == [1, 0]
    assert compare_due_snapshots(END + DAY) == 2

    last = Snapshot.objects.get(due_at=END)
    assert (rows(last), last.total, last.taken_at) == ([("bob", 1, 12), ("ann", 2, 9), ("cleo", 3, 1)], 3, END)
    told = Notice.objects.values_list("player__external_id", "kind")
    assert set(told) == {("bob", "first_taken"), ("ann", "first_lost")}
    assert [each.at for each in history(reloaded(competition), "bob", END + DAY)] == [END - 10 * MINUTE, END]


@pytest.mark.parametrize("act", ["ban", "void", "disqualify", "reinstate"])
def test_places_that_a_jury_or_a_ban_gives_and_takes_are_told_to_nobody(act: str) -> None:
    competition = race({"ann": 9, "bob": 5, "cleo": 3, "dan": 1}, alerts=NoticeKind.values, alert_hours=100)
    ann = Player.objects.get(external_id="ann")
    acts: dict[str, Callable[[], object]] = {
        "ban": lambda: Player.objects.filter(pk=ann.pk).update(banned_at=SOON),
        "void": lambda: void(competition, Submission.objects.get(player=ann), "A car.", SOON, None),
        "disqualify": lambda: disqualify(competition, ann, "A car.", SOON, None),
        "reinstate": lambda: reinstate(competition, ann, "A bicycle.", SOON, None),
    }
    if act == "reinstate":
        acts["disqualify"]()
    take_snapshot(competition, SOON, SOON)
    acts[act]()
    clear_hidden_cache()

    later = take_snapshot(competition, SOON + HOUR, SOON + HOUR)

    assert later is not None
    assert rows(later)[0] == (("ann", 1, 9) if act == "reinstate" else ("bob", 1, 5))
    assert compare_due_snapshots(SOON + HOUR) == 0


def test_what_was_closed_long_ago_is_not_looked_at_again() -> None:
    race({"ann": 9, "bob": 5})
    finish_due(END + DAY)
    Competition.objects.update(closed_at=END + DAY)

    assert take_due_snapshots(END + 2 * DAY) == 0


@pytest.mark.parametrize("snapshot_minutes", [30, 7])
def test_as_it_freezes_the_public_copy_is_kept_and_told_and_nothing_after_it(snapshot_minutes: int) -> None:
    competition = race({"ann": 9, "bob": 5}, freeze_minutes=60, snapshot_minutes=snapshot_minutes)
    frozen = END - HOUR
    take_due_snapshots(frozen - 10 * MINUTE)
    score(competition, {"bob": 12}, frozen - timedelta(seconds=18))
    score(competition, {"ann": 50}, frozen + timedelta(seconds=1))  # which makes the copy

    take_due_snapshots(frozen + timedelta(seconds=5))
    compare_due_snapshots(frozen + timedelta(seconds=5))

    copied = Snapshot.objects.get(due_at=frozen)
    assert (rows(copied), copied.taken_at) == ([("bob", 1, 12), ("ann", 2, 9)], frozen)
    told = {("bob", "first_taken"), ("ann", "first_lost")}
    assert set(Notice.objects.values_list("player__external_id", "kind")) == told
    take_due_snapshots(END - MINUTE)
    finish_due(END + DAY)
    Competition.objects.update(revealed_at=END + DAY)
    take_due_snapshots(END + DAY)
    compare_due_snapshots(END + DAY)
    assert Notice.objects.count() == 2
    assert not Snapshot.objects.filter(due_at=END).exists()


def test_a_snapshot_that_is_due_as_it_freezes_makes_the_copy_first() -> None:
    competition = race({"ann": 9}, freeze_minutes=60)

    taken = take_snapshot(competition, END - HOUR, END - HOUR + MINUTE)

    assert taken is not None
    assert (taken.due_at, reloaded(competition).frozen_at) == (END - HOUR, END - HOUR)
