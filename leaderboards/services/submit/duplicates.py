"""Looking up ids that were used before, ahead of any refusal, so that a repetition is recognised after its period ends.

hybrid and sql boards store an id with its submission, and the insert detects a used one. redis boards store ids in keys
of the board (of the competition, if there is one) with the period in which they counted; the script that counts an
entry looks up its id in the same step, for any period. So an id counts once however late a request comes. Ids are
looked up here where deciding would find out too late or not at all (``resolve.py`` and the two deciders say where).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from foundation.db.resilience import SqlAway, ask
from leaderboards.core.input.entries import Entry
from leaderboards.core.periods import event_label, latest_window, previous_window
from leaderboards.core.submissions import Status
from leaderboards.errors import BadTime, NotOpen
from leaderboards.models import (
    WITHOUT_SUBMISSIONS,
    Board,
    Standing,
    Storage,
    Submission,
    SubmissionEdit,
)
from leaderboards.selectors.catalog.periods import cached_period
from leaderboards.services.submit.counted_ids import find_duplicates_in_dynamodb, find_duplicates_in_redis, unavailable
from leaderboards.services.submit.entry_content import has_same_content, id_reused_error
from leaderboards.services.submit.outcomes import EntryDecision, refused
from leaderboards.stores.sql.bulk import one_of_sql
from leaderboards.stores.sql.writes import state_of

ID_RETENTION = timedelta(hours=24)
Targeted = tuple[Entry, Board]


def find_duplicates(targeted: Sequence[Targeted], service: str, at: datetime) -> dict[int, EntryDecision]:
    """The decisions on entries whose id was used before, by position. Nothing is written."""
    with_id = [(entry, board) for entry, board in targeted if entry.external_id is not None]
    if not with_id:
        return {}
    on_sql = [(entry, board) for entry, board in with_id if board.storage not in WITHOUT_SUBMISSIONS]
    on_redis = [(entry, board) for entry, board in with_id if board.storage == Storage.REDIS]
    on_dynamodb = [(entry, board) for entry, board in with_id if board.storage == Storage.DYNAMODB]
    try:
        found = ask(lambda: _find_in_sql(on_sql, service)) if on_sql else {}
    except SqlAway:  # an id may have been used, so nothing may count
        found = {entry.position: unavailable() for entry, _ in on_sql}
    for (_, competition), scope in group_by_scope(on_redis).items():
        found |= _find_counted_in_redis(scope[0][1], competition, [entry for entry, _ in scope], service, at)
    for scope in group_by_scope(on_dynamodb).values():
        found |= find_duplicates_in_dynamodb(scope[0][1], [entry for entry, _ in scope], service)
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


def group_by_scope(targeted: Sequence[Targeted]) -> dict[tuple[int, int], list[Targeted]]:
    """The entries by the scope in which an id is unique: board, and competition (0 on calendar boards)."""
    scopes: dict[tuple[int, int], list[Targeted]] = defaultdict(list)
    for entry, board in targeted:
        scopes[board.seq, entry.competition or 0].append((entry, board))
    return scopes
