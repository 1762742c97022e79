"""One player's items on a board in DynamoDB: evaluated in order over the stored standing, and written by conditions.

It uses no SQL, so that players are decided beside each other.
"""

from collections.abc import Sequence
from typing import NamedTuple

from foundation.chunks import in_chunks
from foundation.errors import SunwiError
from foundation.messages import Message
from leaderboards.core import dynamodb_keys as keys
from leaderboards.core.ranking.policies import StandingState, evaluate
from leaderboards.core.submissions import Status
from leaderboards.errors import OutcomeUnknown, StorageUnavailable
from leaderboards.models import Period
from leaderboards.services.submit.entry_content import content, id_reused_error
from leaderboards.services.submit.items import Item
from leaderboards.services.submit.outcomes import EntryDecision, refused
from leaderboards.stores.dynamodb.client import unavailable
from leaderboards.stores.dynamodb.writes import (
    MOST_IDS,
    CountedId,
    DynamoWriter,
    IdUsed,
    Overtaken,
    StoredStanding,
    new_standing,
)

Decisions = dict[int, EntryDecision]  # by position


class _Evaluated(NamedTuple):
    """Decisions, the standing after them (the old one itself if nothing changes), and the ids to note."""

    decisions: Decisions
    standing: StoredStanding | None
    ids: list[CountedId]


class PlayerDecider:
    """One player's items, in order, each chunk in one write. It uses no SQL: it runs beside other players."""

    def __init__(self, writer: DynamoWriter, period: Period, service: str, stored: StoredStanding | None) -> None:
        self._writer, self._period, self._service, self._stored = writer, period, service, stored

    def decide(self, items: Sequence[Item]) -> Decisions:
        """The decisions on the player's items; once DynamoDB does not answer, nothing more is sent."""
        decisions: Decisions = {}
        for chunk in in_chunks(items, MOST_IDS):
            left = list(chunk)
            while left:
                try:
                    decided, left = self._try_once(left)
                except (StorageUnavailable, OutcomeUnknown) as error:  # also once the time is up
                    untried = [item for item in items if item.entry.position not in decisions]
                    return decisions | refuse_all(untried, unavailable()) | refuse_all(left, error)
                decisions |= decided
        return decisions

    def _try_once(self, items: list[Item]) -> tuple[Decisions, list[Item]]:
        """Decide and write; what was decided, and what is to be tried again."""
        evaluated = evaluate_in_turn(self._period, items, self._stored, self._service)
        is_changed = evaluated.standing is not self._stored
        try:
            self._writer.write(self._period, self._stored, evaluated.standing if is_changed else None, evaluated.ids)
        except Overtaken:
            self._reload(items[0].entry.player)
            return {}, items
        except IdUsed:
            self._reload(items[0].entry.player)
            return self._split_used(items)
        self._stored = evaluated.standing
        return evaluated.decisions, []

    def _reload(self, player: str) -> None:
        self._stored = self._writer.look_up(self._period, [player]).get(player)

    def _split_used(self, items: Sequence[Item]) -> tuple[Decisions, list[Item]]:
        """Decide items whose id was used by another request meanwhile; the others are left."""
        own = {item.entry.position: counted_id(self._period, item, self._service) for item in items}
        found = self._writer.look_up_ids([each.key for each in own.values() if each is not None])
        decisions: Decisions = {}
        for item in items:
            counting = own[item.entry.position]
            before = found.get(counting.key) if counting else None
            if before is not None and counting is not None:
                decisions[item.entry.position] = self._repeated(item, before, counting)
        return decisions, [item for item in items if item.entry.position not in decisions]

    def _repeated(self, item: Item, before: CountedId, own: CountedId) -> EntryDecision:
        if before.proof != own.proof:
            return refused(id_reused_error(item.entry))
        if before.label != self._period.label:
            return refused(
                StorageUnavailable(Message("The entry counted in another period; send it again to hear of it."))
            )
        return EntryDecision(Status.DUPLICATE, self._period, self._stored.state if self._stored else None)


def evaluate_in_turn(period: Period, items: Sequence[Item], stored: StoredStanding | None, service: str) -> _Evaluated:
    """Evaluate one player's items in order; the standing is ``stored`` itself if nothing changes."""
    decisions: Decisions = {}
    ids: list[CountedId] = []
    for item in items:
        old = stored.state if stored else None
        at_ms = period.layout.quantize(item.at_ms)
        try:
            new = evaluate(period.rules, old, StandingState(item.value, at_ms, operator=item.entry.operator))
            if new is not old:
                stored = new_standing(period, item.entry.player, new) if new != old else stored
        except SunwiError as error:
            decisions[item.entry.position] = refused(error)
            continue
        status = Status.UNCHANGED if new == old else Status.UPDATED
        decisions[item.entry.position] = EntryDecision(status, period, new)
        if counted := counted_id(period, item, service):
            ids.append(counted)
    return _Evaluated(decisions, stored, ids)


def counted_id(period: Period, item: Item, service: str) -> CountedId | None:
    """The item's id as it is stored once it has counted; None if it has none."""
    if item.entry.external_id is None:
        return None
    key = keys.entry_id(period.board_id, period.board.created_at, service, item.entry.external_id)
    return CountedId(key, period.label, keys.proof(content(item.entry)))


def refuse_all(items: Sequence[Item], error: SunwiError) -> Decisions:
    """Refuse all items for the same reason."""
    return {item.entry.position: refused(error) for item in items}
