"""The rows of the peer run: what is compared, where each ratio must be, and what a row's steps alone cost."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.harness.figures import Bound, Figure, Sample, at_most

BATCH = 100


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: an operation of ours, what of theirs it is compared with, and the ratio that is enough."""

    name: str
    said: str
    theirs: str
    bound: Bound
    things: int = 1  # in a request


ROWS = (
    Row("single_hybrid", "one score a request, hybrid", "single", at_most(1.6)),
    Row("single_redis", "one score a request, redis board", "single", at_most(1.0)),
    Row("single_hybrid_id", "the same with an `id` (Nakama has none), hybrid", "single", at_most(1.8)),
    Row("single_redis_id", "the same with an `id`, redis board", "single", Bound()),
    Row("rank_hybrid", "one score and its rank, hybrid", "single", at_most(1.8)),
    Row("rank_redis", "one score and its rank, redis board", "single", at_most(1.8)),
    Row("batch_hybrid", "a score, 100 a request, hybrid", "batch", at_most(0.25), BATCH),
    Row("batch_redis", "a score, 100 a request, redis board", "batch", at_most(0.12), BATCH),
    Row("top_20", "top 20", "top_20", at_most(0.7)),
    Row("top_20_recent", "top 20, at most a second old (`Cache-Control: max-age=1`)", "top_20", at_most(0.7)),
    Row("top_100", "top 100", "top_100", at_most(0.6)),
    Row("around", "own rank and 10 neighbours", "around", at_most(1.0)),
    Row("own", "own rank", "own", at_most(1.2)),
    Row("top_and_own", "top 20 and own, one request", "top_and_own", at_most(1.0)),
)
FIRST = Row("own_first", "own rank, mostly of players whose names nobody has asked for", "", Bound())
FLOORS = (
    Row("floor_view", "an empty view of the API", "", Bound()),
    Row("floor_key", "the same with a key and its rate limit", "", Bound()),
    Row("floor_trip", "an empty view with a trip to Redis for a rank", "", Bound()),
    Row("floor_commit", "an empty view with a transaction of one row", "", Bound()),
)
PLAIN = (
    Row("plain_batch_hybrid", "a score, 100 in a plain transaction, without Sunwi", "", Bound(), BATCH),
    Row("plain_batch_redis", "a score, 100 in a plain ZADD, without Sunwi or a copy in SQL", "", Bound(), BATCH),
)
# What a row cannot do without, by the floors: an announcement and a publication around a commit are two trips.
_SINGLE_HYBRID, _SINGLE_REDIS, _READ = ("key", "trip", "trip", "commit"), ("key", "trip"), ("trip",)
STEPS: Mapping[str, tuple[str, ...]] = {
    "single_hybrid": _SINGLE_HYBRID,
    "single_hybrid_id": _SINGLE_HYBRID,
    "rank_hybrid": (*_SINGLE_HYBRID, "trip"),
    "single_redis": _SINGLE_REDIS,
    "single_redis_id": _SINGLE_REDIS,
    "rank_redis": (*_SINGLE_REDIS, "trip"),
    **dict.fromkeys(("top_20", "top_100", "around", "own", "top_and_own"), _READ),
    "top_20_recent": (),
}


def compared(row: Row, ours: list[Sample], theirs: list[Sample]) -> Figure:
    """Our cost over theirs: the median of the passes."""
    ratios = [cost([one], row) / cost([other], row) for one, other in zip(ours, theirs, strict=True)]
    return Figure(statistics.median(ratios), row.bound, ours, theirs)


def cost(samples: Any, row: Row) -> float:
    """CPU seconds for 1,000 operations, of all samples together."""
    spent = sum(each.beside["served_cpu_seconds"] for each in samples)
    return float(1000 * spent / (row.things * sum(each.count for each in samples)))


def least(row: Row, players: int, figures: Mapping[str, Any]) -> float:
    """CPU seconds for 1,000 operations that did a row's steps and nothing else.

    Of a batch: the rows in the servers alone, and the request with its key.
    """
    floors = {each.name.removeprefix("floor_"): cost(figures[each.name].ours, each) for each in FLOORS}
    if row.things > 1:
        plain = next(each for each in PLAIN if each.name == f"plain_{row.name}")
        return cost(figures[f"{plain.name}_{players}"].ours, plain) + floors["key"] / row.things
    return floors["view"] + sum(floors[step] - floors["view"] for step in STEPS[row.name])
