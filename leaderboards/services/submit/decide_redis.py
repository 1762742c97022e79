"""Redis decides: the submit of ``redis`` boards, one script per 250 entries. SQL follows by the mirror.

After the first failure of a request Redis is tried no more: what was not sent is ``unavailable``,
what was sent without an answer is ``unknown``, and safe to send again if it has an id. A company that fails before
anything is sent dissolves.

The script looks ids up itself. Who is refused before they come to it is asked for here where an id may have counted in
another period, or in a competition (decision 0058).
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import BigIntegerField, Value

from foundation.db.resilience import StaleIfErrorCache
from foundation.errors import SunwiError, Unavailable
from foundation.failpoints import failpoint
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
    PeriodClosed,
    RequestExpired,
    RulesChanged,
    StorageUnavailable,
)
from leaderboards.models import Period, Player, RestrictionKind
from leaderboards.selectors.catalog.periods import reload_sync_state
from leaderboards.selectors.rankings.store_routing import retry_if_stale
from leaderboards.selectors.visibility.hidden import HIDDEN_SECONDS, clear_hidden_cache
from leaderboards.selectors.visibility.restrictions import active_restrictions
from leaderboards.services.submit.decision import EntryDecision, refused
from leaderboards.services.submit.duplicates import bucketed, find_duplicates, find_duplicates_in_redis, id_reused_error
from leaderboards.services.submit.group_commit import abort_batch_on_error
from leaderboards.services.submit.items import Item
from leaderboards.services.submit.quarantine_redis import quarantine_implausible
from leaderboards.services.submit.request_periods import refuse_delayed
from leaderboards.stores.redis.writes import (
    ENTRIES_PER_CALL,
    EntryToEvaluate,
    EvaluatedEntry,
    Verdict,
    ZsetWriter,
    state_from,
)

_STATUS = {Verdict.UPDATED: Status.UPDATED, Verdict.SAME: Status.UNCHANGED, Verdict.DUPLICATE: Status.DUPLICATE}


def decide(
    items: Sequence[Item], service: str, at: datetime, dry_run: bool = False, limits: Limits | None = None
) -> dict[int, EntryDecision]:
    """Judge and apply the items of one period, in order; the decisions by position. What breaks ``limits`` is
    quarantined.
    """
    period = items[0].period
    with abort_batch_on_error(items[0].in_batch):
        decided = _refuse_banned(items)
        fitting = [item for item in items if item.entry.position not in decided and _fits(item, decided)]
        decided |= _used_before(items, decided, service, at)
        if period.stale_since is not None:
            reload_sync_state(period)  # it may have been settled since
    if limits is not None and period.stale_since is None:
        held = _hold_back(fitting, limits, service, at, dry_run)
        fitting, decided = [item for item in fitting if item.entry.position not in held], decided | held
    return decided | _by_chunk(fitting, service, at, dry_run)


def _by_chunk(items: Sequence[Item], service: str, at: datetime, dry_run: bool) -> dict[int, EntryDecision]:
    """Until a chunk fails; those behind it are not tried."""
    failure: SunwiError | None = _away() if items and items[0].period.stale_since is not None else None
    decided, unjudged = dict[int, EntryDecision](), dict[int, EntryDecision]()
    for chunk in _chunks(items):
        if failure is None:
            try:
                decided |= _rehearse(chunk, service) if dry_run else _apply(chunk, service)
                continue
            except RedisSilent:
                unknown = OutcomeUnknown("The store did not answer in time; send entries that have an `id` again.")
                decided |= {item.entry.position: refused(unknown) for item in chunk}
                failure = _away()
                continue
            except (RulesChanged, RequestExpired) as error:
                failure = error
            except Unavailable:
                failure = _away()
        unjudged |= {item.entry.position: refused(failure) for item in chunk}
    used = _used_before(items, unjudged, service, at) if isinstance(failure, RulesChanged) else {}
    return decided | unjudged | used


def _used_before(
    items: Sequence[Item], refusals: Collection[int], service: str, at: datetime
) -> dict[int, EntryDecision]:
    """Of those who are refused without the script, the ones whose id was used before, if nobody has asked yet.

    ``find_duplicates`` asks nothing on boards of all time, nor in a period that began over a day ago: there the refusal
    stays.
    """
    unjudged = [
        (item.entry, item.period.board) for item in items if item.id_unchecked and item.entry.position in refusals
    ]
    return find_duplicates(unjudged, service, at)


def _chunks(items: Sequence[Item]) -> list[Sequence[Item]]:
    return [items[start : start + ENTRIES_PER_CALL] for start in range(0, len(items), ENTRIES_PER_CALL)]


def _hold_back(
    items: Sequence[Item], limits: Limits, service: str, at: datetime, dry_run: bool
) -> dict[int, EntryDecision]:
    """What is not to be applied: it broke a limit, or whether it does cannot be known."""
    held: dict[int, EntryDecision] = {}
    for chunk in _chunks(items):
        try:
            held |= quarantine_implausible(chunk, limits, service, at, dry_run)
        except Unavailable as error:
            gone = refused(error if isinstance(error, StorageUnavailable) else _away())
            held |= {item.entry.position: gone for item in chunk}
    return held


def _away() -> StorageUnavailable:
    return StorageUnavailable("What decides for this board is away; try again.")


def _refuse_banned(items: Sequence[Item]) -> dict[int, EntryDecision]:
    banned = banned_players(items[0].period.board_id)
    refusal = refused(Banned("This player may not score."))
    return {item.entry.position: refusal for item in items if item.entry.player in banned}


def banned_players(board: int | None = None) -> frozenset[str]:
    """The ids of all who may not score anywhere, and of those who may not on ``board``, as of the last second, or as
    SQL said last where it is silent.

    Raises ``SqlAway``.
    """
    found = _banned.get("all") or {}
    return found.get(None, frozenset()) | found.get(board, frozenset())


def forget_bans() -> None:
    """Somebody was banned or let in again: this process knows it at once."""
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


def _fits(item: Item, decided: dict[int, EntryDecision]) -> bool:
    """Whether the layout can hold criteria that are each within their limits; points within theirs always fit."""
    try:
        if item.period.rules.criteria:
            item.period.layout.pack(item.value, item.at_ms, item.entry.player)
    except OutOfRange as error:
        decided[item.entry.position] = refused(error)
        return False
    return True


def _apply(items: Sequence[Item], service: str) -> dict[int, EntryDecision]:
    period = items[0].period
    writer, read_by = ZsetWriter(redis.boards()), period.rules_json
    failpoint("submit.before_script")

    def judge_now() -> list[EvaluatedEntry]:
        if period.rules_json != read_by:
            raise RulesChanged
        refuse_delayed(items)
        with abort_batch_on_error(items[0].in_batch, expected_errors=(Unavailable,)):  # a company is one chunk
            send = writer.prepare_submit(period, _to_judge(period, items, service))
        return send()

    judged = retry_if_stale(period, judge_now)
    failpoint("submit.after_script")
    decided = {item.entry.position: _decided(item, row) for item, row in zip(items, judged, strict=True)}
    elsewhere = [item.entry for item, row in zip(items, judged, strict=True) if row.verdict is Verdict.OTHER_PERIOD]
    return decided | _counted_elsewhere(period, elsewhere, service)


def _counted_elsewhere(period: Period, entries: Sequence[Entry], service: str) -> dict[int, EntryDecision]:
    """Duplicates of what counted in another period, with the standings there."""
    return find_duplicates_in_redis(period.board, entries, service) if entries else {}


def _to_judge(period: Period, items: Sequence[Item], service: str) -> list[EntryToEvaluate]:
    """The items for the script, their times as the period's layout keeps them now."""
    return [
        EntryToEvaluate(
            each.entry.player, each.value, period.layout.quantize(each.at_ms), bucketed(each.entry, service)
        )
        for each in items
    ]


def _decided(item: Item, row: EvaluatedEntry) -> EntryDecision:
    period = item.period
    match row.verdict:
        case Verdict.CLOSED:
            return refused(PeriodClosed(f"Period {period.label} is closed."))
        case Verdict.REUSED:
            return refused(id_reused_error(item.entry))
        case Verdict.OTHER_PERIOD:  # until it is looked up there
            return refused(StorageUnavailable("The entry counted in another period; send it again to hear of it."))
        case Verdict.OUT_OF_RANGE:
            rules = period.rules
            return refused(
                OutOfRange(
                    f"The total would leave {rules.text(rules.minimum)} to {rules.text(rules.total_maximum)}. "
                    "Nothing was changed."
                )
            )
    return EntryDecision(_STATUS[row.verdict], period, row.state)


def _rehearse(items: Sequence[Item], service: str) -> dict[int, EntryDecision]:
    """The decisions without their effects, over what Redis has now."""
    period = items[0].period
    asked = [(item.entry.player, bucketed(item.entry, service)) for item in items]
    seen = ZsetWriter(redis.boards()).look_up(period, asked)
    states: dict[str, StandingState | None] = {}
    said: dict[str, bytes] = {}
    decided: dict[int, EntryDecision] = {}
    elsewhere: list[Entry] = []
    for item, (player, own), row in zip(items, asked, seen, strict=True):
        standing = None if row.score is None else state_from(period, row.score, row.member, row.stored_state)
        old = states.setdefault(player, standing)
        if row.counted and item.event is None and row.counted.label != period.label:
            elsewhere.append(item.entry)
            continue
        before = row.counted.proof if row.counted else said.get(item.entry.external_id or "")
        try:
            if before and own and before != own.proof:
                raise id_reused_error(item.entry)
            new = old if before else evaluate(period.rules, old, StandingState(item.value, item.at_ms))
        except SunwiError as error:
            decided[item.entry.position] = refused(error)
            continue
        states[player] = new
        if own and item.entry.external_id:
            said[item.entry.external_id] = own.proof
        status = Status.DUPLICATE if before else (Status.UNCHANGED if new == old else Status.UPDATED)
        decided[item.entry.position] = EntryDecision(status, period, new)
    return decided | _counted_elsewhere(period, elsewhere, service)
