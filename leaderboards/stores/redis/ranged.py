"""Read a divided period from its score ranges: a rank from one range, a page from one or two, without asking all
partitions.

What is read is exact in two cases. Either no partition had a note when it was asked, before the ranges: then nobody had
changed since the ranges followed, and ranges of one mark are a state of the board within the wait of the reading. Or
the caller takes an answer of so many seconds ago (``reading_within``): then partitions are not asked, and ``as_of`` is
told. In every other case the partitions answer (``partitioned.py``).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from random import randrange

from foundation import clock
from foundation.db.resilience import SqlAway
from foundation.db.resilience import ask as ask_sql
from foundation.errors import Unavailable
from foundation.redis.client import RedisClient, ScriptCall
from leaderboards.core.instants import from_milliseconds, milliseconds
from leaderboards.core.range_steps import RangeIndex
from leaderboards.core.ranking.rules import Order
from leaderboards.core.score_ranges import Place, before, range_of, ranges_of_score, spans
from leaderboards.models import Period, ScoreRanges, generations_of
from leaderboards.stores.base import Around, AroundGap, ForPlayers, Page, Query, QueryResult, RankedRow, pack_gap
from leaderboards.stores.redis.compact import named_players
from leaderboards.stores.redis.partition_plans import Placed, ScoreCount
from leaderboards.stores.redis.partition_rounds import (
    Answer,
    FoundRow,
    Plan,
    Question,
    Rounds,
    place,
    player,
    rows,
    score,
)
from leaderboards.stores.redis.reads import descending_flag, script
from leaderboards.stores.redis.score_ranges import none_moved_call

MOST_KNOWN = 200  # periods of which a process keeps where they are cut
RESTED_SECONDS = 0.25  # for which a process does not ask again whether the ranges follow, after they did not

_allowed_age: ContextVar[float] = ContextVar("seconds that an answer may be old", default=0.0)
_known: dict[int, tuple[int, RangeIndex]] = {}  # by period: its ranges, under the generations of its partitions
_tried: dict[int, float] = {}  # by period: when this process last found that its ranges do not follow


class NotInStep(Exception):
    """The ranges cannot answer now."""


@contextmanager
def reading_within(seconds: float) -> Iterator[None]:
    """Let ranges answer what is read meanwhile with a state that is up to so many seconds old."""
    token = _allowed_age.set(seconds)
    try:
        yield
    finally:
        _allowed_age.reset(token)


def forget_tries() -> None:
    """Forget which ranges there are, and which did not follow (for tests)."""
    _tried.clear()
    _known.clear()


def read_ranges(link: RedisClient, period: Period, queries: Sequence[Query]) -> QueryResult | None:
    """Answer all queries from the score ranges; None if they cannot now. Raises what reading SQL raises but away."""
    age, now = _allowed_age.get(), clock.monotonic()
    if not age and now - _tried.get(period.pk, -RESTED_SECONDS) < RESTED_SECONDS:
        return None
    try:
        index = _index_of(period)
        return _Reading(link, period, index, age).read(queries)
    except NotInStep:
        _known.pop(period.pk, None)
        if not age:
            _tried[period.pk] = now
            for number in [number for number, at in _tried.items() if now - at > RESTED_SECONDS]:
                del _tried[number]
        return None


def _index_of(period: Period) -> RangeIndex:
    """Return the index that holds under the generations of the partitions. Raises ``NotInStep``.

    What was read of SQL before is good: ranges that are not followed any more are not there any more.
    """
    generations = generations_of(period)
    known = _known.get(period.pk)
    if known is None or known[0] != generations:
        known = generations, _read_index(period, generations)
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[period.pk] = known
    return known[1]


def _read_index(period: Period, generations: int) -> RangeIndex:
    try:
        row = ask_sql(ScoreRanges.objects.filter(period=period.pk).first)
    except SqlAway as error:
        raise NotInStep from error
    if row is None or row.index is None or row.generations != generations:
        raise NotInStep
    index: RangeIndex = row.index
    return index


class RangeRounds(Rounds):
    """Rounds of questions to score ranges, all of one mark. ``range_sizes`` are those of all ranges, once one told."""

    def __init__(self, link: RedisClient, period: Period, index: RangeIndex) -> None:
        super().__init__(link, period)
        self.index = index
        self.range_sizes: list[int] = []
        self.as_of = 0
        self._mark: bytes | None = None

    def _ask(self, joined: Mapping[int, Sequence[Question]]) -> dict[int, list[Answer]]:
        """Ask ranges. Raises ``NotInStep`` if one does not answer, or is of another state than the others."""
        try:
            replies = self._link.try_many([self._range_call(number, asked) for number, asked in joined.items()])
        except Unavailable as error:
            raise NotInStep from error
        answers: dict[int, list[Answer]] = {}
        for number, reply in zip(joined, replies, strict=True):
            if isinstance(reply, Unavailable) or not reply:
                raise NotInStep
            text, mark, as_of, sizes = reply
            if self._mark not in {None, mark}:
                raise NotInStep
            self._mark, self.as_of = mark, int(as_of)
            self.range_sizes = [*map(int, sizes.split(b","))]
            answers[number] = self._read(number, text.decode().split("\n"))
        return answers

    def _range_call(self, number: int, questions: Sequence[Question]) -> ScriptCall:
        part = self.period.parts[number]
        family, slot = part.family, self.index.slot
        args = [part.generation, descending_flag(part), self.index.epoch, *(each for one in questions for each in one)]
        return ScriptCall(script("range_beside"), [family.gen, family.range(slot), family.range_head(slot)], args)


class RangePlans:
    """The plans of one reading; each returns rows in order with the index of the first among all players."""

    def __init__(self, rounds: RangeRounds) -> None:
        self._rounds, self._cuts = rounds, rounds.index.cuts
        self._descending = rounds.period.rules.order is Order.DESC
        self._any = randrange(rounds.period.partitions)  # noqa: S311 - spreads load, no secret

    def learn_sizes(self) -> Plan[None]:
        """Ask any range for the sizes of all, if none has told them."""
        if not self._rounds.range_sizes:
            yield {self._any: (rows(0, 0),)}

    def page(self, offset: int, limit: int) -> Plan[Placed]:
        """Read ``limit`` rows from index ``offset``."""
        yield from self.learn_sizes()
        wanted = list(spans(self._rounds.range_sizes, self._descending, offset, limit))
        if not wanted:
            return Placed(offset, [])
        answers = yield {each.number: (rows(each.first, each.many),) for each in wanted}
        return Placed(offset, [row for each in wanted for row in answers[each.number][0].rows])

    def around(self, row: FoundRow, radius: int) -> Plan[Placed]:
        """Read a row that the partition of its player has, with ``radius`` rows on both sides."""
        found = yield from self._beside(row, radius, radius + 1, is_after=False)
        if row not in found.rows:
            raise NotInStep  # the player has moved since
        return found

    def gap(self, row: FoundRow, ahead: int, behind: int, is_after: bool) -> Plan[Placed]:
        """Read rows on both sides of the place that ``row`` has or would have."""
        return (yield from self._beside(row, ahead, behind, is_after))

    def _beside(self, row: FoundRow, ahead: int, behind: int, is_after: bool) -> Plan[Placed]:
        number = range_of(self._cuts, Place(row.score, row.member))
        answers = yield {number: (place(row, ahead, behind, is_after),)}
        answer, better = answers[number][0], before(self._rounds.range_sizes, number, self._descending)
        index = better + answer.before
        first, last = max(0, index - ahead), min(sum(self._rounds.range_sizes), index + behind)
        read_first = index - min(ahead, answer.before)
        if (first, last) == (read_first, read_first + len(answer.rows)):
            return Placed(first, answer.rows)
        return (yield from self.page(first, last - first))

    def counts(self, shown: Sequence[FoundRow]) -> Plan[Mapping[float, ScoreCount]]:
        """Count who has a better score than each of these rows, and who the same."""
        yield from self.learn_sizes()
        among = {each: ranges_of_score(self._cuts, each) for each in dict.fromkeys(row.score for row in shown)}
        asked: dict[int, list[float]] = {}
        for each, numbers in among.items():
            for number in numbers:
                asked.setdefault(number, []).append(each)
        answers = yield {number: [score(each) for each in scores] for number, scores in asked.items()}
        told = {
            (number, each): answer
            for number, scores in asked.items()
            for each, answer in zip(scores, answers[number], strict=True)
        }
        return {each: self._sum(numbers, [told[number, each] for number in numbers]) for each, numbers in among.items()}

    def _sum(self, numbers: range, answers: Sequence[Answer]) -> ScoreCount:
        best = numbers[-1] if self._descending else numbers[0]
        better = before(self._rounds.range_sizes, best, self._descending)
        return ScoreCount(better + sum(each.ahead for each in answers), sum(each.tied for each in answers))


class _Reading:
    def __init__(self, link: RedisClient, period: Period, index: RangeIndex, age: float) -> None:
        self._link, self._period, self._age = link, period, age
        self._partitions, self._rounds = Rounds(link, period), RangeRounds(link, period, index)
        self._partitions.wants_levels = False
        self._plans = RangePlans(self._rounds)

    def read(self, queries: Sequence[Query]) -> QueryResult:
        """Answer all queries. Raises ``NotInStep``."""
        own = self._rows_in_partitions(list(dict.fromkeys(named_players(queries))))
        planned = [self._planned(query, own) for query in queries]
        found = iter(self._rounds.run([self._plans.learn_sizes(), *(plan for plans in planned for plan in plans)])[1:])
        placed = [[next(found) for _ in plans] for plans in planned]
        counts = self._counts([row for plans in placed for each in plans for row in each.rows])
        as_of = None
        if self._age:
            as_of = from_milliseconds(self._rounds.as_of)
            if milliseconds(clock.now()) - self._rounds.as_of > 1000 * self._age:
                raise NotInStep
        answers = [[row for each in plans for row in _ranked(each, counts)] for plans in placed]
        return QueryResult(sum(self._rounds.range_sizes), answers, as_of=as_of)

    def _rows_in_partitions(self, players: Sequence[str]) -> dict[str, FoundRow]:
        """Read the rows of players, and require that no partition has a note, unless old answers are taken."""
        grouped = list(self._period.by_part(players, str)) if players else []
        calls = [self._partitions.call(part, [player(name) for name in names]) for part, names in grouped]
        asked = () if self._age else self._period.parts
        calls += map(none_moved_call, asked)
        try:
            replies = self._link.try_many(calls) if calls else []
        except Unavailable as error:
            raise NotInStep from error
        if any(isinstance(reply, Unavailable) for reply in replies) or any(
            each != 1 for each in replies[len(grouped) :]
        ):
            raise NotInStep
        found: dict[str, FoundRow] = {}
        for (_, names), (text, _levels) in zip(grouped, replies, strict=False):
            answers = self._partitions.read_answers(text.decode().split("\n"))
            found |= {name: row for name, answer in zip(names, answers, strict=True) for row in answer.rows}
        return found

    def _planned(self, query: Query, own: Mapping[str, FoundRow]) -> list[Plan[Placed]]:
        match query:
            case Page(offset, limit):
                return [self._plans.page(offset, limit)]
            case Around(name, radius):
                return [self._plans.around(own[name], radius)] if name in own else []
            case ForPlayers(names):
                return [self._plans.around(own[name], 0) for name in names if name in own]
            case AroundGap(gap, ahead, behind):
                at, member = pack_gap(self._period, gap)
                return [self._plans.gap(FoundRow(member, at), ahead, behind, gap.is_after)]

    def _counts(self, shown: Sequence[FoundRow]) -> Mapping[float, ScoreCount] | None:
        """Count the scores of rows; None where ranks are places."""
        if self._period.rules.ties.by_time:
            return None
        counts: Mapping[float, ScoreCount]
        (counts,) = self._rounds.run([self._plans.counts(shown)])
        return counts


def _ranked(placed: Placed, counts: Mapping[float, ScoreCount] | None) -> Iterator[RankedRow]:
    for at, row in enumerate(placed.rows, placed.first):
        if counts is None:
            yield RankedRow(row.member, row.score, at + 1, 1, at)
        else:
            ahead, tied = counts[row.score]
            yield RankedRow(row.member, row.score, ahead + 1, tied, ahead)
