"""The content of an entry: what a repetition of its id is compared with."""

from decimal import Decimal

from foundation.messages import Message
from leaderboards.core.id_buckets import BucketedId, bucketed_id
from leaderboards.core.input.entries import Entry
from leaderboards.core.input.points import scaled
from leaderboards.core.ranking.policies import sent_value
from leaderboards.core.ranking.rules import Operator
from leaderboards.errors import BadPoints, IdReused, OutOfRange
from leaderboards.models import QuarantinedEntry, Submission


def content(entry: Entry) -> str:
    """The content of an entry as text; equal content gives equal text: ``1``, ``1.0`` and ``"1"`` are the same."""
    if entry.points is not None:
        points = Decimal(entry.points)
        value = str(points.normalize() or 0) if abs(points.adjusted()) < 40 else "beyond"  # -0 is 0
    else:
        adds = entry.operator is not None and entry.operator.adds  # then a field that was not sent is 0
        fields = ((name, number) for name, number in sorted(entry.fields or ()) if number or not adds)
        value = ",".join(f"{name}={number}" for name, number in fields)
    parts: tuple[str, ...] = (entry.player, value, entry.at.isoformat() if entry.at else "")
    if entry.operator is not None or entry.metadata is not None:
        parts = (*parts, entry.operator or "", entry.metadata or "")
    return "\0".join(parts)


def bucketed(entry: Entry, service: str) -> BucketedId | None:
    """Where a redis board stores the entry's id; None if it has no id."""
    return bucketed_id(service, entry.external_id, content(entry)) if entry.external_id is not None else None


def has_same_content(entry: Entry, row: Submission | QuarantinedEntry) -> bool:
    """Whether an entry has the content that is stored under its id; ``row`` has its player and period loaded."""
    if (entry.player, entry.at, entry.operator) != (row.player.external_id, row.sent_at, row.operator):
        return False
    if entry.metadata != row.metadata:
        return False
    rules = row.period.rules
    if entry.points is None:
        absent = 0 if entry.operator is not None and entry.operator.adds else None
        sent, names = dict(entry.fields or ()), [field.name for field in rules.fields]
        numbers = [sent.get(name, absent) for name in names]
        if entry.operator is Operator.DECREMENT:
            numbers = [-number for number in numbers if number is not None]
        return row.fields is not None and numbers == row.fields
    try:
        return sent_value((scaled(entry.points, rules.decimals),), entry.operator) == (row.points,)
    except (BadPoints, OutOfRange):
        return False


def id_reused_error(entry: Entry) -> IdReused:
    """The refusal of an id that was used for other content."""
    return IdReused(
        Message(
            "The id %(id)s was used before for other content; give this entry an id of its own.", id=entry.external_id
        )
    )
