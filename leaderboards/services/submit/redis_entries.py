"""Entries of boards that Redis decides, as its script takes them, and what its answers mean."""

from collections.abc import Sequence

from foundation.messages import Message
from leaderboards.core.input.entries import Entry
from leaderboards.core.submissions import Status
from leaderboards.errors import OutOfRange, PeriodClosed, StorageUnavailable
from leaderboards.models import Period
from leaderboards.services.submit.counted_ids import find_duplicates_in_redis
from leaderboards.services.submit.entry_content import bucketed, id_reused_error
from leaderboards.services.submit.items import Item
from leaderboards.services.submit.outcomes import EntryDecision, refused
from leaderboards.stores.redis.writes import ENTRIES_PER_CALL, EntryToEvaluate, EvaluatedEntry, Verdict

_STATUS = {Verdict.UPDATED: Status.UPDATED, Verdict.SAME: Status.UNCHANGED, Verdict.DUPLICATE: Status.DUPLICATE}


def chunks(items: Sequence[Item]) -> list[Sequence[Item]]:
    """The items in lists that one call of the script takes."""
    return [items[start : start + ENTRIES_PER_CALL] for start in range(0, len(items), ENTRIES_PER_CALL)]


def unavailable() -> StorageUnavailable:
    """The refusal of an entry that Redis did not take."""
    return StorageUnavailable(Message("The server that stores this board does not answer; try again."))


def to_decisions(items: Sequence[Item], rows: Sequence[EvaluatedEntry], service: str) -> dict[int, EntryDecision]:
    """The decisions, by position, by what the script has answered to each item."""
    decided = {item.entry.position: _to_decision(item, row) for item, row in zip(items, rows, strict=True)}
    elsewhere = [item.entry for item, row in zip(items, rows, strict=True) if row.verdict is Verdict.OTHER_PERIOD]
    return decided | counted_elsewhere(items[0].period, elsewhere, service)


def counted_elsewhere(period: Period, entries: Sequence[Entry], service: str) -> dict[int, EntryDecision]:
    """The decisions on entries that counted in another period, with the standings there."""
    return find_duplicates_in_redis(period.board, entries, service) if entries else {}


def script_entries(period: Period, items: Sequence[Item], service: str) -> list[EntryToEvaluate]:
    """The items as arguments of the script; times are rounded by the period's present layout."""
    return [
        EntryToEvaluate(
            each.entry.player,
            each.value,
            period.layout.quantize(each.at_ms),
            bucketed(each.entry, service),
            each.entry.operator,
        )
        for each in items
    ]


def _to_decision(item: Item, row: EvaluatedEntry) -> EntryDecision:
    period = item.period
    match row.verdict:
        case Verdict.CLOSED:
            return refused(PeriodClosed(Message("Period %(period)s is closed.", period=period.label)))
        case Verdict.REUSED:
            return refused(id_reused_error(item.entry))
        case Verdict.OTHER_PERIOD:  # replaced once it is looked up there
            return refused(
                StorageUnavailable(Message("The entry counted in another period; send it again to hear of it."))
            )
        case Verdict.OUT_OF_RANGE:
            rules = period.rules
            return refused(
                OutOfRange(
                    Message(
                        "The total would leave %(least)s to %(most)s. Nothing was changed.",
                        least=rules.text(rules.minimum),
                        most=rules.text(rules.total_maximum),
                    )
                )
            )
    return EntryDecision(_STATUS[row.verdict], period, row.state)
