"""Deciding in DynamoDB: the submit of ``dynamodb`` boards, up to 250 entries in one SQL transaction.

The order of effects: used ids → players and empty standings in SQL → barrier and locks of the standings → read,
evaluate and write in DynamoDB, all players at the same time → commit. SQL has no score; its locks keep the period open,
and one writer at a standing. A writer that lost them (its process was frozen, say) is refused by the standing's token,
and its caller is told that the outcome is unknown. All calls of a transaction end before SQL ends an idle session.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial

from django.db import OperationalError, connection, transaction

from foundation import clock
from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import SunwiError
from foundation.failpoints import failpoint
from foundation.messages import Message
from leaderboards.core.plausibility import Limits
from leaderboards.core.submissions import Status
from leaderboards.errors import (
    Banned,
    OutcomeUnknown,
    PeriodClosed,
    RequestExpired,
    RulesChanged,
    StorageUnavailable,
    UnknownBoard,
)
from leaderboards.models import Period, PeriodState, Player
from leaderboards.selectors.catalog.boards import clear_board_cache
from leaderboards.selectors.catalog.periods import clear_period_cache
from leaderboards.selectors.visibility.restrictions import banned_from
from leaderboards.services.submit.counted_ids import find_duplicates_in_dynamodb
from leaderboards.services.submit.entry_content import id_reused_error
from leaderboards.services.submit.group_commit import BatchAborted
from leaderboards.services.submit.items import Item
from leaderboards.services.submit.outcomes import EntryDecision, refused
from leaderboards.services.submit.player_in_dynamodb import (
    Decisions,
    PlayerDecider,
    counted_id,
    evaluate_in_turn,
    refuse_all,
)
from leaderboards.services.submit.request_periods import refuse_delayed
from leaderboards.services.submit.sql_failures import is_contention
from leaderboards.stores.dynamodb.client import gather
from leaderboards.stores.dynamodb.writes import DynamoWriter
from leaderboards.stores.sql.locks import LockedStanding, ensure_standings, lock_period_and_standings

logger = logging.getLogger(__name__)

MOST_ITEMS = 250
WRITE_SECONDS = 0.8  # then no call is begun; with the last one's time-outs this is less than SQL_IDLE_SECONDS
LONG_WAIT_SECONDS = 0.2  # after a longer wait for locks, SQL is asked once more, and the time begins then
BATCH_LOCK_TIMEOUT_MS = 50


def decide(
    items: Sequence[Item],
    service: str,
    at: datetime,
    dry_run: bool = False,
    limits: Limits | None = None,  # noqa: ARG001 - as every decider; boards with limits are refused on saving
) -> Decisions:
    """Evaluate and apply the items of one period, in order; decisions by position."""
    if dry_run:
        return _dry_run(items, service)
    decisions: Decisions = {}
    failure: SunwiError | None = None
    left = list(items)
    while left and failure is None:
        used = find_duplicates_in_dynamodb(left[0].period.board, [item.entry for item in left[:MOST_ITEMS]], service)
        wave = _until_an_id_repeats(left[:MOST_ITEMS], used)
        decided, failure = _decide_wave(wave, used, service, at, is_first=not decisions)
        decisions |= decided
        left = left[len(wave) :]
    return decisions | refuse_all(left, failure) if failure else decisions


def _until_an_id_repeats(items: Sequence[Item], used: Decisions) -> Sequence[Item]:
    """The first items: no id that has not counted occurs twice, for the second is looked up when the first is decided.

    Ids that have counted are answered at once, however often they occur.
    """
    ids = set[str]()
    for nth, item in enumerate(items):
        own = item.entry.external_id
        if own is None or item.entry.position in used:
            continue
        if own in ids:
            return items[:nth]
        ids.add(own)
    return items


def _decide_wave(
    items: Sequence[Item], known: Decisions, service: str, at: datetime, is_first: bool
) -> tuple[Decisions, SunwiError | None]:
    """The decisions, and the failure for which nothing more is to be tried. Raises ``BatchAborted``.

    ``known`` has those of entries whose id has counted, of these items and maybe of later ones.
    """
    period = items[0].period
    used = {item.entry.position: known[item.entry.position] for item in items if item.entry.position in known}
    pending = [item for item in items if item.entry.position not in used]
    failure: SunwiError
    try:
        decisions = _apply(pending, service, at) if pending else {}
    except (PeriodClosed, RulesChanged, RequestExpired, OutcomeUnknown, StorageUnavailable) as error:
        failure = error
    except Period.DoesNotExist:
        clear_board_cache()  # the board was deleted after this process cached it
        clear_period_cache()
        failure = UnknownBoard(Message("There is no board %(board)s.", board=period.board_id))
    except OperationalError as error:
        if not is_contention(error):
            raise
        if is_first and items[0].in_batch:
            raise BatchAborted("Another transaction holds a lock that one of these entries needs.") from error
        failure = _busy()
    else:
        errors = (each.error for each in decisions.values())
        away = next((each for each in errors if isinstance(each, (StorageUnavailable, OutcomeUnknown))), None)
        return used | decisions, away and StorageUnavailable(away.detail)
    return used | refuse_all(pending, failure), failure


def _busy() -> StorageUnavailable:
    return StorageUnavailable(Message("Too many requests for the same players or ids at once; try again."))


def _apply(items: Sequence[Item], service: str, at: datetime) -> Decisions:
    """Decide under the locks of SQL; new players get an empty standing first, in transactions of their own."""
    known, players = items[0].period, {item.entry.player for item in items}
    timeout_ms = BATCH_LOCK_TIMEOUT_MS if items[0].in_batch else None
    banned = set[str]()  # who have no standing, and get none
    for _ in range(2):
        decisions: Decisions = {}
        asked_at = clock.monotonic()
        try:
            with transaction.atomic():
                period, locked = lock_period_and_standings(known, players, timeout_ms)
                if period.state != PeriodState.OPEN:
                    raise PeriodClosed(Message("Period %(period)s is closed.", period=period.label))
                if period.rules_json != known.rules_json:
                    raise RulesChanged
                refuse_delayed(items)
                new_players = players - locked.keys() - banned
                if not new_players:
                    deadline = _deadline(asked_at)
                    failpoint("dynamodb.before_write")
                    decisions = _decide_players(period, locked, items, service, deadline)
                    failpoint("dynamodb.after_write")
        except CONNECTION_ERRORS as error:
            if not decisions:
                raise
            raise OutcomeUnknown(
                Message("SQL did not say whether it kept the entries; send those with an `id` again.")
            ) from error
        if decisions:
            return decisions
        banned = _banned(known, new_players)
        ensure_standings(known, new_players - banned, at, timeout_ms)
    raise _busy()  # who were removed meanwhile


def _deadline(asked_at: float) -> float:
    """When the last call may begin, for locks that were asked for at ``asked_at`` (monotonic seconds).

    SQL ends a session that is idle after its last statement. This process may be stopped at any moment after that one
    was sent, so the time counts from before it.
    """
    if clock.monotonic() - asked_at > LONG_WAIT_SECONDS:
        asked_at = clock.monotonic()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    return asked_at + WRITE_SECONDS


def _banned(period: Period, players: Collection[str]) -> set[str]:
    """Those who may not score. They get no empty standing: it would count as one that is hidden."""
    known = Player.objects.filter(banned_from(period.board_id, ""), external_id__in=players)
    return set(known.values_list("external_id", flat=True))


def _decide_players(
    period: Period, locked: dict[str, LockedStanding], items: Sequence[Item], service: str, deadline: float
) -> Decisions:
    by_player: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        by_player[item.entry.player].append(item)
    decisions: Decisions = {}
    for player in [name for name in by_player if name not in locked or locked[name].banned]:
        decisions |= refuse_all(by_player.pop(player), Banned(Message("This player may not score.")))
    if not by_player:
        return decisions
    try:
        writer = DynamoWriter(deadline)
        stored = writer.look_up(period, list(by_player))
    except StorageUnavailable as error:
        return decisions | {
            number: each for own in by_player.values() for number, each in refuse_all(own, error).items()
        }
    calls = [
        partial(PlayerDecider(writer, period, service, stored.get(player)).decide, own)
        for player, own in by_player.items()
    ]
    for decided in gather(calls):
        decisions |= decided
    return decisions


def _dry_run(items: Sequence[Item], service: str) -> Decisions:
    """The decisions without their effects, by the present state of DynamoDB."""
    period = items[0].period
    used = find_duplicates_in_dynamodb(period.board, [item.entry for item in items], service)
    try:
        states = dict(DynamoWriter().look_up(period, list({item.entry.player for item in items})))
    except StorageUnavailable as error:
        return used | refuse_all([item for item in items if item.entry.position not in used], error)
    decisions, proofs = dict(used), dict[str, str]()
    for item in items:
        if item.entry.position in used:
            continue
        player, own = item.entry.player, counted_id(period, item, service)
        if own is not None and own.key.partition in proofs:
            is_same = proofs[own.key.partition] == own.proof
            state = states[player].state if player in states else None
            repeated = EntryDecision(Status.DUPLICATE, period, state)
            decisions[item.entry.position] = repeated if is_same else refused(id_reused_error(item.entry))
            continue
        evaluated = evaluate_in_turn(period, [item], states.get(player), service)
        decisions |= evaluated.decisions
        proofs |= {each.key.partition: each.proof for each in evaluated.ids}
        if evaluated.standing is not None:
            states[player] = evaluated.standing
    return decisions
