"""What is read of DynamoDB: ranks up to the last one that is counted, and never a guess beyond.

That rows, ranks and ties are those of every storage is held by tests/contracts.
"""

import pytest

from foundation.errors import NotAvailable
from leaderboards.core.packing.layout import Packed
from leaderboards.core.ranking.gaps import Gap
from leaderboards.core.ranking.policies import StandingState
from leaderboards.models import Period
from leaderboards.stores.base import Around, AroundGap, ForPlayers, Page, Query, RankedRow, Store
from leaderboards.stores.dynamodb import client as dynamo_client
from leaderboards.stores.dynamodb import reads
from leaderboards.stores.dynamodb.reads import DynamoStore
from leaderboards.stores.dynamodb.writes import DynamoWriter, StoredStanding, new_standing
from leaderboards.stores.excluding import ExcludingStore
from tests.leaderboards.factories import BoardFactory, PeriodFactory

MOST = 5


@pytest.fixture(autouse=True)
def _few_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reads, "MOST_RANKED", MOST)


@pytest.fixture
def shared(period: Period) -> Period:
    return PeriodFactory.create(board=BoardFactory.create(storage="dynamodb", name="Shared", ties="shared"))


def put(period: Period, points: dict[str, int]) -> None:
    writer = DynamoWriter()
    for nth, (player, value) in enumerate(points.items()):
        writer.write(period, None, new_standing(period, player, StandingState((value,), 1_000_000 + nth)), [])


def ranked(period: Period, rows: list[RankedRow]) -> list[tuple[str, int | None, int | None, int | None]]:
    return [(period.layout.player_of(row.member), row.rank, row.tied, row.ahead) for row in rows]


def test_ranks_end_where_counting_ends_on_each_way_of_reading(period: Period) -> None:
    put(period, {f"p{nth}": 100 - nth for nth in range(8)})
    whole = [(f"p{nth}", nth + 1, 1, nth) if nth < MOST else (f"p{nth}", None, None, None) for nth in range(8)]

    questions: list[Query] = [
        Page(0, 8),
        Around("p4", 2),
        ForPlayers(("p7", "p1")),
        ForPlayers(("p0", "p3", "p4", "p5", "p7")),
    ]
    found = DynamoStore().read(period, questions)

    assert found.total == 8
    page, around, few, many = (ranked(period, rows) for rows in found.answers)
    assert page == whole
    assert around == whole[2:7]
    assert few == [whole[1], whole[7]]
    assert many == [whole[0], whole[3], whole[4], whole[5], whole[7]]


def test_a_shared_rank_is_told_only_if_all_who_share_it_were_counted(shared: Period) -> None:
    put(shared, {"first": 9, "b": 7, "c": 7, "d": 5, "e": 5, "f": 5, "last": 1})

    page, one, many = (
        DynamoStore().read(shared, [Page(0, 7), ForPlayers(("c",)), ForPlayers(("b", "c", "e", "last"))]).answers
    )

    assert ranked(shared, page)[:3] == [("first", 1, 1, 0), ("c", 2, 2, 1), ("b", 2, 2, 1)]
    assert {row.rank for row in page[3:]} == {None}  # six are at least as good as these
    assert ranked(shared, one) == [("c", 2, 2, 1)]
    assert [row.rank for row in many] == [2, 2, None, None]


def test_a_tie_that_is_longer_than_what_is_counted_has_no_rank_not_even_the_first(shared: Period) -> None:
    put(shared, {f"p{nth}": 7 for nth in range(MOST + 1)})

    [page] = DynamoStore().read(shared, [Page(0, 3)]).answers

    assert [(row.rank, row.tied) for row in page] == [(None, None)] * 3


def test_a_page_by_number_beyond_is_refused_and_read_by_a_cursor(period: Period) -> None:
    put(period, {f"p{nth}": 100 - nth for nth in range(8)})
    store = DynamoStore()

    with pytest.raises(NotAvailable, match="end at place 5"):
        store.read(period, [Page(MOST, 2)])
    [fifth] = store.read(period, [Page(MOST - 1, 1)]).answers
    standing = period.layout.unpack(fifth[0].score, fifth[0].member)
    gap = Gap(standing.value, standing.at_ms, standing.player, is_after=True)
    [beyond] = store.read(period, [AroundGap(gap, 1, 2)]).answers

    assert ranked(period, beyond) == [("p4", 5, 1, 4), ("p5", None, None, None), ("p6", None, None, None)]
    assert store.read(period, [Page(8, 2), Page(2**31, 2)]).answers == [[], []]  # behind the last there is nothing


def test_who_is_left_out_is_left_out_without_reading_who_stands_before_them(
    period: Period, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(period, {"a": 9, "hidden": 7, "c": 5})
    monkeypatch.setattr(reads._View, "_of_players", None)  # what counts for named players

    found = ExcludingStore(DynamoStore(), ["hidden"]).read(period, [Page(0, 2)])

    assert (found.total, ranked(period, found.answers[0])) == (2, [("a", 1, 1, 0), ("c", 2, 1, 1)])


def test_what_would_read_everybody_is_not_there(period: Period) -> None:
    put(period, {"a": 9, "b": 7})
    store = DynamoStore()

    assert (store.quantiles(period, [0, 500]).total, store.quantiles(period, [0, 500]).rows) == (2, [])
    found: Store = store
    assert found.counts(period, []) is None
    assert store.scores(period, ["b", "nobody"]) == {"b": period.layout.pack((7,), 1_000_001, "b").score}


def test_players_of_many_periods_are_counted_and_those_who_left_are_not(period: Period, shared: Period) -> None:
    put(period, {f"p{nth}": nth for nth in range(40)})
    put(shared, {"a": 1})
    writer = DynamoWriter()
    writer.remove(period, writer.look_up(period, ["p7"])["p7"])

    assert DynamoStore().totals([period, shared]) == {period.pk: 39, shared.pk: 1}
    assert DynamoStore().read(period, [ForPlayers(("p7",))]).answers == [[]]


def test_a_shard_that_answers_in_parts_is_read_to_its_end(period: Period, monkeypatch: pytest.MonkeyPatch) -> None:
    put(period, {f"p{nth:02}": 100 - nth for nth in range(20)})
    call = dynamo_client.DynamoClient.call

    def in_parts(self: dynamo_client.DynamoClient, operation: str, deadline: float, **asked: object) -> object:
        if operation == "query" and "IndexName" in asked:
            asked["Limit"] = 1  # as a page of a megabyte ends earlier than the limit
        return call(self, operation, deadline, **asked)  # type: ignore[arg-type]  # arguments of boto3, each of its own type

    monkeypatch.setattr(dynamo_client.DynamoClient, "call", in_parts)
    found = DynamoStore().read(period, [Page(0, 20), ForPlayers(("p04",))])

    assert [name for name, *_ in ranked(period, found.answers[0])] == [f"p{nth:02}" for nth in range(20)]
    assert ranked(period, found.answers[1]) == [("p04", 5, 1, 4)]


def test_a_stored_standing_is_what_was_written(period: Period) -> None:
    state = StandingState((7,), 1_000_123)
    written = new_standing(period, "가_a", state)
    DynamoWriter().write(period, None, written, [])

    assert DynamoWriter().look_up(period, ["가_a", "nobody"]) == {"가_a": written}
    assert written == StoredStanding("가_a", Packed(*period.layout.pack((7,), 1_000_123, "가_a")), state, written.token)
