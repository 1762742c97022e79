"""When boards and competitions were changed last, noted in Redis for as long as cached rows are used without SQL.

While SQL is away, a process uses the rows that it had read before. What is noted here since then, it has not read: such
a row may show what has been hidden (``foundation/db/resilience.py``). All functions raise what the client raises.
"""

from collections.abc import Collection, Mapping

from foundation.db.resilience import MAX_STALE_SECONDS
from foundation.redis.client import RedisClient, ScriptCall
from leaderboards.core import keys
from leaderboards.stores.redis.reads import script

MARGIN_SECONDS = 1.0  # for two clocks, and the way to Redis


def note_changes(link: RedisClient, owners: Collection[str]) -> None:
    """Note that these were changed now; each is a board's prefix or the sorted set of a competition."""
    if owners:
        note = script("note_change")
        link.run_many([ScriptCall(note, [keys.changed(owner)], [round(MAX_STALE_SECONDS)]) for owner in sorted(owners)])


def changed_since(link: RedisClient, ages: Mapping[str, float]) -> set[str]:
    """Those of ``ages`` (owner → how many seconds ago its row was read) that were changed after that, or about then."""
    ago = script("changed_ago")
    answers = link.run_many([ScriptCall(ago, [keys.changed(owner)]) for owner in ages])
    return {
        owner
        for (owner, age), changed_ms in zip(ages.items(), answers, strict=True)
        if 0 <= changed_ms <= (age + MARGIN_SECONDS) * 1000
    }
