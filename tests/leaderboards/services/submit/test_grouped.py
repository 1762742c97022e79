"""Scores sent one by one at the same moment count as if each had been alone, on each storage."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import translation

from foundation import clock
from foundation.audit.actor import acting, current
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.models import Board, Player, Standing
from leaderboards.services.moderation.ban import ban
from leaderboards.services.submit import grouped
from leaderboards.services.submit.pipeline import submit_batch
from tests.at_once import at_once
from tests.faults.world import wait_until
from tests.leaderboards.services.joining import GAME, LONG, Company, entry
from tests.leaderboards.services.site import DAY, NOON, follow, make_board, period_of, points, score

STORAGES = pytest.mark.parametrize("storage", ["sql", "hybrid", "redis"])
SECOND = timedelta(seconds=1)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Company:
    monkeypatch.setattr(clock, "now", lambda: NOON + SECOND)
    return Company(monkeypatch)


def told(outcomes: Sequence[Outcome]) -> list[tuple[str, str | None, Any]]:
    return [(each.status.value, each.code, each.points) for each in outcomes]


def standing_on(board: Board, at: datetime = NOON) -> dict[str, Any]:
    follow(period_of(board, at))
    return points(board, at)


@STORAGES
def test_each_increment_of_many_threads_counts_once(storage: str) -> None:
    board = make_board(storage, update="increment")

    def play(nth: int) -> Callable[[], list[str]]:
        def played() -> list[str]:
            found = []
            for turn in range(15):
                raw = entry(board, f"p{(nth + turn) % 5}", 1 + nth, id=f"{nth}-{turn}")
                [outcome] = grouped.submit_grouped([read_entry(raw, 0)], GAME, NOON)
                found.append(outcome.code or outcome.status.value)
            return found

        return played

    answers = at_once([play(nth) for nth in range(12)])

    assert {said for answer in answers for said in answer} == {"updated"}
    wanted = {f"p{number}": 0 for number in range(5)}
    for nth in range(12):
        for turn in range(15):
            wanted[f"p{(nth + turn) % 5}"] += 1 + nth
    assert standing_on(board) == wanted


@STORAGES
def test_of_one_player_the_last_to_arrive_counts_last(sent: Company, storage: str) -> None:
    board = make_board(storage, update="latest")

    outcomes = sent.together(*(entry(board, player, number) for number in range(1, 8) for player in ("ann", "bob")))

    assert sent.batches == [1, 14]
    assert [each.points for each in outcomes] == [number for number in range(1, 8) for _ in "ab"]
    assert [each.player for each in outcomes] == ["ann", "bob"] * 7
    assert {each.position for each in outcomes} == {0}
    assert standing_on(board) == {"first": 1, "ann": 7, "bob": 7}


@STORAGES
def test_good_and_bad_are_told_what_each_would_be_told_alone(sent: Company, storage: str) -> None:
    board = make_board(storage, maximum=1000)
    score(board, {"ann": 5, "known": 9})
    score(board, {"banned": 1})
    follow(period_of(board))
    ban([Player.objects.get(external_id="banned").pk], "cheats", NOON, None)
    raws = [
        entry(board, "ann", 7),
        entry(board, "bob", 1001),
        entry(board, "banned", 3),
        entry(board, "new", 2, at=(NOON + 60 * SECOND).isoformat()),
        {"board": board.seq, "player": "fields", "fields": {"stage": 1}},
        entry(board, "known", 1),
        entry(board, "new", 4),
    ]

    outcomes = sent.together(*raws)

    assert sent.batches[:2] == [1, 7]
    assert told(outcomes) == [
        ("updated", None, 7),
        ("rejected", "out_of_range", None),
        ("rejected", "banned", None),
        ("rejected", "in_the_future", None),
        ("rejected", "bad_entry", None),
        ("unchanged", None, 9),
        ("updated", None, 4),
    ]


@STORAGES
def test_an_id_that_two_of_them_bring_counts_once(sent: Company, storage: str) -> None:
    board = make_board(storage, update="increment")

    outcomes = sent.together(
        entry(board, "ann", 5, id="one"), entry(board, "ann", 5, id="one"), entry(board, "ann", 6, id="one")
    )

    assert told(outcomes)[:2] == [("updated", None, 5), ("duplicate", None, 5)]
    assert outcomes[2].code == "id_reused"
    assert standing_on(board)["ann"] == 5


@STORAGES
def test_an_id_is_its_service_s_own(sent: Company, storage: str) -> None:
    board = make_board(storage, update="increment")
    sent.hold(board.seq)
    sent.hold(board.seq, caller=Caller("other"))
    both = [sent.send(entry(board, "ann", 5, id="one"), caller=caller) for caller in (GAME, Caller("other"))]
    sent.let_go()

    assert [each.result(LONG)[0].status.value for each in both] == ["updated", "updated"]
    assert standing_on(board)["ann"] == 10
    assert sent.batches == [1, 1, 1, 1]


@STORAGES
def test_each_happens_when_its_own_request_came(sent: Company, storage: str) -> None:
    board = make_board(storage)
    period_of(board)
    sent.hold(board.seq)
    moments = [NOON + timedelta(milliseconds=each) for each in (20, 10, 30)]
    came = [
        sent.send(entry(board, player, 5), at=at) for player, at in zip(("ann", "bob", "cee"), moments, strict=True)
    ]
    sent.let_go()

    assert {each.result(LONG)[0].status.value for each in came} == {"updated"}
    follow(period_of(board))
    assert sent.batches == [1, 3]
    rows = dict(Standing.objects.filter(points=5).values_list("player__external_id", "at"))
    assert [rows[player] for player in ("ann", "bob", "cee")] == moments


@STORAGES
def test_ranks_are_those_before_and_after_all_of_it(sent: Company, storage: str) -> None:
    board = make_board(storage)
    score(board, {"ann": 30, "bob": 20, "cee": 10, "first": 1})

    outcomes = sent.together(entry(board, "bob", 40), entry(board, "new", 50), entry(board, "ann", 1), ranks=True)

    assert sent.batches == [1, 3]
    assert [(each.previous_rank, each.rank) for each in outcomes] == [(2, 2), (None, 1), (1, 3)]


@STORAGES
def test_who_asks_for_ranks_does_not_join_who_does_not(sent: Company, storage: str) -> None:
    board = make_board(storage)
    sent.hold(board.seq)
    plain = sent.send(entry(board, "ann", 5))
    ranked = sent.send(entry(board, "bob", 6), ranks=True)
    sent.let_go()

    assert [each.result(LONG)[0].rank is None for each in (plain, ranked)] == [True, False]


@STORAGES
def test_who_came_before_the_boundary_and_who_after_have_their_own_period(sent: Company, storage: str) -> None:
    board = make_board(storage)
    midnight = NOON.replace(hour=0) + DAY
    period_of(board), period_of(board, midnight)
    sent.monkeypatch.setattr(clock, "now", lambda: midnight + SECOND)
    sent.hold(board.seq, midnight)
    came = [sent.send(entry(board, "ann", number), at=midnight + (number - 2) * SECOND / 10) for number in (1, 2)]
    sent.let_go()

    [before], [after] = (each.result(LONG) for each in came)
    assert (before.period, after.period) == (period_of(board).label, period_of(board, midnight).label)
    assert sent.batches == [1, 2, 1, 1]  # not of one period, so each by itself


def test_nothing_of_who_waits_is_taken_along_but_the_request(sent: Company) -> None:
    board = make_board("hybrid")
    period_of(board)
    seen: list[tuple[Any, str]] = []

    def looking(*args: Any, **options: Any) -> list[Outcome]:
        seen.append((current().note, translation.get_language()))
        return submit_batch(*args, **options)

    sent.monkeypatch.setattr(grouped, "submit_batch", looking)
    sent.hold(board.seq)

    def as_(who: str) -> "Future[list[Outcome]]":
        known = sent._known()

        def acts() -> list[Outcome]:
            with acting(who=who), translation.override("ko" if who == "follower" else "en"):
                return sent._sent(entry(board, who, 5), NOON, GAME)

        found = sent._threads.submit(acts)
        wait_until(lambda: sent._known() > known, "a request that came")
        return found

    both = [as_("leader"), as_("follower")]
    sent.let_go()

    assert {each.result(LONG)[0].status.value for each in both} == {"updated"}
    assert seen == [({"who": "leader"}, "en")]


@pytest.mark.parametrize(
    "raws",
    [
        [{"competition": 3, "player": "ann", "points": 1}],
        [{"board": 1, "player": "ann", "points": 1}, {"board": 2, "player": "ann", "points": 1}],
        [{"board": 1, "player": f"p{nth}", "points": 1} for nth in range(grouped.MAX_GROUPED_ENTRIES + 1)],
    ],
    ids=["a competition", "two boards", "many entries"],
)
def test_these_go_alone(raws: list[dict[str, Any]]) -> None:
    assert grouped._only_board([read_entry(raw, nth) for nth, raw in enumerate(raws)]) is None


def test_who_may_be_quarantined_goes_alone() -> None:
    free, limited = make_board("hybrid"), make_board("hybrid", name="Limited", plausible_most=1000)

    found = [grouped._only_board([read_entry(entry(board, "ann", 1), 0)]) for board in (free, limited)]

    assert found == [free.seq, None]
