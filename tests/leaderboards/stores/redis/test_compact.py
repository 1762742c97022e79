"""A compact family says what a sorted set of the same numbers says, whatever was written to both before."""

import random
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from foundation.redis import client as redis
from foundation.redis import lua
from foundation.sync.redis_state import StaleGeneration
from foundation.sync.registering import register_server
from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import Period, Player
from leaderboards.stores.base import (
    Page,
    ScoreRange,
    Store,
)
from leaderboards.stores.redis import reads
from leaderboards.stores.redis.compact import CompactStore
from leaderboards.stores.redis.player_cells import cells_of
from leaderboards.stores.redis.publish import Publisher
from leaderboards.stores.redis.reads import ZsetStore
from leaderboards.stores.redis.sync import ZsetSync
from leaderboards.stores.redis.writes import ZsetWriter
from tests.compact_trees import rows_of
from tests.leaderboards.stores.redis.numbered import Scores, compare, drawn, opened, publish, rows, store_of
from tests.raw import boards_redis, empty_boards

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

PLAYERS = 240
FIRST = 1_000  # number
SIZES = {"small nodes": (4, 4), "leaves of one": (1, 3), "as they are": None}


@pytest.fixture(autouse=True, params=list(SIZES.values()), ids=list(SIZES))
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few players are enough for a tree of several levels if its nodes are small."""
    if request.param is not None:
        monkeypatch.setattr(reads, "compact_script", _Resized(*request.param))


class _Resized:
    """Loads scripts whose nodes have other sizes."""

    def __init__(self, leaf: int, inner: int) -> None:
        self._sizes = f"local LEAF, INNER = {leaf}, {inner}"
        self._load = reads.compact_script

    def __call__(self, name: str) -> lua.Script:
        script = self._load(name)
        text = script.text.replace("local LEAF, INNER = 48, 32", self._sizes)
        assert ("LEAF" in text) is (self._sizes in text)
        return lua._script(name, text)


@pytest.fixture
def players(transactional_db: None, links: None) -> dict[str, int]:
    """Players whose ids sort otherwise than their numbers, as both have grown apart."""
    empty_boards()
    register_server()
    numbers = {f"{(7 * nth) % PLAYERS:03d} {'x' * (nth % 3)}": FIRST + 3 * nth for nth in range(PLAYERS)}
    at = datetime(2026, 3, 4, tzinfo=UTC)
    Player.objects.bulk_create(Player(pk=number, external_id=name, created_at=at) for name, number in numbers.items())
    return numbers


@pytest.mark.parametrize("kind", ["many", "few", "equal", "+1"])
@pytest.mark.parametrize("partitions", [1, 4])
def test_every_question_is_answered_as_a_sorted_set_of_numbers_would(
    players: dict[str, int], partitions: int, kind: str
) -> None:
    chance = random.Random(f"{partitions} {kind}")
    for nth, (ties, order) in enumerate(product(Ties, Order)):
        period = opened("compact", ties, order, partitions, seq=20 + nth)
        plain = opened("plain", ties, order, seq=40 + nth)
        before: Scores = {}
        for step in range(12):
            scores = drawn(chance, players, before, kind)
            before |= scores
            publish(period, players, scores)
            publish(plain, players, scores)
            if step % 4 == 3:
                compare(period, plain, players, chance, sum(score is not None for score in before.values()))
                look_into(period, before, players)


def look_into(period: Period, before: Scores, numbers: dict[str, int]) -> None:
    """The tree is whole, and has each number that has a score."""
    found = set[tuple[float, int]]()
    with boards_redis() as client:
        for part in period.parts:
            own = rows_of(client, part.family)
            levels = client.get(part.family.scores) or b""
            found |= {*own}
            if period.rules.ties is Ties.DENSE:
                used = {at for at in range(8 * len(levels)) if levels[at // 8] >> (7 - at % 8) & 1}
                assert used == {int(score) for score, _ in own}
    there = {name: score for name, score in before.items() if score is not None}
    assert {(row.score, int(row.member[:12])) for row in rows(period, numbers, {**there})} == found


def test_who_is_taken_out_of_a_board_takes_all_its_keys_along(players: dict[str, int]) -> None:
    period = opened("compact", Ties.SHARED)
    publish(period, players, {name: number % 50 for name, number in players.items()})

    publish(period, players, dict.fromkeys(players))

    with boards_redis() as client:
        assert not client.exists(period.family.zset, period.family.members)
    assert store_of(period).read(period, [Page(0, 9)]).answers == [[]]


def test_other_reads_of_a_compact_period_are_those_of_a_sorted_set(players: dict[str, int]) -> None:
    period, plain = opened("compact", Ties.SHARED), opened("plain", Ties.SHARED, seq=8)
    scores: Scores = {name: number % 41 for name, number in players.items()}
    for each in (period, plain):
        for part, own in each.by_part(rows(each, players, scores), lambda row: row.player):
            Publisher(redis.boards()).fill(part, own)
    one, other = CompactStore(redis.boards()), ZsetStore(redis.boards())
    shares = [0, 1, 250, 500, 999, 1000]
    ranges = [ScoreRange(None, 7.0), ScoreRange(7.0, 7.5), ScoreRange(40.0, None), ScoreRange(None, None)]

    quantiles = other.quantiles(plain, shares)
    assert [(member[:12], score) for member, score in one.quantiles(period, shares).rows] == quantiles.rows
    assert (
        one.counts(period, ranges)
        == other.counts(plain, ranges)
        == [
            sum(1 for score in scores.values() if score is not None and low <= score < high)
            for low, high in ((0, 7), (7, 7.5), (40, 99), (0, 99))
        ]
    )
    assert one.histogram(period) == other.histogram(plain)
    assert one.scores(period, [*scores, "nobody"]) == scores
    assert [*one.totals([period]).values(), *other.totals([plain]).values()] == [PLAYERS, PLAYERS]


def test_the_worker_walks_scans_and_looks_up_members(players: dict[str, int]) -> None:
    period, sync = opened("compact", Ties.SHARED), ZsetSync(redis.boards())
    scores: Scores = {name: number % 41 for name, number in players.items() if number % 2}
    publish(period, players, scores)
    wanted = {row.member: row.score for row in rows(period, players, scores)}

    assert dict(sync.iterate_ordered(period, 7)) == wanted
    found, cursor = dict[str, float](), ""
    while cursor != "0":
        cursor, some = sync.scan(period, cursor or "0", 10)
        found |= some
    assert found == wanted
    looked_up = ZsetWriter(redis.boards()).look_up(period, [(name, None) for name in players])
    assert [row.score for row in looked_up] == [scores.get(name) for name in players]
    assert {row.member for row in looked_up} - {""} == wanted.keys()
    name, member = next(iter(scores)), next(iter(wanted))
    assert sync.remove_orphan(period, name, member, remove=True) is None


def test_a_number_that_sql_does_not_know_has_a_name_that_leads_back_to_it(players: dict[str, int]) -> None:
    period = opened("compact", Ties.SHARED)
    publish(period, players, {"007 x": 5, "014 xx": 6})
    Player.objects.filter(external_id="014 xx").delete()

    (first, second), *_ = store_of(period).read(period, [Page(0, 2)]).answers
    unknown = period.layout.player_of(first.member)
    cells = cells_of(period)
    cells.look_up([unknown])

    assert period.layout.player_of(second.member) == "007 x"
    assert cells.cell(unknown) == first.member[:12]
    publish(period, players, {unknown: None})
    assert store_of(period).read(period, []).total == 1


def test_a_tree_that_does_not_fit_its_numbers_loses_its_generation_and_is_filled_anew(players: dict[str, int]) -> None:
    period = opened("compact", Ties.SHARED)
    publish(period, players, {"007 x": 5, "014 xx": 6})
    with boards_redis() as client:
        client.delete(period.family.zset)

    with pytest.raises(StaleGeneration):
        publish(period, players, {"007 x": 7})

    assert ZsetSync(redis.boards()).read_state(period).generation == 0
    with pytest.raises(StaleGeneration):
        store_of(period).read(period, [])


def test_another_generation_is_refused(players: dict[str, int]) -> None:
    period = opened("compact", Ties.SHARED)
    publish(period, players, {"007 x": 5})
    period.generation += 1
    store: Store = store_of(period)

    for ask in (
        lambda: store.read(period, [Page(0, 1)]),
        lambda: store.scores(period, ["007 x"]),
        lambda: store.quantiles(period, [0]),
        lambda: store.counts(period, [ScoreRange(None, None)]),
        lambda: publish(period, players, {"007 x": 6}),
    ):
        with pytest.raises(StaleGeneration):
            ask()


def test_all_keys_of_the_family_expire_and_are_deleted(players: dict[str, int]) -> None:
    period, sync = opened("compact", Ties.DENSE), ZsetSync(redis.boards())
    publish(period, players, dict.fromkeys(players, 5))
    with boards_redis() as client:
        there = {key for key in period.family.all_keys if client.exists(key)}
        assert there >= {period.family.zset, period.family.members, period.family.scores, period.family.gen}

        sync.expire(period, timedelta(days=2))
        assert all(0 < client.ttl(key) <= 2 * 86_400 for key in there)
        sync.unlink(period)
        assert client.dbsize() == 0
