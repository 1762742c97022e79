"""Writing standings that Redis decides over.

Every script carries the generation and a deadline by Redis's own clock, so that a call which its
caller has given up can not act later. Nothing here is sent twice.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cache, partial
from typing import NamedTuple

from foundation.redis.client import Argument, RedisClient
from leaderboards.core import keys as named
from leaderboards.core.id_buckets import PROOF_BYTES, BucketedId
from leaderboards.core.periods import long_label, short_label
from leaderboards.core.ranking.policies import StandingState
from leaderboards.core.ranking.rules import Order, Ties, Update
from leaderboards.errors import PeriodClosed
from leaderboards.models import Period
from leaderboards.stores.redis.reads import lua_bool, placement_args, ranked_keys, run

ENTRIES_PER_CALL = 250


class Verdict(StrEnum):
    """What the submit script says of an entry."""

    UPDATED = "U"
    SAME = "S"
    DUPLICATE = "D"
    REUSED = "R"
    OTHER_PERIOD = "E"  # a duplicate of what counted in another period of the board
    OUT_OF_RANGE = "O"
    CLOSED = "C"


_VERDICTS = {ord(verdict): verdict for verdict in Verdict}


class ZsetRow(NamedTuple):
    """A player's exact place; without a score they are taken out."""

    player: str
    score: float | None
    member: str


class EntryToEvaluate(NamedTuple):
    """One entry for the submit script; ``bucketed`` is None where the caller gave no id."""

    player: str
    value: tuple[int, ...]
    at_ms: int
    bucketed: BucketedId | None


class EvaluatedEntry(NamedTuple):
    """The verdict, and the player's standing after it; None where they are not ranked."""

    verdict: Verdict
    state: StandingState | None


class IdRecord(NamedTuple):
    """What an id counted for: the proof of what was sent, and the label of the period; "all" of a competition's."""

    proof: bytes
    label: str


class Lookup(NamedTuple):
    """What Redis knows of an entry's id and its player. ``stored_state`` is ``time|value`` where the score tells not
    all."""

    counted: IdRecord | None
    score: float | None
    member: str
    stored_state: str


def lua_form(period: Period) -> str:
    """How the scripts read a standing: from the score, from the member, or from ``stored_state``."""
    layout = period.layout
    if layout.decodes_in_lua:
        return "score"
    return "member" if layout.in_member else "plain"


def lua_time(period: Period, at_ms: int) -> str:
    """A time as the scripts compare it: a number in the score, else a text of 19 digits."""
    layout = period.layout
    if layout.decodes_in_lua:
        return str(layout.time_field(at_ms))
    return f"{at_ms:019d}" if stores_state(period) else layout.time_text(at_ms)


def stores_state(period: Period) -> bool:
    """Whether Redis keeps ``time|value`` beside the score, for the scripts to judge by."""
    return bool(period.rules.criteria) or lua_form(period) == "plain"


def stored_state_text(period: Period, state: StandingState) -> str:
    """What is kept beside the score, or nothing."""
    return f"{state.at_ms:019d}|{period.layout.sortable_text(state.value)}" if stores_state(period) else ""


def state_from(period: Period, score: float, member: str, stored_state: str) -> StandingState:
    """The standing that Redis keeps, as the policies know it. Where Redis keeps no time, it is 0."""
    unpacked = period.layout.unpack(score, member)
    if unpacked.at_ms is None:
        return StandingState(unpacked.value, int(stored_state[:19]) if stored_state else 0)
    return StandingState(unpacked.value, unpacked.at_ms)


class ZsetWriter:
    """What changes a period in Redis."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def submit(self, period: Period, entries: Sequence[EntryToEvaluate]) -> list[EvaluatedEntry]:
        """Judge and apply up to ``ENTRIES_PER_CALL`` entries."""
        return self.prepare_submit(period, entries)()

    def prepare_submit(self, period: Period, entries: Sequence[EntryToEvaluate]) -> Callable[[], list[EvaluatedEntry]]:
        """What ``submit`` sends, to be called at once: until then nothing is done.

        The day of an id is that of the deadline: who is held up behind it comes too late.
        """
        family, deadline = period.family, self._link.deadline_ms()
        keys = [*ranked_keys(period), family.stored_state, family.seq, family.dirty, family.closed]
        said, buckets = _said(period), _Buckets(period.id_namespace, keys, _days(deadline))
        with_ids = any(entry.bucketed for entry in entries)
        cells: list[Argument] = []
        for entry in entries:
            cells += said(entry)
            if with_ids:
                cells += _said_of_id(entry.bucketed, buckets)
        args = [*_submit_head(period, deadline), len(cells) // max(1, len(entries)), *cells]

        def send() -> list[EvaluatedEntry]:
            letters, *told = run(self._link, "submit", keys, args)
            return _judged(period, entries, letters, told)

        return send

    def remove(self, period: Period, player: str) -> bool:
        """Take a player out of a period that Redis decides over; False if not in it. Raises ``PeriodClosed``."""
        family = period.family
        keys = [*ranked_keys(period), family.stored_state, family.seq, family.dirty, family.closed]
        answer = int(run(self._link, "remove", keys, [*placement_args(self._link, period), player]))
        if answer < 0:
            raise PeriodClosed(f"Period {period.label} is closed.")
        return bool(answer)

    def remove_final(self, period: Period, player: str, member: str) -> None:
        """Take a player out of a final period's keys, whatever their generation: nobody reads them any more."""
        family = period.family
        self._link.call("ZREM", family.zset, member)
        for key in (family.members, family.stored_state, family.dirty):
            self._link.call("HDEL", key, player)

    def amend(self, period: Period, put: ZsetRow, stored_state: str, seen: float | None) -> bool:
        """Set a standing that Redis decides over, or take the player out, and mark it for the mirror; False if its
        score is not ``seen``."""
        family = period.family
        keys = [*ranked_keys(period), family.stored_state, family.seq, family.dirty]
        args: list[Argument] = [
            *placement_args(self._link, period),
            *(put.player, "" if seen is None else repr(seen)),
            *("" if put.score is None else repr(put.score), put.member, stored_state),
        ]
        return bool(run(self._link, "amend", keys, args))

    def look_up(self, period: Period, entries: Sequence[tuple[str, BucketedId | None]]) -> list[Lookup]:
        """What is known of entries (player, id) without applying them."""
        family = period.family
        keys = [family.gen, family.zset, family.members, family.stored_state]
        args: list[Argument] = [period.generation, lua_bool(period.layout.in_member)]
        buckets = _Buckets(period.id_namespace, keys, _days(self._link.deadline_ms()))
        for player, bucketed in entries:
            args += (player, bucketed.field if bucketed else b"", buckets.place(bucketed))
        return _seen(run(self._link, "lookup", keys, args))

    def look_up_ids(self, owner: str, ids: Sequence[BucketedId]) -> list[IdRecord | None]:
        """What is remembered of ids, whatever the generation of any period; ``owner`` is a ``Period.id_namespace``."""
        days = _days(self._link.deadline_ms())
        asked = [("HGET", named.ids(owner, day, each.bucket), each.field) for each in ids for day in days]
        told = self._link.pipeline(asked)
        return [_counted(today or before) for today, before in zip(told[::2], told[1::2], strict=True)]


def _submit_head(period: Period, deadline: int) -> list[Argument]:
    rules, layout = period.rules, period.layout
    kind = "text" if rules.criteria else ("more" if rules.order is Order.DESC else "less")
    return [
        *(period.generation, deadline, rules.update.value, kind),
        *(lua_form(period), lua_bool(rules.ties is Ties.DENSE)),
        *(1 << layout.time_bits, lua_bool(layout.time_grows or stores_state(period))),
        *(rules.minimum, rules.total_maximum, short_label(period.label)),
    ]


def _days(at_ms: int) -> tuple[str, str]:
    """The names of the id buckets of a moment's day and of the day before."""
    day = datetime.fromtimestamp(at_ms / 1000, UTC).date()
    return day.isoformat(), (day - timedelta(days=1)).isoformat()


def _counted(kept: bytes | None) -> IdRecord | None:
    return IdRecord(kept[:PROOF_BYTES], long_label(kept[PROOF_BYTES:])) if kept else None


def _said(period: Period) -> Callable[[EntryToEvaluate], tuple[Argument, ...]]:
    """What the script hears of an entry: points it packs itself, criteria come packed beside their text."""
    layout, time = period.layout, cache(partial(lua_time, period))
    if not period.rules.criteria:
        return lambda entry: (entry.player, entry.value[0], time(entry.at_ms))

    def packed(entry: EntryToEvaluate) -> tuple[Argument, ...]:
        text, placed = layout.sortable_text(entry.value), layout.pack(entry.value, entry.at_ms, entry.player)
        return entry.player, text, time(entry.at_ms), placed.score, placed.member

    return packed


def _seen(cells: Sequence[bytes]) -> list[Lookup]:
    return [
        Lookup(_counted(kept), float(score) if score else None, member.decode(), stored_state.decode())
        for kept, score, member, stored_state in zip(cells[::4], cells[1::4], cells[2::4], cells[3::4], strict=True)
    ]


def _said_of_id(bucketed: BucketedId | None, buckets: "_Buckets") -> tuple[Argument, ...]:
    return (bucketed.field, bucketed.proof, buckets.place(bucketed)) if bucketed else (b"", b"", 0)


def _judged(
    period: Period, entries: Sequence[EntryToEvaluate], letters: bytes, told: Sequence[bytes]
) -> list[EvaluatedEntry]:
    """Who was updated stands at what they sent, unless totals are kept; of the others the script tells where."""
    sums, cells = period.rules.update is Update.INCREMENT, iter(told)
    judged = []
    for entry, verdict in zip(entries, map(_VERDICTS.__getitem__, letters), strict=True):
        state: StandingState | None = StandingState(entry.value, entry.at_ms)
        if sums or verdict is not Verdict.UPDATED:
            score, member = next(cells), next(cells)
            state = state_from(period, float(score), member.decode(), "") if score else None
        judged.append(EvaluatedEntry(verdict, state))
    return judged


class _Buckets:
    """The id buckets behind a script's own ``keys``, in pairs: of today and of yesterday."""

    def __init__(self, owner: str, keys: list[str], days: tuple[str, str]) -> None:
        self._owner, self._keys, self._days = owner, keys, days
        self._places: dict[int, int] = {}

    def place(self, bucketed: BucketedId | None) -> int:
        """The index in KEYS of the id's bucket of today; both are added if they are not there yet. 0 without an id."""
        if bucketed is None:
            return 0
        if bucketed.bucket not in self._places:
            self._places[bucketed.bucket] = len(self._keys) + 1
            self._keys += [named.ids(self._owner, day, bucketed.bucket) for day in self._days]
        return self._places[bucketed.bucket]
