"""Preview of an import of scores: what it would do to the ranks. It is read from SQL, nothing is written.

Other players are assumed to stay as they are. The trap: a period that is not opened yet has no standings, and is
left out.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from foundation.chunks import in_chunks
from foundation.errors import SunwiError
from leaderboards.core.input.entries import Entry, read_value
from leaderboards.core.instants import milliseconds
from leaderboards.core.periods import window_open_at
from leaderboards.core.ranking.policies import StandingState, evaluate
from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.core.ranking.rules import Order
from leaderboards.models import ImportRun, Period, Player, Standing, Storage
from leaderboards.selectors.previews.rank_moves import moves_in, number_then
from leaderboards.selectors.rankings.store_routing import live_store
from leaderboards.selectors.visibility.hidden import hidden_now
from leaderboards.services.imports.chunk_results import lines_of
from leaderboards.services.imports.score_rows import entry_of
from leaderboards.services.imports.scores import job_of
from leaderboards.stores.base import Page
from leaderboards.stores.dynamodb.writes import DynamoWriter
from leaderboards.stores.sql.writes import state_of

ROWS_PER_QUERY = 500
MAX_PERIODS = 20  # ranks are computed for each period
BEST_ROWS_READ = 1000  # to find the best player whom the import does not change


class Effect(NamedTuple):
    """The numbers of periods, of players who enter a ranking visibly, of changed standings, and of new first places.

    ``ranks`` is how many ranks change: an upper bound unless ``is_exact``, and None if there are too many periods,
    or for a board in DynamoDB.
    """

    periods: int
    entering: int
    changed: int
    first_places: int
    ranks: int | None = None
    is_exact: bool = True


def preview(run: ImportRun, at: datetime) -> Effect:
    """The effect of the accepted rows, in the order of the file."""
    entering = changed = firsts = periods = 0
    by_label, ranks = _by_label(run, at), RankChanges()
    in_dynamodb = run.board is not None and run.board.storage == Storage.DYNAMODB  # counting would read everybody there
    are_counted = len(by_label) <= MAX_PERIODS and not in_dynamodb
    for label, entries in by_label.items():
        period = Period.objects.filter(board=run.board, label=label).select_related("board").first()
        if period is None:
            continue
        old, new = _states(period, entries, at)
        moved = {player: state for player, state in new.items() if state != old.get(player)}
        periods += 1
        hidden = set(hidden_now(period).values())
        entering += sum(player not in old and player not in hidden for player in moved)
        changed += sum(player in old for player in moved)
        firsts += _first_moves(period, moved, hidden)
        if are_counted:
            ranks = ranks.plus(_rank_moves(period, moved))
    rank_count = ranks.ranks if are_counted else None
    return Effect(periods, entering, changed, firsts, rank_count, ranks.is_exact)


def _by_label(run: ImportRun, at: datetime) -> dict[str, list[Entry]]:
    job = job_of(run)
    found: dict[str, list[Entry]] = defaultdict(list)
    for chunk in run.chunks.order_by("nth"):
        skipped = set(chunk.skipped)
        for line in lines_of(run, chunk):
            if line.number not in skipped:
                entry = entry_of(line, job)
                if window := window_open_at(job.board.calendar, entry.at or at):  # else applying refuses it
                    found[window.label].append(entry)
    return found


def _states(
    period: Period, entries: list[Entry], at: datetime
) -> tuple[dict[str, StandingState], dict[str, StandingState]]:
    """The standings of the entries' players, before and after."""
    old = _current_states(period, sorted({entry.player for entry in entries}))
    new = dict(old)
    for entry in entries:
        try:
            at_ms = period.layout.quantize(milliseconds(entry.at or at))
            state = StandingState(read_value(period.rules, entry), at_ms, operator=entry.operator)
            new[entry.player] = evaluate(period.rules, new.get(entry.player), state)
        except SunwiError:  # the sum with earlier rows leaves the limits: applying refuses it
            continue
    return old, new


def _current_states(period: Period, players: list[str]) -> dict[str, StandingState]:
    if period.board.storage == Storage.DYNAMODB:
        return {name: each.state for name, each in DynamoWriter().look_up(period, players).items()}
    found: dict[str, StandingState] = {}
    for names in in_chunks(players, ROWS_PER_QUERY):
        rows = Standing.objects.filter(period=period, player__external_id__in=names, score__isnull=False)
        found |= {
            row.player.external_id: state_of(row.points, row.fields, row.at) for row in rows.select_related("player")
        }
    return found


def _rank_moves(period: Period, moved: dict[str, StandingState]) -> RankChanges:
    """How many ranks change; unknown players get negative numbers."""
    numbers = _numbers(moved)
    unknown = {number: name for name, number in numbers.items() if number < 0}
    return moves_in(period, {numbers[name]: state for name, state in moved.items()}, unknown)


def _numbers(players: Iterable[str]) -> dict[str, int]:
    """The players' numbers in SQL; unknown players have negative ones."""
    numbers, names = dict[str, int](), sorted(players)
    for some in in_chunks(names, ROWS_PER_QUERY):
        numbers |= dict(Player.objects.filter(external_id__in=some).values_list("external_id", "pk"))
    unknown = [name for name in names if name not in numbers]
    return numbers | {name: -nth for nth, name in enumerate(unknown, start=1)}


def _first_moves(period: Period, moved: dict[str, StandingState], hidden: set[str]) -> bool:
    """Whether the first place changes; hidden players do not count."""
    shown = [each for each in _best(period) if each[2] not in hidden]
    then = [each for each in shown if each[2] not in moved]
    numbers = _numbers(moved) if period.is_compact else {}
    for player, state in moved.items():
        if player not in hidden:
            packed = period.layout.pack(state.value, state.at_ms, player, number_then(numbers.get(player, 0)))
            then.append((packed.score, packed.member, player))
    if not then:
        return False
    first = max(then)[2] if period.rules.order is Order.DESC else min(then)[2]
    return not shown or shown[0][2] != first


def _best(period: Period) -> list[tuple[float, str, str]]:
    """Score, member and id of the best players."""
    if period.board.storage == Storage.DYNAMODB:
        [ranked] = live_store(period).read(period, [Page(0, BEST_ROWS_READ)]).answers
        return [(row.score, row.member, period.layout.player_of(row.member)) for row in ranked]
    order = ("-score", "-member") if period.rules.order is Order.DESC else ("score", "member")
    best = Standing.objects.filter(period=period, score__isnull=False).order_by(*order).select_related("player")
    return [(row.score or 0.0, row.member, row.player.external_id) for row in best[:BEST_ROWS_READ]]
