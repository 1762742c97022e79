"""From an entry to an item that a decider can evaluate: its board or competition, its period, its value.

``resolve`` finds boards and competitions, and the periods that are open already. ``place_in_periods`` follows once
known ids are answered: it checks who has joined, and opens periods. Nothing else here writes.

The trap: an id is looked up before anything about time refuses its entry (``services/submit/duplicates.py``), so a
repetition is recognised after its period has ended too.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import SunwiError, Unavailable
from foundation.messages import Message
from leaderboards.core.input.entries import Entry
from leaderboards.core.submissions import Caller
from leaderboards.errors import (
    BadEntry,
    BoardForbidden,
    NotJoined,
    StorageUnavailable,
    UnknownBoard,
    UnknownCompetition,
)
from leaderboards.models import Board
from leaderboards.selectors.catalog.boards import cached_boards
from leaderboards.selectors.catalog.reserved import refuse_reserved
from leaderboards.services import events
from leaderboards.services.events import Event
from leaderboards.services.submit.items import Item, Request, Target
from leaderboards.services.submit.request_periods import FUTURE_TOLERANCE, Periods

logger = logging.getLogger(__name__)

JOINED_TOLERANCE = FUTURE_TOLERANCE  # a sender's clock may be as far behind as it may be ahead


class Resolved(NamedTuple):
    """The entries of a request by position: those with a target, and the refusals of the others.

    ``open_items`` are targets whose period is open already and whose id need not be looked up before deciding.
    """

    targets: Mapping[int, Target]
    refusals: Mapping[int, SunwiError]
    open_items: Mapping[int, Item]
    periods: Periods


def resolve(entries: Collection[Entry], request: Request) -> Resolved:
    """Find the board or the competition of each entry. Nothing is written."""
    boards = cached_boards({entry.board for entry in entries if entry.board is not None})
    named = _find_events({entry.competition for entry in entries if entry.competition is not None}, request.at)
    found = {
        (number, competition): _find(number, competition, boards, named, request.caller)
        for number, competition in {(entry.board, entry.competition) for entry in entries}
    }
    targets, refusals = dict[int, Target](), dict[int, SunwiError]()
    for entry in entries:
        board_and_event = found[entry.board, entry.competition]
        if isinstance(board_and_event, SunwiError):
            refusals[entry.position] = board_and_event
        else:
            targets[entry.position] = Target(entry, *board_and_event)
    periods = Periods(request)
    return Resolved(targets, refusals, _items_in_open_periods(targets, request, periods), periods)


def place_in_periods(resolved: Resolved, without: Collection[int]) -> tuple[list[list[Item]], Mapping[int, SunwiError]]:
    """The items by period, in the order of first appearance, and the refusals by position; periods are opened.

    Entries at the positions ``without`` are left out.
    """
    remaining = {position: target for position, target in resolved.targets.items() if position not in without}
    refusals = _not_joined(remaining.values())
    groups: dict[int, list[Item]] = defaultdict(list)
    for position, target in remaining.items():
        if position in refusals:
            continue
        try:
            item = resolved.open_items.get(position) or resolved.periods.item(target)
            groups[item.period.pk].append(item)
        except SunwiError as error:
            refusals[position] = error
        except CONNECTION_ERRORS:
            logger.exception("SQL went away while a period was opened")
            refusals[position] = StorageUnavailable(
                Message("The server that stores this board does not answer; try again.")
            )
    return list(groups.values()), refusals


def _find(
    number: int | None,
    competition: int | None,
    boards: Mapping[int, Board],
    named: Mapping[int, Event | SunwiError],
    caller: Caller,
) -> tuple[Board, Event | None] | SunwiError:
    """The board, with the competition if one is named; or the refusal."""
    try:
        if number:
            return _calendar_board(number, boards, caller), None
        event = _event(competition or 0, named, caller)
    except SunwiError as error:
        return error
    return event.board, event


def _calendar_board(seq: int, boards: Mapping[int, Board], caller: Caller) -> Board:
    board = boards.get(seq)
    if board is None:
        raise UnknownBoard(Message("There is no board %(board)s.", board=seq))
    reaches = caller.boards is None or seq in caller.boards
    if board.is_event and reaches:
        raise BadEntry(
            Message("Board %(board)s counts in competitions: send `competition` instead of `board`.", board=seq)
        )
    if not reaches:
        raise BoardForbidden(Message("This key does not reach board %(board)s.", board=seq))
    if not caller.may_write_reserved:
        refuse_reserved(board)
    return board


def _event(number: int, named: Mapping[int, Event | SunwiError], caller: Caller) -> Event:
    event = named.get(number)
    if event is None:
        raise UnknownCompetition(Message("There is no competition %(number)s.", number=number))
    if isinstance(event, SunwiError):
        raise event
    if caller.boards is not None and event.board.seq not in caller.boards:
        raise BoardForbidden(Message("This key does not reach board %(board)s.", board=event.board.seq))
    return event


def _find_events(numbers: Collection[int], at: datetime) -> Mapping[int, Event | SunwiError]:
    try:
        return events.source().find_events(numbers, at) if numbers else {}
    except Unavailable:
        return dict.fromkeys(numbers, _competition_unavailable())


def _not_joined(targets: Iterable[Target]) -> dict[int, SunwiError]:
    """The refusals, by position, of players who do not take part in the competition, or did not yet.

    An entry without a time happens now. One with a time may lie 5 s before its player joined, by the sender's clock.
    """
    named = [(each.entry, (each.event.number, each.entry.player)) for each in targets if each.event]
    try:
        joined = events.source().joined_times({pair for _, pair in named}) if named else {}
    except Unavailable:
        return {entry.position: _competition_unavailable() for entry, _ in named}
    refusals: dict[int, SunwiError] = {}
    for entry, (number, player) in named:
        since = joined.get((number, player))
        if since is None:
            refusals[entry.position] = NotJoined(
                Message(
                    "%(player)s does not take part in competition %(number)s: join first.", player=player, number=number
                )
            )
        elif entry.at is not None and entry.at < since - JOINED_TOLERANCE:
            refusals[entry.position] = NotJoined(
                Message(
                    "%(player)s takes part in competition %(number)s since %(since)s UTC: what happened before "
                    "does not count. Send what happened since then; if this did, mend `at` or the sender's "
                    "clock.",
                    player=player,
                    number=number,
                    since=f"{since:%Y-%m-%d %H:%M:%S}",
                )
            )
    return refusals


def _competition_unavailable() -> StorageUnavailable:
    return StorageUnavailable(Message("The competition cannot be looked up now; try again."))


def _items_in_open_periods(targets: Mapping[int, Target], request: Request, periods: Periods) -> dict[int, Item]:
    """The items, by position, for which deciding itself finds out whether the id was used before.

    It cannot where a repetition that is evaluated would have an effect: in a dry run or a backfill, in a competition,
    on a board that may quarantine; nor where the entry is refused, or opens a period. Nor where a request names several
    periods of a board: deciding one would change the standing that a repetition in another has to report.
    """
    if request.dry_run or request.is_backfill or all(each.entry.external_id is None for each in targets.values()):
        return {}
    items: dict[int, Item] = {}
    periods_by_board: dict[int, set[int]] = defaultdict(set)
    for position, target in targets.items():
        if target.event is None and (request.caller.is_trusted or not target.board.may_quarantine):
            item = periods.item_if_period_open(target)
            if item is not None:
                items[position] = item
            periods_by_board[target.board.seq].add(item.period.pk if item else 0)
    return {
        position: item for position, item in items.items() if len(periods_by_board[targets[position].board.seq]) == 1
    }
