"""Ids that were sent before, asked before anything about time: a repetition is known after its period has turned.

hybrid and sql boards keep an id as long as its submission. redis boards keep it in the period's own
keys, so earlier periods that ended in the last 24 hours are asked here; the submit script asks the
entry's own. A competition has one period and ids of its own: it alone is asked, running or over.

An entry that says no time belongs to the period in which it arrives, and its repetition maybe to the next. Where the
first request is held up before its script, the repetition claims the id in the earlier period while that may still
count (until it is closed in Redis): the script that comes late then finds it claimed. A claim says nothing else. Who
meets one goes on in his own period, so a process that died behind its claim leaves nothing that anybody waits for.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from django.db.models import Q

from foundation import redis
from foundation.errors import Unavailable
from foundation.sql import Remembered, SqlAway, ask
from foundation.sync.memory import Stale
from leaderboards.core.entries import Entry
from leaderboards.core.id_buckets import BucketedId, bucketed_id
from leaderboards.core.periods import event_label, window_at
from leaderboards.core.points import scaled
from leaderboards.core.submissions import Status
from leaderboards.errors import BadPoints, BadTime, IdReused, OutOfRange, StorageUnavailable
from leaderboards.models import Board, Period, Standing, State, Storage, Submission
from leaderboards.selectors.periods import period_by_label
from leaderboards.services.decided import Decided, refused
from leaderboards.services.resolve import FUTURE_TOLERANCE
from leaderboards.stores.sql_writes import state_of
from leaderboards.stores.zset_writes import Seen, ZsetWriter, state_from

KEPT = timedelta(hours=24)
Targeted = tuple[Entry, Board]


def days(at: datetime) -> tuple[str, str]:
    """The names of the id buckets of today and yesterday."""
    return at.date().isoformat(), (at - timedelta(days=1)).date().isoformat()


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


def known(targeted: Sequence[Targeted], service: str, at: datetime, claim: bool = True) -> dict[int, Decided]:
    """The decisions on entries whose id was used before, by position. Without ``claim`` nothing is written."""
    with_id = [(entry, board) for entry, board in targeted if entry.external_id is not None]
    if not with_id:
        return {}
    by_sql = [(entry, board) for entry, board in with_id if board.storage != Storage.REDIS]
    by_redis = [(entry, board) for entry, board in with_id if board.storage == Storage.REDIS]
    # Only the first asks SQL itself; what the second needs of SQL is remembered while SQL is silent.
    return _or_unavailable(by_sql, lambda: ask(lambda: _known_to_sql(by_sql, service))) | _or_unavailable(
        by_redis, lambda: _known_to_earlier_periods(by_redis, service, at, claim)
    )


def _or_unavailable(targeted: Sequence[Targeted], look: Callable[[], dict[int, Decided]]) -> dict[int, Decided]:
    """What ``look`` finds; where SQL is away, whether an id was used cannot be known, so nothing may be counted."""
    try:
        return look()
    except SqlAway:
        gone = refused(StorageUnavailable("What decides for this board is away; try again."))
        return {entry.position: gone for entry, _ in targeted}


def _known_to_sql(targeted: Sequence[Targeted], service: str) -> dict[int, Decided]:
    if not targeted:
        return {}
    wanted = Q()
    for (seq, competition), entries in _by_scope(targeted).items():
        wanted |= Q(board=seq, competition=competition, external_id__in=[entry.external_id for entry, _ in entries])
    rows = Submission.objects.filter(wanted, service=service).select_related("period", "player")
    found = {(row.board_id, row.competition, row.external_id): row for row in rows}
    standings = _standings(found.values())
    return {
        entry.position: _repeated(entry, row, standings.get((row.period_id, row.player_id)))
        for entry, board in targeted
        if (row := found.get((board.seq, entry.competition or 0, entry.external_id)))
    }


def _standings(rows: Iterable[Submission]) -> Mapping[tuple[int, int], Standing]:
    pairs = [(row.period_id, row.player_id) for row in rows]
    found = Standing.objects.filter(
        period__in={period for period, _ in pairs}, player__in={player for _, player in pairs}, score__isnull=False
    )
    return {(row.period_id, row.player_id): row for row in found}


def _repeated(entry: Entry, row: Submission, standing: Standing | None) -> Decided:
    if not _says_the_same(entry, row):
        return refused(reused(entry))
    state = state_of(standing.points, standing.fields, standing.at) if standing else None
    return Decided(Status.DUPLICATE, row.period, state)


def _says_the_same(entry: Entry, row: Submission) -> bool:
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


def reused(entry: Entry) -> IdReused:
    """The refusal of an id that stands for something else."""
    return IdReused(f"The id {entry.external_id} was used before for other content; give this entry an id of its own.")


def _known_to_earlier_periods(
    targeted: Sequence[Targeted], service: str, at: datetime, claim: bool
) -> dict[int, Decided]:
    asked: dict[tuple[Period, bool], list[Entry]] = defaultdict(list)
    for (seq, competition), entries in _by_scope(targeted).items():
        board = entries[0][1]
        if competition:
            if period := period_by_label(board, event_label(competition)):
                asked[period, False] += [entry for entry, _ in entries]
            continue
        recent = [period for period in _recent.get((seq, at.date())) or () if _overlaps_a_day(period, at)]
        for entry, _ in entries:
            own = _own_label(board, entry, at)
            for period in recent:
                if period.label != own:
                    asked[period, claim and _may_count(period, entry, at)].append(entry)
    found: dict[int, Decided] = {}
    for (period, claims), repeated in asked.items():
        found |= _look(period, repeated, service, at, claims)
    return found


def _may_count(period: Period, entry: Entry, at: datetime) -> bool:
    """Whether the entry, had it come before the period's end, may still be on its way into it."""
    ends_at = period.ends_at
    if ends_at is None or ends_at > at or period.state not in (State.OPEN, State.CLOSING):
        return False
    return entry.at is None or ends_at <= entry.at < ends_at + FUTURE_TOLERANCE


def _own_label(board: Board, entry: Entry, at: datetime) -> str | None:
    """The period that the entry's own script will ask; None outside all periods, where the entry is refused later."""
    try:
        return window_at(board.calendar, min(entry.at or at, at)).label
    except BadTime:
        return None


def _load_recent(keys: Collection[tuple[int, date]]) -> dict[tuple[int, date], list[Period]]:
    """For a board and a day in UTC, the periods that an id sent on that day may have been used in."""
    return {
        (seq, day): list(Period.objects.filter(board=seq, ends_at__gt=datetime.combine(day, time.min, UTC) - KEPT))
        for seq, day in keys
    }


_recent: Remembered[tuple[int, date], list[Period]] = Remembered(_load_recent)


def _overlaps_a_day(period: Period, at: datetime) -> bool:
    """Whether the period runs, or ended in the last 24 hours."""
    return bool(period.starts_at and period.ends_at and period.starts_at <= at < period.ends_at + KEPT)


def _by_scope(targeted: Sequence[Targeted]) -> dict[tuple[int, int], list[Targeted]]:
    """The entries within which an id is unique: by board, and competition (0 on calendar boards)."""
    scopes: dict[tuple[int, int], list[Targeted]] = defaultdict(list)
    for entry, board in targeted:
        scopes[board.seq, entry.competition or 0].append((entry, board))
    return scopes


def _look(period: Period, entries: Sequence[Entry], service: str, at: datetime, claim: bool) -> dict[int, Decided]:
    asked = [(entry.player, own) for entry in entries if (own := bucketed(entry, service))]
    try:
        seen = ZsetWriter(redis.boards()).claim(period, asked, days(at)) if claim else _seen(period, asked, at)
    except Unavailable:  # whether these ids were used cannot be known now, so nothing may be counted
        gone = StorageUnavailable("What decides for this board is away; try again.")
        return {entry.position: refused(gone) for entry in entries}
    found: dict[int, Decided] = {}
    for entry, (_, own), row in zip(entries, asked, seen, strict=True):
        if not row.proof:
            continue
        if row.proof != own.proof:
            found[entry.position] = refused(reused(entry))
        else:
            state = None if row.score is None else state_from(period, row.score, row.member, row.held)
            found[entry.position] = Decided(Status.DUPLICATE, period, state)
    return found


def _seen(period: Period, asked: Sequence[tuple[str, BucketedId]], at: datetime) -> list[Seen]:
    """What Redis knows of the entries. A restart takes a final period's generation away, but not its ids."""
    writer = ZsetWriter(redis.boards())
    try:
        return writer.look(period, asked, days(at))
    except Stale:
        if period.state not in (State.FINAL, State.EXPIRED):
            raise
    rows = Standing.objects.filter(period=period, player__external_id__in=[player for player, _ in asked])
    standings = {row.player.external_id: row for row in rows.select_related("player")}
    return [Seen(writer.proof(period, own, days(at)), *_of_final(standings.get(player))) for player, own in asked]


def _of_final(row: Standing | None) -> tuple[float | None, str, str]:
    return (None, "", "") if row is None else (row.score, row.member, "")
