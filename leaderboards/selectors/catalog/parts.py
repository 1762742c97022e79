"""The families in Redis of many periods, with one more statement if any of the periods is divided."""

from collections import defaultdict
from collections.abc import Iterable

from leaderboards.models import Part, Partition, Period


def parts_of(periods: Iterable[Period]) -> list[Part]:
    """Return the rows of the families of these periods, in their order: periods themselves, or their partitions."""
    found = list(periods)
    load_parts(found)
    return [part for period in found for part in period.parts]


def load_parts(periods: Iterable[Period]) -> None:
    """Read the partitions of these periods now."""
    divided = [period for period in periods if period.is_divided]
    by_period = defaultdict[int, list[Partition]](list)
    for part in Partition.objects.filter(period__in=divided).order_by("number") if divided else ():
        by_period[part.period_id].append(part)
    for period in divided:
        period.set_parts(by_period[period.pk])
