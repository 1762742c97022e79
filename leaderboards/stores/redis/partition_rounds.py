"""Ask all partitions of a period at once, in rounds, for any number of queries that go on from round to round.

A query is a generator: it yields its questions to each partition, gets their answers, and returns its result. The
questions of all queries go together, one script to each partition.
"""

from collections.abc import Generator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple, TypeVar

from foundation.errors import Unavailable
from foundation.redis.client import Argument, RedisAway, RedisClient, RedisSilent, ScriptCall
from foundation.sync.redis_state import refusal_of
from leaderboards.core.levels import LEVELS
from leaderboards.core.ranking.rules import Ties
from leaderboards.models import Part, Period
from leaderboards.stores.redis.player_cells import cells_of
from leaderboards.stores.redis.reads import descending_flag, lua_bool, ranked_keys, script_of

Result = TypeVar("Result")


class FoundRow(NamedTuple):
    """What a partition has for a player (``player_cells.py``), with its score."""

    member: str
    score: float


class Question(NamedTuple):
    """A question of ``beside.lua``."""

    kind: str
    first: Argument
    second: Argument


class Answer(NamedTuple):
    """What a partition has answered: its players that are better, stand before, and share the score, and rows."""

    ahead: int
    before: int
    tied: int
    rows: list[FoundRow]


Asked = Mapping[int, Sequence[Question]]  # by number of the partition
Answered = Mapping[int, Sequence[Answer]]  # the same, without partitions that do not answer
Plan = Generator[Asked, Answered, Result]


def rows(first: int, count: int) -> Question:
    """Ask for rows by their index in the partition."""
    return Question("rows", first, count)


def player(cell: str) -> Question:
    """Ask for the row of a player of the partition."""
    return Question("player", cell, "")


def score(number: float) -> Question:
    """Ask how many players have a better score, and how many this one."""
    return Question("score", repr(number), "")


def place(row: FoundRow, ahead: int = 0, behind: int = 0, is_after: bool = False) -> Question:
    """Ask about the place that ``row`` has or would have: counts, and rows on both sides, ``row`` among the later ones.

    With ``is_after`` the place is behind ``row``, if it is there.
    """
    return Question("place", f"{row.score!r} {row.member}", f"{ahead} {behind} {lua_bool(is_after)}")


class Rounds:
    """The rounds of one reading. ``missing`` are partitions that did not answer, by number; they are not asked again.

    ``sizes`` are the players of each partition as last told. ``wants_levels``: the next rounds read the levels too.
    ``cells`` are the players whom the reading is about.
    """

    def __init__(self, link: RedisClient, period: Period) -> None:
        self.period = period
        self.missing: set[int] = set()
        self.sizes: dict[int, int] = {}
        self.wants_levels = period.rules.ties is Ties.DENSE
        self.cells = cells_of(period)
        self._levels: dict[int, int] = {}
        self._link = link
        self._first_args = [descending_flag(period), lua_bool(period.layout.in_member)]

    @property
    def total(self) -> int:
        """The players of all partitions that have answered."""
        return sum(self.sizes.values())

    @property
    def levels(self) -> int:
        """The levels of all partitions, as last told (``core/levels.py``)."""
        return reduce(or_, self._levels.values(), 0)

    def run(self, plans: Sequence[Plan[Any]]) -> list[Any]:
        """Run plans to their ends, each round of all of them together.

        Raises ``StaleGeneration`` or ``RedisRefused`` of any partition, and the error of the first if none answers.
        """
        results: dict[int, Any] = {}
        asked: dict[int, Asked] = {}
        self._resume(plans, dict.fromkeys(range(len(plans))), results, asked)
        while asked:
            answered = self._exchange(list(asked.values()))
            waiting, asked = dict(zip(asked, answered, strict=True)), {}
            self._resume(plans, waiting, results, asked)
        return [results[index] for index in range(len(plans))]

    def _resume(
        self,
        plans: Sequence[Plan[Any]],
        answered: Mapping[int, Answered | None],
        results: dict[int, Any],
        asked: dict[int, Asked],
    ) -> None:
        for index, answers in answered.items():
            try:
                asked[index] = next(plans[index]) if answers is None else plans[index].send(answers)
            except StopIteration as end:
                results[index] = end.value

    def _exchange(self, asked: Sequence[Asked]) -> list[Answered]:
        """Send the questions of all plans, and return the answers to each plan's."""
        numbers = sorted({number for questions in asked for number in questions} - self.missing)
        joined = {number: [each for questions in asked for each in questions.get(number, ())] for number in numbers}
        answers = self._ask(joined)
        answered: list[Answered] = []
        at = dict.fromkeys(answers, 0)
        for questions in asked:
            own = {}
            for number in questions:
                if number in answers:
                    end = at[number] + len(questions[number])
                    own[number], at[number] = answers[number][at[number] : end], end
            answered.append(own)
        return answered

    def _ask(self, joined: Mapping[int, Sequence[Question]]) -> dict[int, list[Answer]]:
        if not joined:
            return {}
        parts = self.period.parts
        calls = [self.call(parts[number], questions) for number, questions in joined.items()]
        try:
            replies = self._link.try_many(calls)
        except (RedisAway, RedisSilent) as error:
            replies = [error] * len(calls)
        answers: dict[int, list[Answer]] = {}
        for number, reply in zip(joined, replies, strict=True):
            if isinstance(reply, (RedisAway, RedisSilent)):
                self.missing.add(number)
                self.sizes.pop(number, None)
            elif isinstance(reply, Unavailable):
                raise refusal_of(reply)
            else:
                text, levels = reply
                answers[number] = self._read(number, text.decode().split("\n"))
                if self.wants_levels:
                    self._levels[number] = int.from_bytes(levels.ljust(LEVELS // 8, b"\0"), "big")
        if not answers and len(self.missing) == len(parts):
            raise next(reply for reply in replies if isinstance(reply, Unavailable))
        return answers

    def call(self, part: Part, questions: Sequence[Question]) -> ScriptCall:
        """The call that asks a partition."""
        args: list[Argument] = [part.generation, *self._first_args, lua_bool(self.wants_levels)]
        for question in questions:
            args += question
        return ScriptCall(script_of(part, "beside"), ranked_keys(part), args)

    def _read(self, number: int, lines: Sequence[str]) -> list[Answer]:
        self.sizes[number] = int(lines[0])
        return self.read_answers(lines)

    def read_answers(self, lines: Sequence[str]) -> list[Answer]:
        """Return the answers in the lines of a partition, of which the first has its number of players."""
        at, answers = 1, list[Answer]()
        while at < len(lines):
            ahead, before, tied, count = map(int, lines[at : at + 4])
            start, at = at + 4, at + 4 + 2 * count
            found = zip(lines[start:at:2], map(float, lines[start + 1 : at : 2]), strict=True)
            answers.append(Answer(ahead, before, tied, [FoundRow(*row) for row in found]))
        return answers
