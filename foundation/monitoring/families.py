"""Numbers of several processes as families of samples: counters and histograms added up, of gauges the largest."""

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from foundation.monitoring.count_files import Key, to_key

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

GAUGE = "gauge_max"
BUCKET, BOUND = "_bucket", "le"
Labels = tuple[tuple[str, str], ...]


def to_families(numbers: Iterable[tuple[str, str, float]]) -> Iterator["Metric"]:
    """Make families of numbers, each a kind, a key's text and a value. Gauges of other kinds than ours are left out."""
    from prometheus_client.metrics_core import Metric  # beat, which reads settings alone, does without the library

    found: dict[tuple[str, str], Metric] = {}
    for kind, key, value in _buckets_added_up(_together(numbers)):
        name = kind.partition("_")[0]
        family = found.setdefault((name, key.family), Metric(key.family, key.description, name))
        family.add_sample(key.sample, dict(key.labels), value)
    yield from found.values()


def _together(numbers: Iterable[tuple[str, str, float]]) -> dict[tuple[str, str], float]:
    """One value of each key."""
    values: dict[tuple[str, str], float] = {}
    for kind, text, value in numbers:
        if kind == GAUGE:
            values[kind, text] = max(values.get((kind, text), -math.inf), value)
        elif not kind.startswith("gauge"):
            values[kind, text] = values.get((kind, text), 0.0) + value
    return values


def _buckets_added_up(values: dict[tuple[str, str], float]) -> Iterator[tuple[str, Key, float]]:
    """Everything but buckets as it is; each bucket with those below it; and the count, which the last one is."""
    buckets: dict[tuple[str, Labels, str], dict[float, tuple[str, float]]] = {}
    for (kind, text), value in values.items():
        key = to_key(text)
        bound = dict(key.labels).get(BOUND) if kind == "histogram" else None
        if bound is None:
            yield kind, key, value
            continue
        others = tuple(label for label in key.labels if label[0] != BOUND)
        held = buckets.setdefault((key.family, others, key.description), {})
        held[float(bound)] = (bound, held.get(float(bound), ("", 0.0))[1] + value)
    for (family, labels, description), held in buckets.items():
        total = 0.0
        for _, (bound, count) in sorted(held.items()):
            total += count
            yield "histogram", Key(family, family + BUCKET, (*labels, (BOUND, bound)), description), total
        yield "histogram", Key(family, family + "_count", labels, description), total
