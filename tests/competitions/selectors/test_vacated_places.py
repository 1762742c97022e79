"""Places of the disqualified and the banned that stay empty: nobody moves up, in any answer, and nobody counts them."""

import random
from typing import Any

import pytest

from competitions.models import Competition, Snapshot, SnapshotRow
from competitions.selectors.standings import standings as of_competition
from competitions.selectors.standings.history import history
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.snapshots import take_snapshot
from competitions.services.participants.disqualify import disqualify, reinstate
from competitions.services.results.revisions import publish_due_revisions
from leaderboards import selectors
from leaderboards.models import Player
from leaderboards.selectors.exports.period_rows import visible_final_ranking
from leaderboards.selectors.history.movement import RankAtTime
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.stores.base import Page
from tests.competitions.factories import END, HOUR, MINUTE
from tests.competitions.published import places, revisions
from tests.competitions.site import SOON, STORAGES, make_board, period_of, player, race, reloaded

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

TIES = ("first_come", "last_come", "shared", "dense")
EVERYBODY = [f"p{nth}" for nth in range(10)]
DISQUALIFIED, BANNED = ["p0", "p3", "p9"], "p4"
LEFT = [name for name in EVERYBODY if name not in (*DISQUALIFIED, BANNED)]
OVER = END + MINUTE


def leave_out(competition: Competition) -> None:
    for name in DISQUALIFIED:
        disqualify(competition, player(name), "Two accounts.", SOON, None)
    Player.objects.filter(external_id=BANNED).update(banned_at=SOON)
    clear_hidden_cache()


def rows_of(competition: Competition) -> list[selectors.Row]:
    return of_competition.standings(reloaded(competition), SOON, limit=100).rows


def expected(before: list[selectors.Row]) -> list[tuple[object, ...]]:
    """Who is left, with the rank of before; those who are left alone are tied with them and ahead of them."""
    left = [row for row in before if row.player in LEFT]
    by_time = all(row.tied == 1 for row in before) and len({row.rank for row in before}) == len(before)
    return [
        (
            row.rank,
            row.player,
            1 if by_time else sum(each.rank == row.rank for each in left),
            sum((each.rank or 0) < (row.rank or 0) for each in left),
        )
        for row in left
    ]


def shown(rows: Any) -> list[tuple[object, ...]]:
    return [(row.rank, row.player, row.tied, row.ahead) for row in rows]


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("storage", STORAGES)
def test_whoever_is_left_keeps_the_rank_in_every_answer_before_the_end_and_after_it(storage: str, ties: str) -> None:
    dice = random.Random(f"{storage} {ties}")
    board = make_board(storage, ties=ties, order=dice.choice(["desc", "asc"]))
    points = {name: dice.randint(1, 4) for name in EVERYBODY}
    competition = race(points, board, vacated_places="stay_empty")
    wanted = expected(rows_of(competition))

    leave_out(competition)

    for is_final in (False, True):
        if is_final:
            finish_due(OVER)
        held = reloaded(competition)
        assert shown(rows_of(held)) == wanted
        assert shown(of_competition.export_rows(held, SOON)[1]) == wanted
        rows_of_players = selectors.rows_of_players(board, EVERYBODY, held.label)
        assert (shown(rows_of_players.rows), rows_of_players.total) == (wanted, len(LEFT))
        for offset in range(len(LEFT) + 1):
            page = of_competition.page(held, SOON, Page(offset, 2), LEFT[0])
            assert shown(page.standings.rows) == wanted[offset : offset + 2]
            assert page.standings.total == len(LEFT)
        for nth, (rank, name, tied, ahead) in enumerate(wanted):
            found = of_competition.player_row(held, str(name), SOON)
            assert (found.row.rank, found.total) == (rank, len(LEFT))
            assert found.percentile == selectors.share_below(found.row, len(LEFT))
            assert 0 <= (found.percentile or 0) <= 100
            assert (found.row.tied, found.row.ahead) == (tied, ahead)
            near = of_competition.around(held, str(name), SOON, 1)
            assert shown(near.rows) == wanted[max(0, nth - 1) : nth + 2]
        spread = selectors.distribution(board, held.label)
        assert (spread.total, sum(each.count for each in spread.histogram)) == (len(LEFT), len(LEFT))
        assert selectors.ranks(period_of(held), EVERYBODY) == {name: rank for rank, name, *_ in wanted}
    assert [(rank, row.player) for rank, row in visible_final_ranking(period_of(competition))] == [
        (rank, name) for rank, name, *_ in wanted
    ]
    assert places(revisions(competition)[-1]) == [(rank, name) for rank, name, *_ in wanted]


@pytest.mark.parametrize("ties", TIES)
def test_snapshots_keep_the_ranks_of_those_who_are_left(ties: str) -> None:
    competition = race({"ann": 9, "bob": 9, "cleo": 5, "dan": 1}, make_board(ties=ties), vacated_places="stay_empty")
    ranks = {row.player: row.rank for row in rows_of(competition)}
    disqualify(competition, player("ann"), "Two accounts.", SOON, None)

    take_snapshot(competition, SOON, SOON)

    kept = SnapshotRow.objects.values_list("player__external_id", "rank")
    assert dict(kept) == {name: ranks[name] for name in ("bob", "cleo", "dan")}
    assert Snapshot.objects.get().total == 3


def test_one_who_is_reinstated_has_the_place_back_and_in_other_competitions_everybody_moves_up() -> None:
    board, points = make_board(), {"ann": 9, "bob": 5}
    empty, closed_up = race(points, board, vacated_places="stay_empty"), race(points, board)
    for each in (empty, closed_up):
        disqualify(each, player("ann"), "Two accounts.", SOON, None)

    assert [(row.rank, row.player) for row in rows_of(empty)] == [(2, "bob")]
    assert [(row.rank, row.player) for row in rows_of(closed_up)] == [(1, "bob")]
    reinstate(empty, player("ann"), "One account.", SOON, None)
    assert [(row.rank, row.player) for row in rows_of(empty)] == [(1, "ann"), (2, "bob")]


def test_during_a_freeze_the_copy_keeps_places_empty_of_those_who_are_out_since_before_it_or_behind_it() -> None:
    competition = race({"ann": 9, "bob": 5, "cleo": 4}, freeze_minutes=60, vacated_places="stay_empty")
    disqualify(competition, player("ann"), "Two accounts.", END - 2 * HOUR, None)
    at = END - HOUR / 2
    disqualify(competition, player("bob"), "Two accounts.", at, None)

    public, all_of_it = (of_competition.standings(reloaded(competition), at, full=full) for full in (False, True))

    assert [(row.rank, row.player) for row in public.rows] == [(3, "cleo")]
    assert [(row.rank, row.player) for row in all_of_it.rows] == [(3, "cleo")]
    assert (public.total, all_of_it.total) == (1, 1)


def test_the_history_of_one_who_is_left_ends_with_the_rank_that_they_keep() -> None:
    competition = race({"ann": 9, "bob": 5}, vacated_places="stay_empty")
    finish_due(OVER)
    disqualify(competition, player("ann"), "Two accounts.", OVER, None)
    publish_due_revisions(OVER)

    assert history(reloaded(competition), "bob", OVER) == [RankAtTime(competition.ends_at, 2, 5, None)]
    assert places(revisions(competition)[1]) == [(2, "bob")]
