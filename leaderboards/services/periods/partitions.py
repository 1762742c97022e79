"""The rows of the partitions of a period: made with the period, and anew if its board has another number of them."""

from leaderboards.models import Part, Partition, Period


def make_partitions(period: Period) -> None:
    """Make the partitions of a period without any: stale as the period is, and under its generation."""
    if period.is_divided:
        shared = {name: getattr(period, name) for name in ("generation", "stale_since", "needs_full_rebuild")}
        rows = [Partition(period=period, number=number, **shared) for number in range(period.partitions)]
        Partition.objects.bulk_create(rows)
        period.forget_parts()


def replace_partitions(period: Period, partitions: int) -> list[Part]:
    """Give a period without standings another number of partitions; returns the former rows, whose keys may stay.

    Call it under the exclusive barrier, in the transaction that marks the period stale under a new generation.
    """
    former = list(period.parts)
    for part in former:
        part.family  # noqa: B018 - the names of its keys go by the former number
    Partition.objects.filter(period=period).delete()
    period.partitions = partitions
    period.save(update_fields=["partitions"])
    make_partitions(period)
    return former if len(former) != partitions else []
