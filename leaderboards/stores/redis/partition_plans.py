"""Plans that read a divided period: pages by merging and seeking, places of players, ranks of scores.

A player is in one partition, so rows of one round are of different players; a player who moves between two rounds is
never counted ahead of themselves. Places are looked for by score and member, never by whoever stood there before.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from leaderboards.core.partitions import partition_of
from leaderboards.core.ranking.rules import Order
from leaderboards.models import Period
from leaderboards.stores.redis.partition_rounds import (
    Answer,
    Answered,
    Asked,
    FoundRow,
    Plan,
    Question,
    Rounds,
    place,
    player,
    rows,
    score,
)

MERGED = 1000  # rows from the best that are merged; pages behind them are sought
NEAR = 200  # a place as many rows before a page is near enough to read on from it
SEEK_ROUNDS = 12
TRIES = 3  # while what is read moves


class ScoreCount(NamedTuple):
    """How many players have a better score, and how many this one."""

    ahead: int
    tied: int


class Counts(NamedTuple):
    """Counts by score, and where the players of the rows that are shown were when it was counted."""

    by_score: Mapping[float, ScoreCount]
    now: Mapping[str, FoundRow | None]
    descending: bool

    def among(self, shown: Mapping[str, FoundRow]) -> Callable[[float], ScoreCount]:
        """Return the counts by score, as if these players still had the rows that are shown."""
        moved = [(row.score, now and now.score) for name, row in shown.items() if (now := self.now.get(name)) != row]

        def count(score: float) -> ScoreCount:
            ahead, tied = self.by_score[score]
            for before, after in moved:
                ahead += self._is_better(before, score) - (after is not None and self._is_better(after, score))
                tied += (before == score) - (after == score)
            return ScoreCount(ahead, tied)

        return count

    def _is_better(self, one: float, other: float) -> bool:
        return one > other if self.descending else one < other


class Placed(NamedTuple):
    """Rows in order, and the index of the first among all players; of a dense period also the levels of their round.

    ``moved`` is a row whose player stands elsewhere by then, with the levels of its own round. ``counts`` are those of
    its round, if they were counted in it.
    """

    first: int
    rows: list[FoundRow]
    levels: int = 0
    moved: tuple[FoundRow, int] | None = None
    counts: Counts | None = None

    def levels_of(self, row: FoundRow) -> int:
        """Return the levels of the round in which a row was read."""
        return self.levels if self.moved is None or self.moved[0] != row else self.moved[1]


class Plans:
    """The plans of one reading."""

    def __init__(self, rounds: Rounds) -> None:
        self._rounds = rounds
        self._period: Period = rounds.period
        self._numbers = range(self._period.partitions)
        self._descending = self._period.rules.order is Order.DESC
        self._shares = not self._period.rules.ties.by_time

    def page(self, offset: int, limit: int) -> Plan[Placed]:
        """Read ``limit`` rows from index ``offset``."""
        wanted = offset + limit
        if wanted > MERGED:
            return (yield from self._seek(offset, limit))
        share = min(wanted, 2 * wanted // len(self._numbers) + 10)
        for count in (share, wanted):
            answers = yield self._everywhere(rows(0, count))
            merged = self._merged(answer.rows for answer in self._first(answers))
            if count == wanted or not self._may_lack(answers, count, merged[:wanted], wanted):
                break
        return Placed(offset, merged[offset:wanted], self._rounds.levels)

    def _may_lack(self, answers: Answered, count: int, best: Sequence[FoundRow], wanted: int) -> bool:
        """Whether a partition may have further rows that belong to the ``best``."""
        full = [answer.rows[-1] for answer in self._first(answers) if len(answer.rows) == count and count]
        return any(len(best) < wanted or not self.is_before(best[-1], row) for row in full)

    def _seek(self, offset: int, limit: int) -> Plan[Placed]:
        """Find a place shortly before ``offset`` by halving, and read on from there; again if too much has moved."""
        yield self._everywhere(rows(0, 0))
        for _ in range(TRIES):
            found = yield from self._seek_once(offset, limit)
            if found.first == offset:
                break
        return found

    def _seek_once(self, offset: int, limit: int) -> Plan[Placed]:
        """Return the rows; those of another index if players have moved meanwhile."""
        near = max(NEAR, 4 * len(self._numbers))
        low, low_index, lows = None, 0, dict.fromkeys(self._numbers, 0)
        high_index, highs = self._rounds.total, dict(self._rounds.sizes)
        if offset >= high_index:
            return Placed(offset, [])
        for _ in range(SEEK_ROUNDS):
            if offset - low_index <= near:
                break
            share = (offset - near // 2 - low_index) / max(1, high_index - low_index)
            pivot = yield from self._pivot(lows, highs, share)
            if pivot is None:
                break
            answers = yield self._everywhere(place(pivot))
            before = {number: answer.before for number, (answer, *_) in answers.items()}
            index = sum(before.values())
            if index <= offset:
                low, low_index, lows = pivot, index, before
            else:
                high_index, highs = index, before
        need = min(offset - low_index, 2 * near) + limit
        answers = yield self._everywhere(rows(0, need) if low is None else place(low, 0, need))
        index = sum(answer.before for answer in self._first(answers))
        skipped = offset - index if 0 <= offset - index <= need - limit else 0
        merged = self._merged(answer.rows for answer in self._first(answers))
        return Placed(index + skipped, merged[skipped : skipped + limit], self._rounds.levels)

    def _pivot(self, lows: Mapping[int, int], highs: Mapping[int, int], share: float) -> Plan[FoundRow | None]:
        """Read the row at this share of the rows between two places in each partition; return their weighted median."""
        widths = {number: highs[number] - lows[number] for number in lows.keys() & highs.keys()}
        asked = {
            number: [rows(lows[number] + min(int(width * share), width - 1), 1)]
            for number, width in widths.items()
            if width > 0
        }
        answers = yield asked
        found = [(answer.rows[0], widths[number]) for number, (answer, *_) in answers.items() if answer.rows]
        order = self._merged([[row] for row, _ in found])
        weights = dict(found)
        sums = list(accumulate(weights[row] for row in order))
        return next((row for row, sum_ in zip(order, sums, strict=True) if 2 * sum_ >= sums[-1]), None)

    def around(self, name: str, radius: int) -> Plan[Placed | None]:
        """Read a player with ``radius`` rows on both sides; None if their partition does not answer.

        If the player moves meanwhile, they are looked for again, and in the end shown as they were read, without being
        counted where they stand by then.
        """
        number, counts_alone = partition_of(name, len(self._numbers)), radius == 0 and self._shares
        asks_player = player(self._rounds.cells.cell(name))
        answers = yield {number: [asks_player]}
        now = answers[number][0].rows if number in answers else []
        for _ in range(TRIES):
            if number not in answers or not now:
                break
            own, levels = now[0], self._rounds.levels
            asked = dict(self._everywhere(score(own.score) if counts_alone else place(own, radius, radius + 1)))
            asked[number] = [*asked[number], asks_player]
            answers = yield asked
            now = answers[number][1].rows if number in answers else []
            if now == [own]:
                break
        if number not in answers:
            return None
        if not now:
            return Placed(0, [])
        theirs = {own.member, now[0].member}
        before, behind = self._sides(answers, radius, theirs)
        index = sum(answer.before for answer in self._first(answers)) - self.is_before(now[0], own)
        ahead = before[len(before) - min(radius, len(before)) :]
        moved = None if now == [own] else (own, levels)
        if counts_alone:
            count = ScoreCount(
                sum(answer.ahead for answer in self._first(answers)),
                sum(answer.tied for answer in self._first(answers)),
            )
            counts = Counts({own.score: count}, {name: now[0]}, self._descending)
            return Placed(0, [own], self._rounds.levels, moved, counts)
        return Placed(index - len(ahead), [*ahead, own, *behind[:radius]], self._rounds.levels, moved)

    def gap(self, row: FoundRow, ahead: int, behind: int, is_after: bool) -> Plan[Placed]:
        """Read rows on both sides of the place that ``row`` has or would have."""
        answers = yield self._everywhere(place(row, ahead, behind, is_after))
        before, later = self._sides(answers, ahead, ())
        index = sum(answer.before for answer in self._first(answers))
        last = before[len(before) - min(ahead, len(before)) :]
        return Placed(index - len(last), [*last, *later[:behind]], self._rounds.levels)

    def counts(self, shown: Sequence[FoundRow]) -> Plan[Counts]:
        """Count who has a better score than each of these rows, and who the same, and read where their players are."""
        scores = list(dict.fromkeys(row.score for row in shown))
        cells = self._rounds.cells
        cells.name(row.member for row in shown)
        names = list(dict.fromkeys(cells.player_of(row.member) for row in shown))
        asked = {number: [score(each) for each in scores] for number in self._numbers}
        for name in names:
            asked[partition_of(name, len(self._numbers))].append(player(cells.cell(name)))
        answers = yield asked
        counts = {
            each: ScoreCount(
                sum(own[nth].ahead for own in answers.values()), sum(own[nth].tied for own in answers.values())
            )
            for nth, each in enumerate(scores)
        }
        later = {number: iter(own[len(scores) :]) for number, own in answers.items()}
        found = ((name, later.get(partition_of(name, len(self._numbers)))) for name in names)
        now = {name: next(iter(next(own).rows), None) for name, own in found if own is not None}
        return Counts(counts, now, self._descending)

    def is_before(self, one: FoundRow, other: FoundRow) -> bool:
        """Whether one row stands before the other."""
        return _key(one) > _key(other) if self._descending else _key(one) < _key(other)

    def _everywhere(self, question: Question) -> Asked:
        return dict.fromkeys(self._numbers, (question,))

    def _first(self, answers: Answered) -> list[Answer]:
        return [answer for answer, *_ in answers.values()]

    def _sides(self, answers: Answered, ahead: int, without: Iterable[str]) -> tuple[list[FoundRow], list[FoundRow]]:
        """Merge the rows before a place and those behind it, best first, without these members."""
        out, before, behind = set(without), list[list[FoundRow]](), list[list[FoundRow]]()
        for answer in self._first(answers):
            cut = min(ahead, answer.before)
            before.append([row for row in answer.rows[:cut] if row.member not in out])
            behind.append([row for row in answer.rows[cut:] if row.member not in out])
        return self._merged(before), self._merged(behind)

    def _merged(self, lists: Iterable[Sequence[FoundRow]]) -> list[FoundRow]:
        return sorted((row for each in lists for row in each), key=_key, reverse=self._descending)


def _key(row: FoundRow) -> tuple[float, bytes]:
    return row.score, row.member.encode()
