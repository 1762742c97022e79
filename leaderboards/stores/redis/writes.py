"""Write standings on boards that Redis decides.

Every script checks the generation and a deadline by Redis's clock, so that a call that its caller has given up does
nothing later. No call is repeated.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache, partial
from typing import NamedTuple

from foundation.errors import Unavailable
from foundation.messages import Message
from foundation.redis.client import Argument, RedisAway, RedisClient, ScriptCall
from foundation.sync.redis_state import raise_if_stale, refusal_of
from leaderboards.core import keys as named
from leaderboards.core.id_buckets import PROOF_BYTES, BucketedId
from leaderboards.core.ranking.policies import StandingState, policy_of
from leaderboards.core.ranking.rules import Operator, Order, Ties, Update
from leaderboards.core.short_labels import long_label, short_label
from leaderboards.errors import PeriodClosed
from leaderboards.models import Part
from leaderboards.stores.redis.bucket_keys import BucketKeys, days_of
from leaderboards.stores.redis.player_cells import cells_of
from leaderboards.stores.redis.reads import (
    lua_bool,
    noting_keys,
    placement_args,
    ranked_keys,
    run,
    run_of,
    script,
    writing_keys,
)
from leaderboards.stores.redis.stored_states import lua_form, lua_time, state_from, stores_state

ENTRIES_PER_CALL = 250


class Verdict(StrEnum):
    """The submit script's verdict on an entry."""

    UPDATED = "U"
    SAME = "S"
    DUPLICATE = "D"
    REUSED = "R"
    OTHER_PERIOD = "E"  # the id was counted in another period of the board
    OUT_OF_RANGE = "O"
    CLOSED = "C"


_VERDICTS = {ord(verdict): verdict for verdict in Verdict}


class ZsetRow(NamedTuple):
    """A player's score, member and number in SQL (None: not known); without a score the player is removed."""

    player: str
    score: float | None
    member: str
    number: int | None = None


class EntryToEvaluate(NamedTuple):
    """An entry for the submit script; ``bucketed`` is None if the caller gave no id.

    ``operator`` is None for the period's policy; the value of a decrement is negative.
    """

    player: str
    value: tuple[int, ...]
    at_ms: int
    bucketed: BucketedId | None
    operator: Operator | None = None


class EvaluatedEntry(NamedTuple):
    """The verdict, and the player's standing afterwards; None if they are not ranked."""

    verdict: Verdict
    state: StandingState | None


class IdRecord(NamedTuple):
    """What Redis has of an id: the proof of the content sent with it, and the period's label ("all": a competition)."""

    proof: bytes
    label: str


class Lookup(NamedTuple):
    """What Redis has of an entry's id and player.

    ``stored_state`` is ``time|value`` where the score alone does not hold both, else "".
    """

    counted: IdRecord | None
    score: float | None
    member: str
    stored_state: str


class ZsetWriter:
    """Changes a period that Redis decides, and looks up its standings and ids."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def submit(self, period: Part, entries: Sequence[EntryToEvaluate]) -> list[EvaluatedEntry]:
        """Evaluate and apply up to ``ENTRIES_PER_CALL`` entries."""
        return self.prepare_submit(period, entries)()

    def prepare_submit(self, period: Part, entries: Sequence[EntryToEvaluate]) -> Callable[[], list[EvaluatedEntry]]:
        """Prepare ``submit``; call the result at once to send it."""
        call = self._submit_call(period, entries)

        def send() -> list[EvaluatedEntry]:
            with raise_if_stale():
                letters, *standings = self._link.run(*call)
            return _to_evaluated(period, entries, letters, standings)

        return send

    def prepare_each(
        self, groups: Sequence[tuple[Part, Sequence[EntryToEvaluate]]]
    ) -> Callable[[], list[list[EvaluatedEntry] | Unavailable]]:
        """Prepare the entries of several families, which are sent together; each has its answer or its error."""
        calls = [self._submit_call_or_error(part, entries) for part, entries in groups]
        ready = [call for call in calls if isinstance(call, ScriptCall)]

        def send() -> list[list[EvaluatedEntry] | Unavailable]:
            try:
                sent = iter(self._link.try_many(ready) if ready else ())
            except Unavailable as error:
                sent = iter([error] * len(ready))
            answers = [next(sent) if isinstance(call, ScriptCall) else call for call in calls]
            return [
                refusal_of(answer) if isinstance(answer, Unavailable) else _to_evaluated(*group, answer[0], answer[1:])
                for group, answer in zip(groups, answers, strict=True)
            ]

        return send

    def _submit_call_or_error(self, period: Part, entries: Sequence[EntryToEvaluate]) -> ScriptCall | RedisAway:
        """The call, or ``RedisAway`` if the family's server does not tell its clock: nothing is sent to it."""
        try:
            return self._submit_call(period, entries)
        except Unavailable as error:
            return RedisAway(error.detail)

    def _submit_call(self, period: Part, entries: Sequence[EntryToEvaluate]) -> ScriptCall:
        """The day of the id buckets is that of the deadline, after which the script does nothing."""
        family, deadline = period.family, self._link.deadline_ms(period.family.gen)
        keys = [*ranked_keys(period), family.stored_state, family.seq, family.dirty, family.closed]
        entry_args, buckets = _entry_encoder(period), BucketKeys(period.id_namespace, keys, days_of(deadline))
        with_ids = any(entry.bucketed for entry in entries)
        with_operators = any(entry.operator for entry in entries)
        cells: list[Argument] = []
        for entry in entries:
            cells += entry_args(entry)
            if with_operators:
                cells.append("" if entry.operator is None else entry.operator.update.value)
            if with_ids:
                cells += _id_args(entry.bucketed, buckets)
        per_entry = len(cells) // max(1, len(entries))
        args = [*_submit_args(period, deadline), per_entry, lua_bool(with_operators), *cells]
        return ScriptCall(script("submit"), [*keys, *noting_keys(period)], args)

    def remove(self, period: Part, player: str) -> bool:
        """Remove a player; False if they are not ranked. Raises ``PeriodClosed``."""
        family = period.family
        keys = writing_keys(period, family.stored_state, family.seq, family.dirty, family.closed)
        answer = int(run(self._link, "remove", keys, [*placement_args(self._link, period), player]))
        if answer < 0:
            raise PeriodClosed(Message("Period %(period)s is closed.", period=period.label))
        return bool(answer)

    def remove_final(self, period: Part, player: str, member: str) -> None:
        """Remove a player from a final period's keys under any generation: they are not read any more."""
        family = period.family
        if family.is_compact:
            return  # it has nothing but numbers
        self._link.call("ZREM", family.zset, member)
        for key in (family.members, family.stored_state, family.dirty):
            self._link.call("HDEL", key, player)

    def amend(self, period: Part, put: ZsetRow, stored_state: str, seen: float | None) -> bool:
        """Set a standing, or remove the player, and mark it for the mirror; False if the present score is not ``seen``.

        ``seen`` is None for an unranked player.
        """
        family = period.family
        keys = writing_keys(period, family.stored_state, family.seq, family.dirty)
        args: list[Argument] = [
            *placement_args(self._link, period),
            *(put.player, "" if seen is None else repr(seen)),
            *("" if put.score is None else repr(put.score), put.member, stored_state),
        ]
        return bool(run(self._link, "amend", keys, args))

    def look_up(self, period: Part, entries: Sequence[tuple[str, BucketedId | None]]) -> list[Lookup]:
        """Look up the ids and standings of entries (player, id) without applying them."""
        family = period.family
        keys, cells = [family.gen, family.zset, family.members, family.stored_state], cells_of(period)
        args: list[Argument] = [period.generation, lua_bool(period.layout.in_member)]
        buckets = BucketKeys(period.id_namespace, keys, days_of(self._link.deadline_ms(period.family.gen)))
        cells.look_up(player for player, _ in entries)
        for player, bucketed in entries:
            args += (cells.cell(player), bucketed.field if bucketed else b"", buckets.key_index(bucketed))
        found = _parse_lookups(run_of(period, self._link, "lookup", keys, args))
        return [each if each.score is None else each._replace(member=cells.member(each.member)) for each in found]

    def look_up_ids(self, ids: Sequence[tuple[str, BucketedId]]) -> list[IdRecord | None]:
        """Look up ids under any generation, each with the ``id_namespace`` that it is in."""
        owners = {owner for owner, _ in ids}
        days = {owner: days_of(self._link.deadline_ms(named.ids(owner, "", 0))) for owner in owners}
        commands = [
            ("HGET", named.ids(owner, day, each.bucket), each.field) for owner, each in ids for day in days[owner]
        ]
        replies = self._link.pipeline(commands)
        return [_parse_id(today or yesterday) for today, yesterday in zip(replies[::2], replies[1::2], strict=True)]


def _submit_args(period: Part, deadline: int) -> list[Argument]:
    rules, layout = period.rules, period.layout
    kind = "text" if rules.criteria else ("more" if rules.order is Order.DESC else "less")
    return [
        *(period.generation, deadline, rules.update.value, kind),
        *(lua_form(period), lua_bool(rules.ties is Ties.DENSE)),
        *(1 << layout.time_bits, lua_bool(layout.time_grows or stores_state(period))),
        *(rules.minimum, rules.total_maximum, short_label(period.label)),
    ]


def _parse_id(value: bytes | None) -> IdRecord | None:
    return IdRecord(value[:PROOF_BYTES], long_label(value[PROOF_BYTES:])) if value else None


def _entry_encoder(period: Part) -> Callable[[EntryToEvaluate], tuple[Argument, ...]]:
    """Return a function from an entry to its script arguments. The script packs points; criteria are packed here."""
    layout, time = period.layout, cache(partial(lua_time, period))
    if not period.rules.criteria:
        return lambda entry: (entry.player, entry.value[0], time(entry.at_ms))

    def pack_criteria(entry: EntryToEvaluate) -> tuple[Argument, ...]:
        text, packed = layout.sortable_text(entry.value), layout.pack(entry.value, entry.at_ms, entry.player)
        return entry.player, text, time(entry.at_ms), packed.score, packed.member

    return pack_criteria


def _parse_lookups(cells: Sequence[bytes]) -> list[Lookup]:
    rows = zip(cells[::4], cells[1::4], cells[2::4], cells[3::4], strict=True)
    return [
        Lookup(_parse_id(id_value), float(score) if score else None, member.decode(), stored_state.decode())
        for id_value, score, member, stored_state in rows
    ]


def _id_args(bucketed: BucketedId | None, buckets: "BucketKeys") -> tuple[Argument, ...]:
    return (bucketed.field, bucketed.proof, buckets.key_index(bucketed)) if bucketed else (b"", b"", 0)


def _to_evaluated(
    period: Part, entries: Sequence[EntryToEvaluate], letters: bytes, standings: Sequence[bytes]
) -> list[EvaluatedEntry]:
    """Pair each entry with its verdict and standing. The reply omits standings that equal the entry itself."""
    if not standings:  # the usual case, in half the time
        return [
            EvaluatedEntry(_VERDICTS[letter], StandingState(entry.value, entry.at_ms))
            for entry, letter in zip(entries, letters, strict=True)
        ]
    cells, evaluated = iter(standings), []
    for entry, verdict in zip(entries, map(_VERDICTS.__getitem__, letters), strict=True):
        state: StandingState | None = StandingState(entry.value, entry.at_ms)
        if verdict is not Verdict.UPDATED or policy_of(period.rules, entry.operator) is Update.INCREMENT:
            score, member = next(cells), next(cells)
            state = state_from(period, float(score), member.decode(), "") if score else None
        evaluated.append(EvaluatedEntry(verdict, state))
    return evaluated
