"""Deciding in Redis: the submit of ``redis`` boards, one script call per 250 entries. The mirror copies to SQL later.

After the first failure of a request nothing more is sent to Redis. Entries that were not sent are ``unavailable``;
entries that were sent without an answer are ``unknown``, and safe to send again if they have an id. A batch that fails
before anything is sent is aborted.

The script looks ids up itself. For an entry that is refused before it reaches the script, the id is looked up here if
it may have counted in another period or in a competition (decision 0058).
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import BigIntegerField, Value

from foundation.db.resilience import SqlAway, StaleIfErrorCache
from foundation.errors import SunwiError, Unavailable
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.redis import client as redis
from foundation.redis.client import RedisSilent
from leaderboards.core.input.entries import Entry
from leaderboards.core.plausibility import Limits
from leaderboards.core.ranking.policies import StandingState, evaluate
from leaderboards.core.submissions import Status
from leaderboards.errors import (
    Banned,
    OutcomeUnknown,
    OutOfRange,
    RequestExpired,
    RulesChanged,
    StorageUnavailable,
)
from leaderboards.models import Period, Player, RestrictionKind
from leaderboards.selectors.catalog.periods import reload_sync_state
from leaderboards.selectors.rankings.store_routing import retry_if_stale
from leaderboards.selectors.visibility.hidden import HIDDEN_SECONDS, clear_hidden_cache
from leaderboards.selectors.visibility.restrictions import active_restrictions
from leaderboards.services.submit.decide_partitions import decide_in_partitions
from leaderboards.services.submit.duplicates import find_duplicates
from leaderboards.services.submit.entry_content import bucketed, id_reused_error
from leaderboards.services.submit.group_commit import abort_batch_on_error
from leaderboards.services.submit.items import Item, player_of
from leaderboards.services.submit.outcomes import EntryDecision, refused
from leaderboards.services.submit.quarantine_redis import quarantine_implausible
from leaderboards.services.submit.redis_entries import (
    chunks,
    counted_elsewhere,
    script_entries,
    to_decisions,
    unavailable,
)
from leaderboards.services.submit.request_periods import refuse_delayed
from leaderboards.stores.redis.stored_states import state_from
from leaderboards.stores.redis.writes import EvaluatedEntry, ZsetWriter

logger = logging.getLogger(__name__)


def decide(
    items: Sequence[Item], service: str, at: datetime, dry_run: bool = False, limits: Limits | None = None
) -> dict[int, EntryDecision]:
    """Evaluate and apply the items of one period, in order; decisions by position.

    Items that break ``limits`` are quarantined.
    """
    period = items[0].period
    with abort_batch_on_error(items[0].in_batch):
        refusals = _refuse_banned(items)
        fitting = [item for item in items if item.entry.position not in refusals and _fits(item, refusals)]
        decisions = refusals | _duplicates_among(items, refusals, service, at)
        if period.is_stale:
            _reload(period)
    if limits is not None:
        refusals = _quarantine_by_part(fitting, limits, service, at, dry_run)
        fitting = [item for item in fitting if item.entry.position not in refusals]
        decisions |= refusals
    if not period.is_divided:
        return decisions | _by_chunk(fitting, service, at, dry_run)
    if dry_run:
        for _, own in period.by_part(fitting, player_of):
            decisions |= _by_chunk(own, service, at, dry_run)
        return decisions
    return decisions | decide_in_partitions(fitting, service, at)


def _reload(period: Period) -> None:
    """Read a stale period again, which may have been resynced since. Raises ``SqlAway`` if all of it is stale."""
    try:
        reload_sync_state(period)
    except SqlAway as error:
        if all(part.stale_since is not None for part in period.parts):
            raise
        logger.info("period %s: which partitions are stale is not known now: %s", period, error.detail)


def _by_chunk(items: Sequence[Item], service: str, at: datetime, dry_run: bool) -> dict[int, EntryDecision]:
    """Apply items of one family chunk by chunk. After the first failure the chunks behind it are not tried."""
    failure: SunwiError | None = unavailable() if items and _is_stale(items[0]) else None
    decisions, untried = dict[int, EntryDecision](), dict[int, EntryDecision]()
    for chunk in chunks(items):
        if failure is None:
            try:
                decisions |= _dry_run(chunk, service) if dry_run else _apply(chunk, service)
                continue
            except RedisSilent:
                unknown = OutcomeUnknown(
                    Message("The store did not answer in time; send entries that have an `id` again.")
                )
                decisions |= {item.entry.position: refused(unknown) for item in chunk}
                failure = unavailable()
                continue
            except (RulesChanged, RequestExpired) as error:
                failure = error
            except Unavailable:
                failure = unavailable()
        untried |= {item.entry.position: refused(failure) for item in chunk}
    used = _duplicates_among(items, untried, service, at) if isinstance(failure, RulesChanged) else {}
    return decisions | untried | used


def _duplicates_among(
    items: Sequence[Item], refusals: Collection[int], service: str, at: datetime
) -> dict[int, EntryDecision]:
    """The decisions on refused entries whose id was used before, as far as ids have not been looked up.

    ``find_duplicates`` looks nothing up on all-time boards, nor in a period that began over a day ago: there the
    refusal stays.
    """
    unchecked = [
        (item.entry, item.period.board) for item in items if item.id_unchecked and item.entry.position in refusals
    ]
    return find_duplicates(unchecked, service, at)


def _is_stale(item: Item) -> bool:
    """Whether the family of the item's player is stale: then nothing of it is applied."""
    return item.period.part_of(item.entry.player).stale_since is not None


def _quarantine_by_part(
    items: Sequence[Item], limits: Limits, service: str, at: datetime, dry_run: bool
) -> dict[int, EntryDecision]:
    """The decisions on items that must not be applied, of all families of a period.

    Items of a stale family are refused unchecked, here and now: the rows of the families may be read again before the
    others are applied, and by then it may not be stale any more.
    """
    stale = [item for item in items if _is_stale(item)]
    decisions = {item.entry.position: refused(unavailable()) for item in stale}
    checked = [item for item in items if item.entry.position not in decisions]
    for _, own in checked[0].period.by_part(checked, player_of) if checked else ():
        decisions |= _quarantine(own, limits, service, at, dry_run)
    return decisions


def _quarantine(
    items: Sequence[Item], limits: Limits, service: str, at: datetime, dry_run: bool
) -> dict[int, EntryDecision]:
    """The decisions on items that must not be applied: they break a limit, or Redis cannot tell whether they do."""
    decisions: dict[int, EntryDecision] = {}
    for chunk in chunks(items):
        try:
            decisions |= quarantine_implausible(chunk, limits, service, at, dry_run)
        except Unavailable as error:
            refusal = refused(error if isinstance(error, StorageUnavailable) else unavailable())
            decisions |= {item.entry.position: refusal for item in chunk}
    return decisions


def _refuse_banned(items: Sequence[Item]) -> dict[int, EntryDecision]:
    banned = banned_players(items[0].period.board_id)
    refusal = refused(Banned(Message("This player may not score.")))
    return {item.entry.position: refusal for item in items if item.entry.player in banned}


def banned_players(board: int | None = None) -> frozenset[str]:
    """The ids of players who may not score anywhere, and of those who may not score on ``board``.

    The answer is up to a second old, or the last known one while SQL does not answer. Raises ``SqlAway``.
    """
    by_board = _banned.get("all") or {}
    return by_board.get(None, frozenset()) | by_board.get(board, frozenset())


def forget_bans() -> None:
    """Forget the cached bans after a change, so that this process sees it at once."""
    _banned.forget()
    clear_hidden_cache()


def _load_banned(_keys: Collection[str]) -> dict[str, dict[int | None, frozenset[str]]]:
    nowhere = Value(None, BigIntegerField(null=True))
    everywhere = Player.objects.filter(banned_at__isnull=False).values_list("external_id", nowhere)
    on_boards = active_restrictions().filter(kind=RestrictionKind.BANNED).values_list("player__external_id", "board")
    found: dict[int | None, set[str]] = defaultdict(set)
    for player, board in everywhere.union(on_boards, all=True):
        found[board].add(player)
    return {"all": {board: frozenset(players) for board, players in found.items()}}


_banned: StaleIfErrorCache[str, dict[int | None, frozenset[str]]] = StaleIfErrorCache(
    _load_banned, fresh=HIDDEN_SECONDS
)


def _fits(item: Item, refusals: dict[int, EntryDecision]) -> bool:
    """Whether the layout can hold the value; if not, refuse it in ``refusals``. Points always fit, criteria may not."""
    try:
        if item.period.rules.criteria:
            item.period.layout.pack(item.value, item.at_ms, item.entry.player)
    except OutOfRange as error:
        refusals[item.entry.position] = refused(error)
        return False
    return True


def _apply(items: Sequence[Item], service: str) -> dict[int, EntryDecision]:
    period = items[0].period
    writer, rules_at_read = ZsetWriter(redis.boards()), period.rules_json
    failpoint("submit.before_script")

    def evaluate_now() -> list[EvaluatedEntry]:
        if period.rules_json != rules_at_read:
            raise RulesChanged
        refuse_delayed(items)
        with abort_batch_on_error(items[0].in_batch, expected_errors=(Unavailable,)):  # a batch is one chunk
            send = writer.prepare_submit(period, script_entries(period, items, service))
        return send()

    rows = retry_if_stale(period, evaluate_now)
    failpoint("submit.after_script")
    return to_decisions(items, rows, service)


def _dry_run(items: Sequence[Item], service: str) -> dict[int, EntryDecision]:
    """The decisions without their effects, by the present state of Redis."""
    period = items[0].period
    players_and_ids = [(item.entry.player, bucketed(item.entry, service)) for item in items]
    lookups = ZsetWriter(redis.boards()).look_up(period.part_of(items[0].entry.player), players_and_ids)
    states: dict[str, StandingState | None] = {}
    proofs: dict[str, bytes] = {}
    decided: dict[int, EntryDecision] = {}
    elsewhere: list[Entry] = []
    for item, (player, bucketed_id), row in zip(items, players_and_ids, lookups, strict=True):
        standing = None if row.score is None else state_from(period, row.score, row.member, row.stored_state)
        old = states.setdefault(player, standing)
        if row.counted and item.event is None and row.counted.label != period.label:
            elsewhere.append(item.entry)
            continue
        earlier = row.counted.proof if row.counted else proofs.get(item.entry.external_id or "")
        try:
            if earlier and bucketed_id and earlier != bucketed_id.proof:
                raise id_reused_error(item.entry)
            sent = StandingState(item.value, item.at_ms, operator=item.entry.operator)
            new = old if earlier else evaluate(period.rules, old, sent)
        except SunwiError as error:
            decided[item.entry.position] = refused(error)
            continue
        states[player] = new
        if bucketed_id and item.entry.external_id:
            proofs[item.entry.external_id] = bucketed_id.proof
        status = Status.DUPLICATE if earlier else (Status.UNCHANGED if new == old else Status.UPDATED)
        decided[item.entry.position] = EntryDecision(status, period, new)
    return decided | counted_elsewhere(period, elsewhere, service)
