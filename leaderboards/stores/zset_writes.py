"""Writing standings to Redis: exact scores that SQL decided, or entries that Redis judges.

Every script carries the generation and a deadline by Redis's own clock, so that a call which its
caller has given up can not act later. Nothing here is sent twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from foundation.redis import Argument, Link
from leaderboards.core.id_buckets import BucketedId
from leaderboards.core.policies import State
from leaderboards.core.rules import Order, Ties
from leaderboards.errors import PeriodClosed
from leaderboards.models import Period
from leaderboards.stores.zset import flag, ranked_keys, run

ENTRIES_PER_CALL = 250


class Verdict(StrEnum):
    """What the submit script says of an entry."""

    UPDATED = "U"
    SAME = "S"
    DUPLICATE = "D"
    REUSED = "R"
    OUT_OF_RANGE = "O"
    CLOSED = "C"


@dataclass(frozen=True, slots=True)
class Put:
    """A player's exact place; without a score he is taken out."""

    player: str
    score: float | None
    member: str


@dataclass(frozen=True, slots=True)
class ToJudge:
    """One entry for the submit script; ``bucketed`` is None where the caller gave no id."""

    player: str
    value: tuple[int, ...]
    at_ms: int
    bucketed: BucketedId | None


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict, and the player's standing after it; without a score he is not ranked."""

    verdict: Verdict
    score: float | None
    member: str


@dataclass(frozen=True, slots=True)
class Seen:
    """What Redis knows of an entry's id and its player. ``held`` is ``time|value`` where the score tells not all."""

    proof: bytes
    score: float | None
    member: str
    held: str


def lua_form(period: Period) -> str:
    """How the scripts read a standing: from the score, from the member, or from ``held``."""
    layout = period.layout
    if layout.decodes_in_lua:
        return "score"
    return "member" if layout.in_member else "plain"


def lua_time(period: Period, at_ms: int) -> str:
    """A time as the scripts compare it: a number in the score, else a text of 19 digits."""
    layout = period.layout
    if layout.decodes_in_lua:
        return str(layout.time_field(at_ms))
    return f"{at_ms:019d}" if is_held(period) else layout.time_text(at_ms)


def is_held(period: Period) -> bool:
    """Whether Redis keeps ``time|value`` beside the score, for the scripts to judge by."""
    return bool(period.rules.criteria) or lua_form(period) == "plain"


def held_text(period: Period, state: State) -> str:
    """What is kept beside the score, or nothing."""
    return f"{state.at_ms:019d}|{period.layout.sortable(state.value)}" if is_held(period) else ""


def state_from(period: Period, score: float, member: str, held: str) -> State:
    """The standing that Redis keeps, as the policies know it. Where Redis keeps no time, it is 0."""
    unpacked = period.layout.unpack(score, member)
    if unpacked.at_ms is None:
        return State(unpacked.value, int(held[:19]) if held else 0)
    return State(unpacked.value, unpacked.at_ms)


class ZsetWriter:
    """What changes a period in Redis."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def put(self, period: Period, rows: Sequence[Put], token: str = "") -> None:
        """Put exact scores. ``token`` marks the players as unsure in the same step, until ``settle_token``."""
        args: list[Argument] = [
            *(period.generation, self._link.deadline_ms()),
            *(flag(period.layout.in_member), flag(period.rules.ties is Ties.DENSE)),
            *(token, "\n".join(row.player for row in rows) if token else ""),
        ]
        for row in rows:
            args += (row.player, "" if row.score is None else repr(row.score), row.member)
        run(self._link, "put", [*ranked_keys(period), period.family.unsure], args)

    def settle_token(self, period: Period, token: str) -> None:
        """The transaction of ``token`` has committed: its players are sure again."""
        self._link.call("HDEL", period.family.unsure, token)

    def submit(self, period: Period, entries: Sequence[ToJudge], days: tuple[str, str]) -> list[Judged]:
        """Judge and apply up to ``ENTRIES_PER_CALL`` entries; ``days`` name today's and yesterday's id buckets."""
        family = period.family
        keys = [*ranked_keys(period), family.held, family.seq, family.dirty, family.closed]
        args = self._submit_head(period)
        for entry in entries:
            args += self._submit_row(period, entry, keys, days)
        cells = run(self._link, "submit", keys, args)
        return [
            Judged(Verdict(verdict.decode()), float(score) if score else None, member.decode())
            for verdict, score, member in zip(cells[::3], cells[1::3], cells[2::3], strict=True)
        ]

    def remove(self, period: Period, player: str) -> bool:
        """Take a player out of a period that Redis decides over; False if he was not in it. Raises ``PeriodClosed``."""
        family = period.family
        keys = [*ranked_keys(period), family.held, family.seq, family.dirty, family.closed]
        args: list[Argument] = [
            *(period.generation, self._link.deadline_ms()),
            *(flag(period.layout.in_member), flag(period.rules.ties is Ties.DENSE), player),
        ]
        answer = int(run(self._link, "remove", keys, args))
        if answer < 0:
            raise PeriodClosed(f"Period {period.label} is closed.")
        return bool(answer)

    def forget(self, period: Period, player: str, member: str) -> None:
        """Take a player out of a final period's keys, whatever their generation: nobody reads them any more."""
        family = period.family
        self._link.call("ZREM", family.zset, member)
        for key in (family.members, family.held, family.dirty):
            self._link.call("HDEL", key, player)

    def amend(self, period: Period, put: Put, held: str, seen: float | None) -> bool:
        """Set a standing that Redis decides over, and mark it for the mirror; False if its score is not ``seen``."""
        family = period.family
        keys = [*ranked_keys(period), family.held, family.seq, family.dirty]
        args: list[Argument] = [
            *(period.generation, self._link.deadline_ms()),
            *(flag(period.layout.in_member), flag(period.rules.ties is Ties.DENSE)),
            *(put.player, "" if seen is None else repr(seen), repr(put.score), put.member, held),
        ]
        return bool(run(self._link, "amend", keys, args))

    def look(
        self, period: Period, entries: Sequence[tuple[str, BucketedId | None]], days: tuple[str, str]
    ) -> list[Seen]:
        """What is known of entries (player, id) without applying them."""
        family = period.family
        keys = [family.gen, family.zset, family.members, family.held]
        args: list[Argument] = [period.generation, flag(period.layout.in_member)]
        for player, bucketed in entries:
            args += (player, bucketed.field if bucketed else b"", _bucket(period, bucketed, keys, days))
        cells = run(self._link, "look", keys, args)
        return [
            Seen(proof, float(score) if score else None, member.decode(), held.decode())
            for proof, score, member, held in zip(cells[::4], cells[1::4], cells[2::4], cells[3::4], strict=True)
        ]

    def proof(self, period: Period, bucketed: BucketedId, days: tuple[str, str]) -> bytes:
        """What is remembered of an id, whatever the generation; empty if nothing."""
        for day in days:
            found = self._link.call("HGET", period.family.ids(day, bucketed.bucket), bucketed.field)
            if found:
                return bytes(found)
        return b""

    def _submit_head(self, period: Period) -> list[Argument]:
        rules, layout = period.rules, period.layout
        kind = "text" if rules.criteria else ("more" if rules.order is Order.DESC else "less")
        return [
            *(period.generation, self._link.deadline_ms(), rules.update.value, kind),
            *(lua_form(period), flag(rules.ties is Ties.DENSE)),
            *(1 << layout.time_bits, flag(layout.time_grows or is_held(period))),
            *(rules.minimum, rules.total_maximum),
        ]

    def _submit_row(
        self, period: Period, entry: ToJudge, keys: list[str], days: tuple[str, str]
    ) -> tuple[Argument, ...]:
        increments = period.rules.update.value == "increment"
        value = str(entry.value[0]) if not period.rules.criteria else period.layout.sortable(entry.value)
        score, member = "", entry.player
        if not increments:
            packed = period.layout.pack(entry.value, entry.at_ms, entry.player)
            score, member = repr(packed.score), packed.member
        bucketed = entry.bucketed
        return (
            *(entry.player, value, lua_time(period, entry.at_ms), score, member),
            *(bucketed.field if bucketed else b"", bucketed.proof if bucketed else b""),
            _bucket(period, bucketed, keys, days),
        )


def _bucket(period: Period, bucketed: BucketedId | None, keys: list[str], days: tuple[str, str]) -> int:
    """The index in KEYS of the id's bucket of today, adding it and yesterday's if they are not there yet."""
    if bucketed is None:
        return 0
    today = period.family.ids(days[0], bucketed.bucket)
    if today not in keys:
        keys += (today, period.family.ids(days[1], bucketed.bucket))
    return keys.index(today) + 1
