"""Reading a period in several partitions says what reading it in one does, also while players move."""

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import product
from typing import Any

import pytest

from foundation.redis.client import RedisClient, RedisSilent, ScriptCall
from foundation.sync.redis_state import RedisState, StaleGeneration
from leaderboards.core.periods import Calendar, PeriodKind, window_at
from leaderboards.core.ranking.board_settings import board_rules
from leaderboards.core.ranking.gaps import Gap
from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import Board, Part, Partition, Period
from leaderboards.stores.base import Around, AroundGap, ForPlayers, Page, Query, RankedRow, ScoreRange
from leaderboards.stores.redis import partition_plans
from leaderboards.stores.redis.partitioned import PartitionedStore
from leaderboards.stores.redis.publish import Publisher
from leaderboards.stores.redis.reads import ZsetStore
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.redis.writes import ZsetRow
from tests.fake_link import FakeLink

GENERATION = 3
PLAYERS = 300


class Watched(FakeLink):
    """A link that does something after each round, and whose silent partitions do not answer."""

    def __init__(self) -> None:
        super().__init__()
        self.after_each: Callable[[], None] = lambda: None
        self.silent: set[str] = set()
        self.rounds = 0

    def try_many(self, calls: Sequence[ScriptCall]) -> list[Any]:
        answers = super().try_many(calls)
        if any(call.script.name == "beside" for call in calls):
            self.rounds += 1
            self.after_each()
        return [
            RedisSilent("nobody answers") if call.keys[0] in self.silent else answer
            for call, answer in zip(calls, answers, strict=True)
        ]


@pytest.fixture
def link() -> Watched:
    return Watched()


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few players as there are here are sought like millions."""
    monkeypatch.setattr(partition_plans, "MERGED", 40)
    monkeypatch.setattr(partition_plans, "NEAR", 16)


def opened(link: RedisClient, partitions: int, ties: Ties, order: Order = Order.DESC, **settings: Any) -> Period:
    """A period that no database knows."""
    board = Board(period="all_time", ties=ties.value, order=order.value, total_maximum=1000, maximum=1000, **settings)
    window = window_at(Calendar(PeriodKind("all_time")), datetime(2026, 3, 4, tzinfo=UTC))
    period = Period(board_id=7, label=window.label, generation=GENERATION, partitions=partitions)
    period.rules_json = board_rules(board).to_json()
    if partitions > 1:
        rows = [Partition(period=period, number=number, generation=GENERATION) for number in range(partitions)]
        period.set_parts(rows)
    for part in period.parts:
        ZsetSync(link).set_generation(part, GENERATION, RedisState(0, 0), empty=True)
    return period


def put(link: RedisClient, period: Period, points: dict[str, int], at_ms: int = 1_000_000) -> None:
    rows = []
    for name, number in points.items():
        packed = period.layout.pack((number,), at_ms + len(name), name)
        rows.append(ZsetRow(name, packed.score, packed.member))
    for part, own in period.by_part(rows, lambda row: row.player):
        Publisher(link).fill(part, own)


def drawn(seed: int = 5, most: int = 60) -> dict[str, int]:
    chance = random.Random(seed)
    return {f"p{'x' * chance.randrange(3)}{n}": chance.randrange(most) for n in range(PLAYERS)}


ASKED: list[Query] = [
    *(Page(offset, 7) for offset in (0, 1, 30, 39, 40, 41, 120, 200, 293, 299, 300, 500)),
    Page(100, 120),
    Page(5, 0),
    *(Around(name, radius) for name, radius in product(("p7", "px30", "pxx99", "nobody"), (0, 1, 5))),
    ForPlayers(("p7", "px30", "p1", "p2", "p3", "nobody", "pxx99")),
    *(AroundGap(Gap((30,), 1_000_000, "pm", after), 4, 6) for after in (False, True)),
    AroundGap(Gap((0,), None, "p", False), 9, 9),
    AroundGap(Gap((999,), None, "p", True), 9, 9),
]


@pytest.mark.parametrize("ties", Ties)
@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("partitions", [4, 16, 64])
def test_every_question_is_answered_as_of_one_family(link: Watched, partitions: int, order: Order, ties: Ties) -> None:
    points = drawn()
    whole, divided = opened(link, 1, ties, order), opened(link, partitions, ties, order)
    put(link, whole, points)
    put(link, divided, points)

    expected, found = ZsetStore(link).read(whole, ASKED), PartitionedStore(link).read(divided, ASKED)

    assert (found.total, found.complete) == (PLAYERS, True)
    for question, one, other in zip(ASKED, expected.answers, found.answers, strict=True):
        assert other == one, question


@pytest.mark.parametrize("partitions", [4, 16])
def test_the_best_may_all_be_in_one_partition(link: Watched, partitions: int) -> None:
    """First each partition is asked for its share alone."""
    period = opened(link, partitions, Ties.FIRST_COME)
    names = [f"p{n}" for n in range(100 * partitions)]
    best = [each for each in names if period.part_of(each) is period.parts[1]][:40]
    points = dict.fromkeys(names, 100) | {each: 900 - at for at, each in enumerate(best)}
    put(link, period, points)

    [rows] = PartitionedStore(link).read(period, [Page(0, 40)]).answers

    assert [name(period, row) for row in rows] == best


@pytest.mark.parametrize("ties", [Ties.FIRST_COME, Ties.SHARED])
def test_a_deep_page_of_many_players_takes_few_rounds(link: Watched, ties: Ties) -> None:
    points = {f"p{n}": n % 1000 for n in range(5000)}
    whole, divided = opened(link, 1, ties), opened(link, 16, ties)
    put(link, whole, points)
    put(link, divided, points)

    rounds = []
    for offset in (1000, 2500, 4900):
        link.rounds = 0
        assert PartitionedStore(link).read(divided, [Page(offset, 10)]).answers == (
            ZsetStore(link).read(whole, [Page(offset, 10)]).answers
        )
        rounds.append(link.rounds)
    assert max(rounds) <= 12


@pytest.mark.parametrize("ties", Ties)
@pytest.mark.parametrize("partitions", [4, 16])
def test_a_leader_who_scores_without_pause_is_first_in_every_reading(
    link: Watched, partitions: int, ties: Ties
) -> None:
    """Fault: 12 % of the ranks around such a leader were wrong, since they were counted ahead of themselves."""
    period, points = opened(link, partitions, ties), iter(range(100, 900))
    put(link, period, {f"p{n}": n for n in range(50)} | {"leader": 99})
    link.after_each = lambda: put(link, period, {"leader": next(points)})

    for _ in range(20):
        questions: list[Query] = [Around("leader", 2), Page(0, 3), Page(1, 2), ForPlayers(("p49", "p48"))]
        near, top, behind, named = PartitionedStore(link).read(period, questions).answers
        assert [(name(period, row), row.rank) for row in near] == [("leader", 1), ("p49", 2), ("p48", 3)]
        assert [(name(period, row), row.rank) for row in top] == [("leader", 1), ("p49", 2), ("p48", 3)]
        assert [(name(period, row), row.rank) for row in behind] == [("p49", 2), ("p48", 3)]
        assert [(name(period, row), row.rank) for row in named] == [("p49", 2), ("p48", 3)]


def name(period: Period, row: RankedRow) -> str:
    return period.layout.player_of(row.member)


@pytest.mark.parametrize("partitions", [4, 16])
def test_a_deep_page_that_is_sought_while_everybody_moves_has_nobody_twice_and_is_in_order(
    link: Watched, partitions: int
) -> None:
    """A place is looked for by score and member: whoever stood there may have gone."""
    period, chance = opened(link, partitions, Ties.FIRST_COME), random.Random(3)
    names = list(drawn())
    put(link, period, drawn())
    link.after_each = lambda: put(link, period, {each: chance.randrange(60) for each in chance.sample(names, 20)})

    for offset in range(45, 290, 20):
        [rows] = PartitionedStore(link).read(period, [Page(offset, 10)]).answers
        assert len({name(period, row) for row in rows}) == len(rows) == 10
        keys = [(row.score, row.member.encode()) for row in rows]
        assert keys == sorted(keys, reverse=True)
        ranks = [row.rank for row in rows]
        assert ranks == [*range(ranks[0] or 0, (ranks[0] or 0) + 10)]
        assert abs((ranks[0] or 0) - offset - 1) <= 60


@pytest.mark.parametrize("ties", Ties)
def test_a_partition_that_is_silent_is_told_and_nothing_is_guessed(link: Watched, ties: Ties) -> None:
    period = opened(link, 4, ties)
    put(link, period, drawn())
    silent = period.part_of("p7")
    others = [each for each in drawn() if period.part_of(each) is not silent]
    link.silent = {silent.family.gen}

    found = PartitionedStore(link).read(period, [Page(0, 10), Page(60, 5), Around(others[0], 2)])

    assert not found.complete
    for rows in found.answers:
        assert rows
        assert all(row.rank is row.tied is row.ahead is None for row in rows)
        assert all(name(period, row) in others for row in rows)
    assert PartitionedStore(link).totals([period]) == {}
    with pytest.raises(RedisSilent):
        PartitionedStore(link).counts(period, [ScoreRange(None, None)])


def test_if_no_partition_answers_the_reading_is_refused(link: Watched) -> None:
    period = opened(link, 4, Ties.SHARED)
    link.silent = {part.family.gen for part in period.parts}

    with pytest.raises(RedisSilent):
        PartitionedStore(link).read(period, [Page(0, 10)])


def test_a_partition_of_another_generation_refuses_the_whole_reading(link: Watched) -> None:
    """Then SQL answers, as for a period in one family."""
    period = opened(link, 4, Ties.SHARED)
    put(link, period, drawn())
    damaged: Part = period.parts[2]
    ZsetSync(link).set_generation(damaged, GENERATION + 1, RedisState(GENERATION, 0), empty=True)

    store = PartitionedStore(link)
    for read in (
        partial(store.read, period, [Page(0, 3)]),
        partial(store.quantiles, period, [0]),
        partial(store.histogram, period),
    ):
        with pytest.raises(StaleGeneration):
            read()


@pytest.mark.parametrize("order", Order)
def test_totals_counts_and_histograms_are_added_up(link: Watched, order: Order) -> None:
    points = drawn()
    whole, divided = opened(link, 1, Ties.SHARED, order), opened(link, 16, Ties.SHARED, order)
    whole.pk, divided.pk = 1, 2
    put(link, whole, points)
    put(link, divided, points)
    one, other = ZsetStore(link), PartitionedStore(link)

    ranges = [ScoreRange(None, 10), ScoreRange(10, 11), ScoreRange(11, 50), ScoreRange(50, None)]
    assert other.counts(divided, ranges) == one.counts(whole, ranges)
    assert other.totals([divided]) == {2: PLAYERS}
    assert other.scores(divided, ["p7", "nobody"]) == one.scores(whole, ["p7", "nobody"])
    shares = [0, 10, 250, 500, 999, 1000]
    assert other.quantiles(divided, shares) == one.quantiles(whole, shares)
    assert other.histogram(divided) == one.histogram(whole)
