"""Reading a period from its score ranges says what reading its partitions does, wherever it is cut."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any
from unittest.mock import patch

import pytest

from foundation.redis.client import RedisSilent, ScriptCall
from leaderboards.core.range_steps import Change, RangeIndex, beginning, filling, passing, preparing
from leaderboards.core.ranking.gaps import Gap
from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.core.score_ranges import Place, choose_cuts
from leaderboards.models import Period
from leaderboards.stores.base import Around, AroundGap, ForPlayers, Page, Query, QueryResult
from leaderboards.stores.redis import ranged
from leaderboards.stores.redis.partitioned import PartitionedStore
from leaderboards.stores.redis.ranged import read_ranges
from leaderboards.stores.redis.score_ranges import RangeRefused, RangeStore
from tests.fake_link import FakeLink
from tests.leaderboards.stores.redis.test_partitioned import drawn, opened, put

ASKED: list[Query] = [
    *(Page(offset, 7) for offset in (0, 1, 70, 120, 200, 293, 299, 300, 500)),
    Page(0, 300),
    Page(5, 0),
    *(Around(name, radius) for name, radius in product(("p7", "px30", "pxx99", "nobody"), (0, 1, 5, 200))),
    ForPlayers(("p7", "px30", "p1", "p2", "p3", "nobody", "pxx99")),
    *(AroundGap(Gap((30,), 1_000_000, "pm", after), 4, 6) for after in (False, True)),
    AroundGap(Gap((0,), None, "p", False), 9, 9),
    AroundGap(Gap((999,), None, "p", True), 9, 9),
]
SHOWN = (Ties.FIRST_COME, Ties.LAST_COME, Ties.SHARED)


class Counted(FakeLink):
    """A link that counts scripts by name, and of which some do not answer."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.silent: set[str] = set()

    def try_many(self, calls: Sequence[ScriptCall]) -> list[Any]:
        self.asked += [call.script.name for call in calls]
        answers = super().try_many(calls)
        return [
            RedisSilent("nobody answers") if call.script.name in self.silent else answer
            for call, answer in zip(calls, answers, strict=True)
        ]


@pytest.fixture
def link() -> Iterator[Counted]:
    ranged.forget_tries()
    yield Counted()
    ranged.forget_tries()


def followed(link: Counted, period: Period, index: RangeIndex, fence: int = 1, as_of: int = 0) -> None:
    """One run that fills an index and follows."""
    store, partitions = RangeStore(link, period), len(period.parts)
    store.run(preparing(index, partitions, fence))
    found = store.run(beginning([index], partitions, fence))
    while not found.whole:
        found = store.run(passing([index], fence, 1, as_of, found))
    for partition in range(partitions):
        cursor = "0"
        while (cursor := store.run(filling(index, partition, cursor, fence))) != "0":
            pass
    passed(link, period, index, fence, as_of)


def passed(link: Counted, period: Period, index: RangeIndex, fence: int = 1, as_of: int = 0) -> None:
    store = RangeStore(link, period)
    found = store.run(beginning([index], len(period.parts), fence))
    while not found.whole:
        found = store.run(passing([index], fence, 2, as_of, found))


def told(found: QueryResult | None) -> Any:
    assert found is not None
    return found.total, found.answers, found.complete


def cut(link: Counted, period: Period, cuts: Sequence[Place] | None = None) -> RangeIndex:
    chosen = choose_cuts(RangeStore(link, period).sample(), period.partitions) if cuts is None else cuts
    return RangeIndex(epoch=11, slot=0, cuts=tuple(chosen))


def ranged_period(link: Counted, partitions: int, ties: Ties, order: Order = Order.DESC, **settings: Any) -> Period:
    return opened(link, partitions, ties, order, score_ranges=True, **settings)


@pytest.mark.parametrize("ties", SHOWN)
@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("partitions", [4, 16])
def test_every_question_is_answered_as_by_the_partitions(
    link: Counted, partitions: int, order: Order, ties: Ties
) -> None:
    period = ranged_period(link, partitions, ties, order)
    put(link, period, drawn())
    expected = PartitionedStore(link)._read_partitions(period, ASKED)
    index = cut(link, period)
    followed(link, period, index)
    assert len(index.cuts) == partitions - 1

    with patch.object(ranged, "_index_of", return_value=index):
        found = read_ranges(link, period, ASKED)

    assert found is not None
    assert (found.total, found.complete, found.as_of) == (expected.total, True, None)
    for question, one, other in zip(ASKED, expected.answers, found.answers, strict=True):
        assert other == one, question


@pytest.mark.parametrize("ties", SHOWN)
@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("points", [{f"p{n}": 7 for n in range(40)}, {"p1": 3}, {}], ids=["all equal", "one", "none"])
def test_equals_one_player_and_none_are_cut_too(
    link: Counted, ties: Ties, order: Order, points: dict[str, int]
) -> None:
    period = ranged_period(link, 4, ties, order)
    put(link, period, points)
    asked: list[Query] = [Page(0, 50), Page(17, 9), Around("p1", 3), ForPlayers(("p1", "p2"))]
    index = cut(link, period)
    followed(link, period, index)

    with patch.object(ranged, "_index_of", return_value=index):
        found = read_ranges(link, period, asked)

    assert told(found) == told(PartitionedStore(link)._read_partitions(period, asked))


@pytest.mark.parametrize("partitions", [4, 16])
def test_whoever_moves_is_followed_across_every_cut(link: Counted, partitions: int) -> None:
    period = ranged_period(link, partitions, Ties.FIRST_COME)
    put(link, period, drawn(1))
    index = cut(link, period)
    followed(link, period, index)

    with patch.object(ranged, "_index_of", return_value=index):
        for seed in range(2, 6):
            put(link, period, dict([*drawn(seed).items()][: 40 * seed]), at_ms=1_000_000 + seed)
            assert read_ranges(link, period, ASKED) is None
            ranged.forget_tries()
            passed(link, period, index, fence=seed)
            assert told(read_ranges(link, period, ASKED)) == told(
                PartitionedStore(link)._read_partitions(period, ASKED)
            )


def test_a_rank_and_a_deep_page_ask_one_or_two_ranges_and_each_partition_only_for_its_notes(link: Counted) -> None:
    period = ranged_period(link, 16, Ties.FIRST_COME)
    put(link, period, drawn())
    index = cut(link, period)
    followed(link, period, index)
    asked: dict[str, list[str]] = {}
    questions: dict[str, Query] = {"rank": ForPlayers(("p7",)), "page": Page(200, 10)}

    with patch.object(ranged, "_index_of", return_value=index):
        for name, question in questions.items():
            link.asked = []
            assert read_ranges(link, period, [question])
            asked[name] = link.asked
        with ranged.reading_within(10.0**12):
            link.asked = []
            assert read_ranges(link, period, [ForPlayers(("p7",))])
            asked["old rank"] = link.asked

    assert asked["rank"].count("moved_none") == asked["page"].count("moved_none") == 16
    assert asked["rank"].count("beside") == 1
    assert asked["page"].count("beside") == 0
    assert asked["page"].count("range_beside") <= 3
    assert "moved_none" not in asked["old rank"]
    assert len(asked["old rank"]) <= 3


@pytest.mark.parametrize("silent", ["moved_none", "range_beside", "beside"])
def test_who_does_not_answer_leaves_the_answer_to_the_partitions(link: Counted, silent: str) -> None:
    period = ranged_period(link, 4, Ties.SHARED)
    put(link, period, drawn())
    index = cut(link, period)
    followed(link, period, index)
    link.silent = {silent}

    with patch.object(ranged, "_index_of", return_value=index):
        assert read_ranges(link, period, [ForPlayers(("p7",))]) is None


def test_ranges_of_two_states_do_not_answer_together(link: Counted) -> None:
    period = ranged_period(link, 4, Ties.FIRST_COME)
    put(link, period, drawn())
    index = cut(link, period)
    followed(link, period, index)
    name = period.parts[0].family.range_head(index.slot)
    link.call("HSET", name, "mark", "another")

    with patch.object(ranged, "_index_of", return_value=index):
        assert read_ranges(link, period, [Page(0, 300)]) is None


def test_a_range_that_has_lost_a_player_does_not_answer(link: Counted) -> None:
    period = ranged_period(link, 4, Ties.FIRST_COME)
    put(link, period, drawn())
    index = cut(link, period)
    followed(link, period, index)
    for part in period.parts:
        link.call("ZPOPMIN", part.family.range(index.slot))

    with patch.object(ranged, "_index_of", return_value=index):
        assert read_ranges(link, period, [Page(0, 5)]) is None


def test_notes_of_more_players_than_one_call_reads_are_all_read(link: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboards.stores.redis.score_ranges.NOTES_AT_ONCE", 5)
    period = ranged_period(link, 4, Ties.FIRST_COME)
    put(link, period, drawn(1))
    index = cut(link, period)
    followed(link, period, index)
    put(link, period, drawn(2), at_ms=2_000_000)

    passed(link, period, index, fence=2)

    with patch.object(ranged, "_index_of", return_value=index):
        assert told(read_ranges(link, period, ASKED)) == told(PartitionedStore(link)._read_partitions(period, ASKED))


def test_who_moves_before_and_after_their_partition_is_filled_is_there_once(link: Counted) -> None:
    period = ranged_period(link, 4, Ties.FIRST_COME)
    put(link, period, drawn())
    index, store = cut(link, period), RangeStore(link, period)
    store.run(preparing(index, 4, 1))
    passed(link, period, index)
    put(link, period, {"p7": 1})
    for partition in range(4):
        store.run(filling(index, partition, "0", 1))
    put(link, period, {"p7": 59})

    passed(link, period, index, fence=2)

    found = [
        member
        for part in period.parts
        for member in link.call("ZRANGE", part.family.range(index.slot), 0, -1)
        if period.layout.player_of(member.decode()) == "p7"
    ]
    assert len(found) == 1


def test_a_range_refuses_what_an_earlier_run_has_sent(link: Counted) -> None:
    period = ranged_period(link, 4, Ties.FIRST_COME)
    put(link, period, drawn())
    index = cut(link, period)
    followed(link, period, index)
    passed(link, period, index, fence=2)

    with pytest.raises(RangeRefused):
        RangeStore(link, period)._exchange([Change(index, 1, 1, ["p7"], [("ghost", 5.0)])])

    with patch.object(ranged, "_index_of", return_value=index):
        assert told(read_ranges(link, period, ASKED)) == told(PartitionedStore(link)._read_partitions(period, ASKED))
