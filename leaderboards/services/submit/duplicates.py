"""Ids that were sent before, asked before anything refuses: a repetition is known after its period has turned.

hybrid and sql boards keep an id as long as its submission, and the insert tells one that was used before. redis boards
keep it in keys of the board (a competition in its own) with the period that it counted in. The script that counts an
entry looks its id up in the same step, whichever period it is for. So an id counts once however late a request comes.
It is asked for here where deciding would not tell, or too late (``pipeline.py`` and the two deciders say where).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import connection

from foundation.db.resilience import SqlAway, ask
from foundation.errors import Unavailable
from foundation.redis import client as redis
from foundation.sync.redis_state import StaleGeneration
from leaderboards.core import keys
from leaderboards.core.id_buckets import BucketedId, bucketed_id
from leaderboards.core.input.entries import Entry
from leaderboards.core.input.points import scaled
from leaderboards.core.periods import event_label, previous_window, window_at
from leaderboards.core.ranking.policies import StandingState as PlayerState
from leaderboards.core.submissions import Status
from leaderboards.errors import BadPoints, BadTime, IdReused, OutOfRange, StorageUnavailable
from leaderboards.models import (
    Board,
    Period,
    PeriodState,
    QuarantinedEntry,
    Standing,
    Storage,
    Submission,
    SubmissionEdit,
)
from leaderboards.selectors.catalog.periods import cached_period, period_by_label
from leaderboards.services.submit.decision import EntryDecision, refused
from leaderboards.stores.redis.writes import ZsetWriter, state_from
from leaderboards.stores.sql.bulk import one_of_sql
from leaderboards.stores.sql.writes import state_of

ID_RETENTION = timedelta(hours=24)
Targeted = tuple[Entry, Board]


def content(entry: Entry) -> str:
    """What an entry says, such that equal content gives equal text: ``1``, ``1.0`` and ``"1"`` are the same."""
    if entry.points is not None:
        points = Decimal(entry.points)
        said = str(points.normalize()) if abs(points.adjusted()) < 40 else "beyond"
    else:
        said = ",".join(f"{name}={number}" for name, number in sorted(entry.fields or ()))
    return "\0".join((entry.player, said, entry.at.isoformat() if entry.at else ""))


def bucketed(entry: Entry, service: str) -> BucketedId | None:
    """Where a redis board remembers the entry's id."""
    return bucketed_id(service, entry.external_id, content(entry)) if entry.external_id is not None else None


def find_duplicates(targeted: Sequence[Targeted], service: str, at: datetime) -> dict[int, EntryDecision]:
    """The decisions on entries whose id was used before, by position. Nothing is written."""
    with_id = [(entry, board) for entry, board in targeted if entry.external_id is not None]
    if not with_id:
        return {}
    by_sql = [(entry, board) for entry, board in with_id if board.storage != Storage.REDIS]
    in_redis = [(entry, board) for entry, board in with_id if board.storage == Storage.REDIS]
    try:
        found = ask(lambda: _known_to_sql(by_sql, service)) if by_sql else {}
    except SqlAway:  # whether an id was used cannot be known, so nothing may be counted
        found = {entry.position: _away() for entry, _ in by_sql}
    for (_, competition), scope in group_by_scope(in_redis).items():
        found |= _known_to_redis(scope[0][1], competition, [entry for entry, _ in scope], service, at)
    return found


def _known_to_sql(targeted: Sequence[Targeted], service: str) -> dict[int, EntryDecision]:
    used = _used(targeted, service)
    rows = Submission.objects.filter(pk__in=used).select_related("period", "player") if used else ()
    found = {(row.board_id, row.competition, row.external_id): row for row in rows}
    standings = _standings(found.values())
    _as_sent(found.values())
    return {
        entry.position: _repeated(entry, row, standings.get((row.period_id, row.player_id)))
        for entry, board in targeted
        if (row := found.get((board.seq, entry.competition or 0, entry.external_id)))
    }


def _used(targeted: Sequence[Targeted], service: str) -> list[int]:
    """The submissions with these ids, mostly none: one statement, and no rows made of it."""
    wanted, params = list[str](), list[Any]()
    for (seq, competition), entries in group_by_scope(targeted).items():
        one_of, ids = one_of_sql("external_id", "text", [entry.external_id for entry, _ in entries])
        wanted.append(f"(board_id = %s AND competition = %s AND {one_of})")
        params += (seq, competition, *ids)
    said = f"SELECT id FROM leaderboards_submission WHERE service = %s AND ({' OR '.join(wanted)})"  # noqa: S608 (names of ours)
    with connection.cursor() as cursor:
        cursor.execute(said, [service, *params])
        return [number for (number,) in cursor.fetchall()]


def _as_sent(rows: Collection[Submission]) -> None:
    """Give those that a moderator edited the value that the game server sent, which their ids stand for."""
    edits = SubmissionEdit.objects.filter(submission__in=rows).order_by("-pk") if rows else ()
    sent = {edit.submission_id: edit.before for edit in edits}  # the first edit is the last to be written here
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
    """Whether an entry says what was kept under its id; ``row`` comes with its player and its period."""
    if entry.player != row.player.external_id or entry.at != row.sent_at:
        return False
    rules = row.period.rules
    if entry.points is None:
        sent = dict(entry.fields or ())
        return row.fields is not None and [sent.get(field.name) for field in rules.fields] == row.fields
    try:
        return row.points == scaled(entry.points, rules.decimals)
    except (BadPoints, OutOfRange):
        return False


def id_reused_error(entry: Entry) -> IdReused:
    """The refusal of an id that stands for something else."""
    return IdReused(f"The id {entry.external_id} was used before for other content; give this entry an id of its own.")


def _known_to_redis(
    board: Board, competition: int, entries: Sequence[Entry], service: str, at: datetime
) -> dict[int, EntryDecision]:
    opened: dict[str, bool] = {}

    def may_have_counted(entry: Entry) -> bool:
        label = event_label(competition) if competition else _label_over(board, entry, at)
        if label and label not in opened:
            try:
                opened[label] = cached_period(board, label, at) is not None
            except SqlAway:  # Redis knows the ids without it
                opened[label] = True
        return bool(label and opened[label])

    asked = [entry for entry in entries if may_have_counted(entry)]
    return find_duplicates_in_redis(board, asked, service) if asked else {}


def _label_over(board: Board, entry: Entry, at: datetime) -> str | None:
    """The period of a calendar, over by now, in which the entry may have counted: its own, or the one before."""
    try:
        own = window_at(board.calendar, min(entry.at or at, at))
        if own.starts_at is None or own.ends_at is None or own.ends_at <= at:
            return own.label if own.ends_at else None
        return previous_window(board.calendar, own).label if at < own.starts_at + ID_RETENTION else None
    except BadTime:  # outside all periods
        return None


def find_duplicates_in_redis(board: Board, entries: Sequence[Entry], service: str) -> dict[int, EntryDecision]:
    """The decisions on entries whose id has counted on a redis board, in one competition or in none, by position.

    Where Redis cannot be asked whether they have, all are ``unavailable``.
    """
    competition = entries[0].competition
    owner = keys.zset(board.seq, event_label(competition)) if competition else keys.board(board.seq)
    asked = [(entry, own) for entry in entries if (own := bucketed(entry, service))]
    try:
        counted = ZsetWriter(redis.boards()).look_up_ids(owner, [own for _, own in asked])
    except Unavailable:  # so nothing may be counted
        return {entry.position: _away() for entry, _ in asked}
    found: dict[int, EntryDecision] = {}
    repeated: dict[str, list[Entry]] = defaultdict(list)
    for (entry, own), before in zip(asked, counted, strict=True):
        if before and before.proof != own.proof:
            found[entry.position] = refused(id_reused_error(entry))
        elif before:
            repeated[event_label(entry.competition) if entry.competition else before.label].append(entry)
    for label, again in repeated.items():
        found |= _repeated_in_redis(board, label, again)
    return found


def _repeated_in_redis(board: Board, label: str, entries: Sequence[Entry]) -> dict[int, EntryDecision]:
    """Duplicates of what counted in a period, with the standings there."""
    try:
        period = period_by_label(board, label)
        states = _states(period, [entry.player for entry in entries]) if period else None
    except Unavailable:  # of Redis and SQL
        states = None
    if period is None or states is None:
        return {entry.position: _away() for entry in entries}
    return {entry.position: EntryDecision(Status.DUPLICATE, period, states.get(entry.player)) for entry in entries}


def _states(period: Period, players: Sequence[str]) -> dict[str, PlayerState | None]:
    """Where players stand. A restart takes a final period's generation away: then SQL says so."""
    try:
        seen = ZsetWriter(redis.boards()).look_up(period, [(player, None) for player in players])
    except StaleGeneration:
        if period.state not in (PeriodState.FINAL, PeriodState.EXPIRED):
            raise
        rows = ask(lambda: list(_standings_of(period, players)))
        return {row.player.external_id: state_of(row.points, row.fields, row.at) for row in rows}
    places = zip(players, seen, strict=True)
    return {
        player: None if row.score is None else state_from(period, row.score, row.member, row.stored_state)
        for player, row in places
    }


def _standings_of(period: Period, players: Sequence[str]) -> Iterable[Standing]:
    rows = Standing.objects.filter(period=period, player__external_id__in=players, score__isnull=False)
    return rows.select_related("player")


def _away() -> EntryDecision:
    return refused(StorageUnavailable("What decides for this board is away; try again."))


def group_by_scope(targeted: Sequence[Targeted]) -> dict[tuple[int, int], list[Targeted]]:
    """The entries within which an id is unique: by board, and competition (0 on calendar boards)."""
    scopes: dict[tuple[int, int], list[Targeted]] = defaultdict(list)
    for entry, board in targeted:
        scopes[board.seq, entry.competition or 0].append((entry, board))
    return scopes
