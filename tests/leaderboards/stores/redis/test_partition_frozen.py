"""Real servers of a cluster, one of which is stopped: the others' partitions are read without it."""

from collections.abc import Iterator
from typing import Any

import pytest

from foundation.redis.client import PARTITIONS_TIMEOUT_SECONDS, RedisClient
from foundation.redis.cluster import Cluster
from leaderboards.core.ranking.rules import Ties
from leaderboards.stores.base import Around, Page
from leaderboards.stores.redis.partitioned import PartitionedStore
from tests.faults.nodes import Nodes
from tests.faults.servers import temporary_folder
from tests.leaderboards.stores.redis.test_partitioned import name, opened, put

POINTS = {f"p{n}": n for n in range(120)}
OPTIONS: dict[str, Any] = {"socket_timeout": 5.0, "socket_connect_timeout": 5.0}
SHORT: dict[str, Any] = dict.fromkeys(OPTIONS, PARTITIONS_TIMEOUT_SECONDS)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    made = Nodes(temporary_folder(), replicas=False)
    made.start()
    yield made
    made.end()


@pytest.mark.parametrize("frozen_part", [0, 9])
def test_the_others_are_read_whichever_server_is_stopped_and_all_of_them_again_later(
    nodes: Nodes, frozen_part: int
) -> None:
    """Fault: a frozen server of the first partition held up the readings of all."""
    writing = RedisClient(Cluster(nodes.url, **OPTIONS))
    period = opened(writing, 16, Ties.FIRST_COME)
    put(writing, period, POINTS)
    reading = PartitionedStore(RedisClient(Cluster(nodes.url, **SHORT)))
    before = reading.read(period, [Page(0, 120)])
    assert (before.complete, before.total) == (True, 120)
    frozen = nodes.primary_of(period.parts[frozen_part].family.gen)
    lost = {each for each in POINTS if nodes.primary_of(period.part_of(each).family.gen) is frozen}
    seen = next(each for each in POINTS if each not in lost)

    frozen.freeze()
    try:
        silent = [reading.read(period, [Page(0, 120), Around(seen, 3)]) for _ in range(3)]
    finally:
        frozen.thaw()

    for found in silent:
        assert not found.complete
        rows = found.answers[0]
        assert {name(period, row) for row in rows} == POINTS.keys() - lost
        assert all(row.rank is None for row in rows)
    fresh = PartitionedStore(RedisClient(Cluster(nodes.url, **OPTIONS)))
    assert fresh.read(period, [Page(0, 120)]) == before
