"""Repetitions of ids that a board in Redis or DynamoDB has counted: which they are, and where their players stand.

Those boards keep no submissions: an id is stored with the period in which it counted, and a proof of its content.
"""

from collections import defaultdict
from collections.abc import Sequence

from foundation.db.resilience import ask
from foundation.errors import Unavailable
from foundation.messages import Message
from foundation.redis import client as redis
from foundation.sync.redis_state import StaleGeneration
from leaderboards.core import dynamodb_keys, keys
from leaderboards.core.input.entries import Entry
from leaderboards.core.partitions import partition_of
from leaderboards.core.periods import event_label
from leaderboards.core.ranking.policies import StandingState as PlayerState
from leaderboards.core.submissions import Status
from leaderboards.errors import StorageUnavailable
from leaderboards.models import OVER_STATES, Board, Period, Standing, Storage
from leaderboards.selectors.catalog.periods import period_by_label
from leaderboards.services.submit.entry_content import bucketed, content, id_reused_error
from leaderboards.services.submit.outcomes import EntryDecision, refused
from leaderboards.stores.dynamodb.writes import DynamoWriter
from leaderboards.stores.redis.stored_states import state_from
from leaderboards.stores.redis.writes import Lookup, ZsetWriter
from leaderboards.stores.sql.writes import state_of


def find_duplicates_in_redis(board: Board, entries: Sequence[Entry], service: str) -> dict[int, EntryDecision]:
    """The decisions, by position, on entries whose id has counted on a redis board.

    All entries are for the same competition, or none is for one. If Redis does not answer, all are ``unavailable``.
    """
    with_id = [(entry, own) for entry in entries if (own := bucketed(entry, service))]
    try:
        counted = ZsetWriter(redis.boards()).look_up_ids([(_namespace(board, entry), own) for entry, own in with_id])
    except Unavailable:  # an id may have counted, so nothing may count
        return {entry.position: unavailable() for entry, _ in with_id}
    found: dict[int, EntryDecision] = {}
    repeated: dict[str, list[Entry]] = defaultdict(list)
    for (entry, own), before in zip(with_id, counted, strict=True):
        if before and before.proof != own.proof:
            found[entry.position] = refused(id_reused_error(entry))
        elif before:
            repeated[event_label(entry.competition) if entry.competition else before.label].append(entry)
    for label, again in repeated.items():
        found |= _repeated_in(board, label, again)
    return found


def _namespace(board: Board, entry: Entry) -> str:
    """Where the board keeps the ids of the entry's competition, of its player's partition, or all of them.

    A board that Redis decides never has another number of partitions.
    """
    if entry.competition:
        return keys.zset(board.seq, event_label(entry.competition))
    if board.partitions == 1:
        return keys.board(board.seq)
    return keys.partition(board.seq, partition_of(entry.player, board.partitions), board.partitions)


def find_duplicates_in_dynamodb(board: Board, entries: Sequence[Entry], service: str) -> dict[int, EntryDecision]:
    """The decisions, by position, on entries whose id has counted on a board in DynamoDB.

    If it does not answer, all are ``unavailable``.
    """
    keys_of_ids = {
        each.position: dynamodb_keys.entry_id(board.seq, board.created_at, service, each.external_id)
        for each in entries
        if each.external_id is not None
    }
    try:
        counted = DynamoWriter().look_up_ids(list(keys_of_ids.values())) if keys_of_ids else {}
    except Unavailable:
        return {position: unavailable() for position in keys_of_ids}
    found: dict[int, EntryDecision] = {}
    repeated: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        before = counted.get(keys_of_ids[entry.position]) if entry.position in keys_of_ids else None
        if before and before.proof != dynamodb_keys.proof(content(entry)):
            found[entry.position] = refused(id_reused_error(entry))
        elif before:
            repeated[before.label].append(entry)
    for label, again in repeated.items():
        found |= _repeated_in(board, label, again)
    return found


def _repeated_in(board: Board, label: str, entries: Sequence[Entry]) -> dict[int, EntryDecision]:
    """The decisions on duplicates of entries that counted in a period, with the standings there."""
    try:
        period = period_by_label(board, label)
        states = _states(period, [entry.player for entry in entries]) if period else None
    except Unavailable:  # of Redis or of SQL
        states = None
    if period is None or states is None:
        return {entry.position: unavailable() for entry in entries}
    return {entry.position: EntryDecision(Status.DUPLICATE, period, states.get(entry.player)) for entry in entries}


def _states(period: Period, players: Sequence[str]) -> dict[str, PlayerState | None]:
    """The standings of players. A final period whose generation Redis lost in a restart is read from SQL."""
    is_over = period.state in OVER_STATES
    if period.board.storage == Storage.DYNAMODB:
        stored = {} if is_over else DynamoWriter().look_up(period, players)
        return _states_in_sql(period, players) if is_over else {name: each.state for name, each in stored.items()}
    writer, found = ZsetWriter(redis.boards()), dict[str, Lookup]()
    try:
        for part, own in period.by_part(players, str):
            found |= zip(own, writer.look_up(part, [(player, None) for player in own]), strict=True)
    except StaleGeneration:
        if not is_over:
            raise
        return _states_in_sql(period, players)
    return {
        player: None if row.score is None else state_from(period, row.score, row.member, row.stored_state)
        for player, row in found.items()
    }


def _states_in_sql(period: Period, players: Sequence[str]) -> dict[str, PlayerState | None]:
    ranked = Standing.objects.filter(period=period, player__external_id__in=players, score__isnull=False)
    rows = ask(lambda: list(ranked.select_related("player")))
    return {row.player.external_id: state_of(row.points, row.fields, row.at) for row in rows}


def unavailable() -> EntryDecision:
    """The refusal of an entry whose id nobody can look up now."""
    return refused(StorageUnavailable(Message("The server that stores this board does not answer; try again.")))
