"""Check whether submissions are plausible: compare them with a board's limits, the player's history and the leader.

Limits are unscaled points, values are scaled, and times are milliseconds since 1970. A submission that exceeds a limit
is a ``Breach``; the caller decides what happens to it. The trap: the history consists of submissions that counted, so
call ``PlausibilityChecker.note`` only for a submission that passes.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from statistics import median
from typing import Any, NamedTuple

from foundation.messages import Message
from leaderboards.core.ranking.rules import Order, Rules
from leaderboards.errors import BadBoard

MINUTE_MS = 60_000
POINT_LIMITS = ("plausible_least", "plausible_most", "points_per_minute", "own_jump", "field_jump")
LIMIT_SETTINGS = (*POINT_LIMITS, "submissions_per_minute")
MAX_PER_MINUTE = 1_000  # stored submissions of a player's last minute
MAX_JUMP_HISTORY = 100  # submissions that a jump may be compared with
MAX_FIELD_PLAYERS = 1_000  # players


class LimitKind(StrEnum):
    """The limits, named like the settings; also codes of the API."""

    LEAST = "plausible_least"
    MOST = "plausible_most"
    SUBMISSIONS = "submissions_per_minute"
    POINTS = "points_per_minute"
    OWN_JUMP = "own_jump"
    FIELD_JUMP = "field_jump"


class JumpBaseline(StrEnum):
    """What a jump is compared with, of the player's last submissions."""

    BEST = "best"
    MEDIAN = "median"


class PastSubmission(NamedTuple):
    """A submission that counted: its scaled points (0 on boards of criteria), and when it was received."""

    points: int
    came_ms: int


class FieldLeader(NamedTuple):
    """The scaled points of the first place; None until enough players have scored."""

    first: int | None = None


class Breach(NamedTuple):
    """A broken limit: the observed and the allowed value, in unscaled points or a number of submissions."""

    rule: LimitKind
    observed: Decimal
    limit: Decimal


@dataclass(frozen=True, slots=True)
class Limits:
    """A board's limits; None is no limit.

    ``own_last`` submissions, or ``field_players`` players, are necessary before a jump is checked.
    """

    least: Decimal | None = None
    most: Decimal | None = None
    submissions: int | None = None
    points: Decimal | None = None
    own_jump: Decimal | None = None
    own_against: JumpBaseline = JumpBaseline.BEST
    own_last: int = 5
    field_jump: Decimal | None = None
    field_players: int = 10

    @property
    def per_minute(self) -> bool:
        """Whether there is a limit per minute."""
        return self.submissions is not None or self.points is not None

    @property
    def needs_past(self) -> bool:
        """Whether a limit needs the player's earlier submissions."""
        return self.per_minute or self.own_jump is not None

    @property
    def kept(self) -> int:
        """How many of a player's last submissions must be stored, for jumps and for a minute."""
        minute = MAX_PER_MINUTE if self.points is not None else (self.submissions or 0)
        return max(minute, self.own_last if self.own_jump is not None else 0)


def limits_of(board: Any) -> Limits | None:
    """Return the limits of a board's settings; None if it has none."""
    if all(getattr(board, name) is None for name in LIMIT_SETTINGS):
        return None
    return Limits(
        least=board.plausible_least,
        most=board.plausible_most,
        submissions=board.submissions_per_minute,
        points=board.points_per_minute,
        own_jump=board.own_jump,
        own_against=JumpBaseline(board.own_jump_against),
        own_last=board.own_jump_last,
        field_jump=board.field_jump,
        field_players=board.field_jump_players,
    )


def check_limits(board: Any) -> None:
    """Raise ``BadBoard`` if limits cannot work: points on a board of criteria, a least above the most."""
    for name in POINT_LIMITS if board.criteria else ():
        if getattr(board, name) is not None:
            raise BadBoard(
                Message(
                    "`%(field)s` compares points, and this board ranks by criteria: leave it empty. "
                    "`submissions_per_minute` works on every board.",
                    field=name,
                ),
                name,
            )
    least, most = board.plausible_least, board.plausible_most
    if least is not None and most is not None and Decimal(least) > Decimal(most):
        raise BadBoard(
            Message(
                "`plausible_least` %(least)s lies above `plausible_most` %(most)s: lower the one or raise the other.",
                least=least,
                most=most,
            ),
            "plausible_least",
        )


class PlausibilityChecker:
    """Checks the submissions of one request to one period, in order, each with those before it as history."""

    def __init__(
        self,
        limits: Limits,
        rules: Rules,
        now_ms: int,
        past: Mapping[str, Iterable[PastSubmission]],
        field: FieldLeader,
    ) -> None:
        self._limits, self._rules, self._now_ms, self._field = limits, rules, now_ms, field
        self._unit: int = 10**rules.decimals
        self._past: dict[str, deque[PastSubmission]] = defaultdict(
            lambda: deque(maxlen=limits.kept), {player: deque(rows, limits.kept) for player, rows in past.items()}
        )

    def breach(self, player: str, points: int, total: int) -> Breach | None:
        """Return the first limit that a submission breaks, else None.

        ``total`` is the resulting standing; both are scaled.
        """
        for check in (self._check_size, self._check_minute, self._check_own_jump):
            if (breach := check(player, points)) is not None:
                return breach
        return self._check_field_jump(total)

    def note(self, player: str, points: int) -> None:
        """Add a submission that passed to the player's history."""
        if self._limits.needs_past:
            self._past[player].append(PastSubmission(points, self._now_ms))

    def _check_size(self, _player: str, points: int) -> Breach | None:
        least, most = self._limits.least, self._limits.most
        if least is not None and points < self._scaled(least):
            return self._to_breach(LimitKind.LEAST, points, self._scaled(least))
        if most is not None and points > self._scaled(most):
            return self._to_breach(LimitKind.MOST, points, self._scaled(most))
        return None

    def _check_minute(self, player: str, points: int) -> Breach | None:
        limits = self._limits
        if not limits.per_minute:
            return None
        recent = [row.points for row in self._past[player] if row.came_ms > self._now_ms - MINUTE_MS]
        if limits.submissions is not None and len(recent) >= limits.submissions:
            return Breach(LimitKind.SUBMISSIONS, Decimal(len(recent) + 1), Decimal(limits.submissions))
        total = sum(max(each, 0) for each in (*recent, points))
        if limits.points is not None and points > 0 and total > self._scaled(limits.points):
            return self._to_breach(LimitKind.POINTS, total, self._scaled(limits.points))
        return None

    def _check_own_jump(self, player: str, points: int) -> Breach | None:
        if self._limits.own_jump is None:
            return None
        last = [row.points for row in self._past[player]][-self._limits.own_last :]
        if len(last) < self._limits.own_last:
            return None
        baseline = _BASELINES[self._limits.own_against](self._rules, last)
        return self._check_jump(LimitKind.OWN_JUMP, points, baseline)

    def _check_field_jump(self, total: int) -> Breach | None:
        if self._limits.field_jump is None or self._field.first is None:
            return None
        return self._check_jump(LimitKind.FIELD_JUMP, total, Decimal(self._field.first))

    def _check_jump(self, rule: LimitKind, value: int, base: Decimal) -> Breach | None:
        """Check whether ``value`` is too many times better than ``base``; a base of 0 or less is not compared."""
        times = self._limits.own_jump if rule is LimitKind.OWN_JUMP else self._limits.field_jump
        if times is None or base <= 0:
            return None
        if self._rules.order is Order.DESC:
            return self._to_breach(rule, value, base * times) if value > base * times else None
        return self._to_breach(rule, value, base / times) if value * times < base else None

    def _scaled(self, points: Decimal) -> Decimal:
        return points * self._unit

    def _to_breach(self, rule: LimitKind, observed: int, allowed: Decimal) -> Breach:
        return Breach(rule, Decimal(observed) / self._unit, allowed / self._unit)


def _best(rules: Rules, values: Iterable[int]) -> Decimal:
    return Decimal(max(values) if rules.order is Order.DESC else min(values))


def _median(_rules: Rules, values: Iterable[int]) -> Decimal:
    return Decimal(median([Decimal(each) for each in values]))


_BASELINES: Mapping[JumpBaseline, Callable[[Rules, Iterable[int]], Decimal]] = {
    JumpBaseline.BEST: _best,
    JumpBaseline.MEDIAN: _median,
}
