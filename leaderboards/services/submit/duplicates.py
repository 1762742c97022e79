"""Looking up ids that were used before, ahead of any refusal, so that a repetition is recognised after its period ends.

hybrid and sql boards store an id with its submission, and the insert detects a used one. redis boards store ids in keys
of the board (of the competition, if there is one) with the period in which they counted; the script that counts an
entry looks up its id in the same step, for any period. So an id counts once however late a request comes. Ids are
looked up here where deciding would find out too late or not at all (``resolve.py`` and the two deciders say where).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import connection

from foundation.db.resilience import SqlAway, ask
from foundation.errors import Unavailable
from foundation.messages import Message
from foundation.redis import client as redis
from foundation.sync.redis_state import StaleGeneration
from leaderboards.core import keys
from leaderboards.core.id_buckets import BucketedId, bucketed_id
from leaderboards.core.input.entries import Entry
from leaderboards.core.input.points import scaled
from leaderboards.core.partitions import partition_of
from leaderboards.core.periods import event_label, latest_window, previous_window
from leaderboards.core.ranking.policies import StandingState as PlayerState
from leaderboards.core.ranking.policies import sent_value
from leaderboards.core.ranking.rules import Operator
from leaderboards.core.submissions import Status
from leaderboards.errors import BadPoints, BadTime, IdReused, NotOpen, OutOfRange, StorageUnavailable
from leaderboards.models import (
    OVER_STATES,
    Board,
    Period,
    QuarantinedEntry,
    Standing,
    Storage,
    Submission,
    SubmissionEdit,
)
from leaderboards.selectors.catalog.periods import cached_period, period_by_label
from leaderboards.services.submit.outcomes import EntryDecision, refused
from leaderboards.stores.redis.writes import Lookup, ZsetWriter, state_from
from leaderboards.stores.sql.bulk import one_of_sql
from leaderboards.stores.sql.writes import state_of

ID_RETENTION = timedelta(hours=24)
Targeted = tuple[Entry, Board]


def content(entry: Entry) -> str:
    """The content of an entry as text; equal content gives equal text: ``1``, ``1.0`` and ``"1"`` are the same."""
    if entry.points is not None:
        points = Decimal(entry.points)
        value = str(points.normalize() or 0) if abs(points.adjusted()) < 40 else "beyond"  # -0 is 0
    else:
        adds = entry.operator is not None and entry.operator.adds  # then a field that was not sent is 0
        fields = ((name, number) for name, number in sorted(entry.fields or ()) if number or not adds)
        value = ",".join(f"{name}={number}" for name, number in fields)
    parts: tuple[str, ...] = (entry.player, value, entry.at.isoformat() if entry.at else "")
    if entry.operator is not None or entry.metadata is not None:
        parts = (*parts, entry.operator or "", entry.metadata or "")
    return "\0".join(parts)


def bucketed(entry: Entry, service: str) -> BucketedId | None:
    """Where a redis board stores the entry's id; None if it has no id."""
    return bucketed_id(service, entry.external_id, content(entry)) if entry.external_id is not None else None


def find_duplicates(targeted: Sequence[Targeted], service: str, at: datetime) -> dict[int, EntryDecision]:
    """The decisions on entries whose id was used before, by position. Nothing is written."""
    with_id = [(entry, board) for entry, board in targeted if entry.external_id is not None]
    if not with_id:
        return {}
    on_sql = [(entry, board) for entry, board in with_id if board.storage != Storage.REDIS]
    on_redis = [(entry, board) for entry, board in with_id if board.storage == Storage.REDIS]
    try:
        found = ask(lambda: _find_in_sql(on_sql, service)) if on_sql else {}
    except SqlAway:  # an id may have been used, so nothing may count
        found = {entry.position: _unavailable() for entry, _ in on_sql}
    for (_, competition), scope in group_by_scope(on_redis).items():
        found |= _find_counted_in_redis(scope[0][1], competition, [entry for entry, _ in scope], service, at)
    return found


def _find_in_sql(targeted: Sequence[Targeted], service: str) -> dict[int, EntryDecision]:
    used = _used(targeted, service)
    rows = Submission.objects.filter(pk__in=used).select_related("period", "player") if used else ()
    found = {(row.board_id, row.competition, row.external_id): row for row in rows}
    standings = _standings(found.values())
    _restore_sent_values(found.values())
    return {
        entry.position: _repeated(entry, row, standings.get((row.period_id, row.player_id)))
        for entry, board in targeted
        if (row := found.get((board.seq, entry.competition or 0, entry.external_id)))
    }


def _used(targeted: Sequence[Targeted], service: str) -> list[int]:
    """The primary keys of submissions with these ids, mostly none: one statement, no model instances."""
    conditions, params = list[str](), list[Any]()
    for (seq, competition), entries in group_by_scope(targeted).items():
        one_of, ids = one_of_sql("external_id", "text", [entry.external_id for entry, _ in entries])
        conditions.append(f"(board_id = %s AND competition = %s AND {one_of})")
        params += (seq, competition, *ids)
    query = f"SELECT id FROM leaderboards_submission WHERE service = %s AND ({' OR '.join(conditions)})"  # noqa: S608 - constant names
    with connection.cursor() as cursor:
        cursor.execute(query, [service, *params])
        return [number for (number,) in cursor.fetchall()]


def _restore_sent_values(rows: Collection[Submission]) -> None:
    """Give edited submissions the value that the game server sent: a repetition is compared with that one."""
    edits = SubmissionEdit.objects.filter(submission__in=rows).order_by("-pk") if rows else ()
    sent = {edit.submission_id: edit.before for edit in edits}  # newest first, so the oldest edit wins
    for row in rows:
        if (value := sent.get(row.pk)) is not None:
            row.points, row.fields = (value[0], None) if row.fields is None else (None, value)


def _standings(rows: Iterable[Submission]) -> Mapping[tuple[int, int], Standing]:
    pairs = [(row.period_id, row.player_id) for row in rows]
    found = Standing.objects.filter(
        period__in={period for period, _ in pairs}, player__in={player for _, player in pairs}, score__isnull=False
    )
    return {(row.period_id, row.player_id): row for row in found}


def _repeated(entry: Entry, row: Submission, standing: Standing | None) -> EntryDecision:
    if not has_same_content(entry, row):
        return refused(id_reused_error(entry))
    state = state_of(standing.points, standing.fields, standing.at) if standing else None
    return EntryDecision(Status.DUPLICATE, row.period, state)


def has_same_content(entry: Entry, row: Submission | QuarantinedEntry) -> bool:
    """Whether an entry has the content that is stored under its id; ``row`` has its player and period loaded."""
    if (entry.player, entry.at, entry.operator) != (row.player.external_id, row.sent_at, row.operator):
        return False
    if entry.metadata != row.metadata:
        return False
    rules = row.period.rules
    if entry.points is None:
        absent = 0 if entry.operator is not None and entry.operator.adds else None
        sent, names = dict(entry.fields or ()), [field.name for field in rules.fields]
        numbers = [sent.get(name, absent) for name in names]
        if entry.operator is Operator.DECREMENT:
            numbers = [-number for number in numbers if number is not None]
        return row.fields is not None and numbers == row.fields
    try:
        return sent_value((scaled(entry.points, rules.decimals),), entry.operator) == (row.points,)
    except (BadPoints, OutOfRange):
        return False


def id_reused_error(entry: Entry) -> IdReused:
    """The refusal of an id that was used for other content."""
    return IdReused(
        Message(
            "The id %(id)s was used before for other content; give this entry an id of its own.", id=entry.external_id
        )
    )


def _find_counted_in_redis(
    board: Board, competition: int, entries: Sequence[Entry], service: str, at: datetime
) -> dict[int, EntryDecision]:
    is_opened: dict[str, bool] = {}

    def may_have_counted(entry: Entry) -> bool:
        label = event_label(competition) if competition else _ended_period_label(board, entry, at)
        if label and label not in is_opened:
            try:
                is_opened[label] = cached_period(board, label, at) is not None
            except SqlAway:  # Redis has the ids all the same
                is_opened[label] = True
        return bool(label and is_opened[label])

    candidates = [entry for entry in entries if may_have_counted(entry)]
    return find_duplicates_in_redis(board, candidates, service) if candidates else {}


def _ended_period_label(board: Board, entry: Entry, at: datetime) -> str | None:
    """The label of an ended calendar period in which the entry may have counted: its own, or the one before."""
    try:
        own = latest_window(board.calendar, min(entry.at or at, at))
        if own.starts_at is None or own.ends_at is None or own.ends_at <= at:
            return own.label if own.ends_at else None
        return previous_window(board.calendar, own).label if at < own.starts_at + ID_RETENTION else None
    except (BadTime, NotOpen):  # the time is outside all periods
        return None


def find_duplicates_in_redis(board: Board, entries: Sequence[Entry], service: str) -> dict[int, EntryDecision]:
    """The decisions, by position, on entries whose id has counted on a redis board.

    All entries are for the same competition, or none is for one. If Redis does not answer, all are ``unavailable``.
    """
    with_id = [(entry, own) for entry in entries if (own := bucketed(entry, service))]
    try:
        counted = ZsetWriter(redis.boards()).look_up_ids([(_namespace(board, entry), own) for entry, own in with_id])
    except Unavailable:  # an id may have counted, so nothing may count
        return {entry.position: _unavailable() for entry, _ in with_id}
    found: dict[int, EntryDecision] = {}
    repeated: dict[str, list[Entry]] = defaultdict(list)
    for (entry, own), before in zip(with_id, counted, strict=True):
        if before and before.proof != own.proof:
            found[entry.position] = refused(id_reused_error(entry))
        elif before:
            repeated[event_label(entry.competition) if entry.competition else before.label].append(entry)
    for label, again in repeated.items():
        found |= _repeated_in_redis(board, label, again)
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


def _repeated_in_redis(board: Board, label: str, entries: Sequence[Entry]) -> dict[int, EntryDecision]:
    """The decisions on duplicates of entries that counted in a period, with the standings there."""
    try:
        period = period_by_label(board, label)
        states = _states(period, [entry.player for entry in entries]) if period else None
    except Unavailable:  # of Redis or of SQL
        states = None
    if period is None or states is None:
        return {entry.position: _unavailable() for entry in entries}
    return {entry.position: EntryDecision(Status.DUPLICATE, period, states.get(entry.player)) for entry in entries}


def _states(period: Period, players: Sequence[str]) -> dict[str, PlayerState | None]:
    """The standings of players. A final period whose generation Redis lost in a restart is read from SQL."""
    writer, found = ZsetWriter(redis.boards()), dict[str, Lookup]()
    try:
        for part, own in period.by_part(players, str):
            found |= zip(own, writer.look_up(part, [(player, None) for player in own]), strict=True)
    except StaleGeneration:
        if period.state not in OVER_STATES:
            raise
        rows = ask(lambda: list(_standings_of(period, players)))
        return {row.player.external_id: state_of(row.points, row.fields, row.at) for row in rows}
    return {
        player: None if row.score is None else state_from(period, row.score, row.member, row.stored_state)
        for player, row in found.items()
    }


def _standings_of(period: Period, players: Sequence[str]) -> Iterable[Standing]:
    rows = Standing.objects.filter(period=period, player__external_id__in=players, score__isnull=False)
    return rows.select_related("player")


def _unavailable() -> EntryDecision:
    return refused(StorageUnavailable(Message("The server that stores this board does not answer; try again.")))


def group_by_scope(targeted: Sequence[Targeted]) -> dict[tuple[int, int], list[Targeted]]:
    """The entries by the scope in which an id is unique: board, and competition (0 on calendar boards)."""
    scopes: dict[tuple[int, int], list[Targeted]] = defaultdict(list)
    for entry, board in targeted:
        scopes[board.seq, entry.competition or 0].append((entry, board))
    return scopes
