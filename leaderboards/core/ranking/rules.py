"""The rules of a period, as a frozen value that refuses combinations that cannot work, and says what would.

All points here are scaled: times 10^decimals. A value is a tuple: one scaled integer on boards of points, else the
criteria's integers in declared order, without ``achieved_at``. Scores are packed elsewhere (``core/packing``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from foundation.messages import Message
from leaderboards.core.input.points import points_number, points_text
from leaderboards.core.ranking.criteria import MAX_SAFE_INTEGER, Criterion, Order, check_criteria, read_criteria
from leaderboards.errors import BadBoard

__all__ = ["Criterion", "Encoding", "Operator", "Order", "Rules", "TieBreak", "Ties", "Update"]

MOST_DECIMALS = 6


class Update(StrEnum):
    """How a further submission changes a standing."""

    BEST = "best"
    LATEST = "latest"
    INCREMENT = "increment"


class Operator(StrEnum):
    """What a submission does to a standing in place of the board's policy, where the board allows it."""

    SET = "set"
    BEST = "best"
    INCREMENT = "increment"
    DECREMENT = "decrement"

    @property
    def update(self) -> Update:
        """The policy by which it is applied. The value of a decrement is negative, so that it is added too."""
        return _UPDATE_BY_OPERATOR[self]

    @property
    def adds(self) -> bool:
        """Whether its value is added to the standing (a decrement's value is negative)."""
        return self.update is Update.INCREMENT


_UPDATE_BY_OPERATOR = {
    Operator.SET: Update.LATEST,
    Operator.BEST: Update.BEST,
    Operator.INCREMENT: Update.INCREMENT,
    Operator.DECREMENT: Update.INCREMENT,
}


class Ties(StrEnum):
    """How equal values are ranked: by time, or with a shared rank."""

    FIRST_COME = "first_come"
    LAST_COME = "last_come"
    SHARED = "shared"
    DENSE = "dense"

    @property
    def by_time(self) -> bool:
        """Whether time orders equal values, so that ranks are unique."""
        return self in (Ties.FIRST_COME, Ties.LAST_COME)


class TieBreak(StrEnum):
    """Where the time that breaks ties is packed."""

    AUTO = "auto"
    SCORE = "score"
    MEMBER = "member"


class Encoding(StrEnum):
    """How Redis keeps a period's standings: a sorted set, or numbers of players in the texts of a tree."""

    PLAIN = "plain"
    COMPACT = "compact"


@dataclass(frozen=True, slots=True)
class Rules:
    """How a period ranks. Raises ``BadBoard`` for combinations that cannot work.

    ``operators`` are those that its submissions may name. ``score_ranges``: a divided period is read from score ranges
    too (``core/score_ranges.py``).
    """

    order: Order = Order.DESC
    update: Update = Update.BEST
    ties: Ties = Ties.FIRST_COME
    tie_break: TieBreak = TieBreak.AUTO
    criteria: tuple[Criterion, ...] = ()
    decimals: int = 0
    minimum: int = 0
    maximum: int = 2**31 - 1
    total_maximum: int = 2**31 - 1
    operators: tuple[Operator, ...] = ()
    encoding: Encoding = Encoding.PLAIN
    score_ranges: bool = False

    def __post_init__(self) -> None:
        if self.criteria:
            check_criteria(self.criteria)
            self._check_fields()
        else:
            self._check_points()

    @property
    def is_compact(self) -> bool:
        """Whether Redis knows players by their numbers in SQL."""
        return self.encoding is Encoding.COMPACT

    @property
    def of_points(self) -> bool:
        """Whether submissions have points; else they have fields."""
        return not self.criteria

    @property
    def fields(self) -> tuple[Criterion, ...]:
        """The criteria that are sent in a submission and make up a value."""
        return tuple(criterion for criterion in self.criteria if not criterion.is_time)

    @property
    def sum_limits(self) -> tuple[tuple[int, int], ...]:
        """The least and the most of each number of a value that was added up: the points, or each field."""
        if self.of_points:
            return ((self.minimum, self.total_maximum),)
        return tuple((0, field.maximum) for field in self.fields)

    @property
    def adds_fields(self) -> bool:
        """Whether submissions may add to criteria."""
        return bool(self.criteria) and any(operator.adds for operator in self.operators)

    @property
    def achieved_at(self) -> Criterion | None:
        """The criterion that is the submission's time, if there is one."""
        return next((criterion for criterion in self.criteria if criterion.is_time), None)

    def sort_key(self, value: tuple[int, ...]) -> tuple[int, ...]:
        """Return a tuple by which the better value is the smaller one. Time is not compared."""
        if not self.criteria:
            return value if self.order is Order.ASC else (-value[0],)
        fields = zip(value, self.fields, strict=True)
        return tuple(number if field.order is Order.ASC else -number for number, field in fields)

    def is_better(self, one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        """Whether ``one`` is strictly better than ``other``. Time is not compared."""
        return self.sort_key(one) < self.sort_key(other)

    def text(self, value: int) -> str:
        """Format scaled points for a sentence: 8,388,607 or -1,000.5."""
        whole, point, fraction = points_text(abs(value), self.decimals).partition(".")
        return f"{'-' if value < 0 else ''}{int(whole):,}{point}{fraction}"

    def shown(self, value: tuple[int, ...]) -> tuple[int | Decimal | None, dict[str, int] | None]:
        """Return a value as the API shows it: points as a number, or fields by name."""
        if self.of_points:
            return points_number(value[0], self.decimals), None
        return None, {field.name: number for field, number in zip(self.fields, value, strict=True)}

    def to_json(self) -> dict[str, Any]:
        """Return the rules as JSON, to store with a period. Points stay scaled."""
        return {
            "order": self.order.value,
            "update": self.update.value,
            "ties": self.ties.value,
            "tie_break": self.tie_break.value,
            "criteria": [criterion.to_json() for criterion in self.criteria],
            "decimals": self.decimals,
            "minimum": self.minimum,
            "maximum": self.maximum,
            "total_maximum": self.total_maximum,
            "operators": [operator.value for operator in self.operators],
            "encoding": self.encoding.value,
            "score_ranges": self.score_ranges,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Rules":
        """Return the rules from the result of ``to_json``."""
        return cls(
            order=Order(stored["order"]),
            update=Update(stored["update"]),
            ties=Ties(stored["ties"]),
            tie_break=TieBreak(stored["tie_break"]),
            criteria=read_criteria(stored["criteria"]),
            operators=tuple(map(Operator, stored.get("operators", ()))),  # rules of older releases have none
            encoding=Encoding(stored.get("encoding", Encoding.PLAIN)),
            score_ranges=bool(stored.get("score_ranges", False)),
            **{name: int(stored[name]) for name in ("decimals", "minimum", "maximum", "total_maximum")},
        )

    def _check_fields(self) -> None:
        if self.update is Update.INCREMENT:
            raise BadBoard(
                Message("Criteria cannot be added up: choose `best` or `latest`, or a board of points."), "update"
            )
        if self.decimals:
            raise BadBoard(Message("Fields are whole numbers: set `decimals` to 0."), "decimals")

    def _check_points(self) -> None:
        if not 0 <= self.decimals <= MOST_DECIMALS:
            raise BadBoard(Message("`decimals` is 0 to %(most)s.", most=MOST_DECIMALS), "decimals")
        if self.minimum > self.maximum:
            raise BadBoard(
                Message(
                    "`minimum` %(least)s lies above `maximum` %(most)s: lower the one or raise the other.",
                    least=self.text(self.minimum),
                    most=self.text(self.maximum),
                ),
                "minimum",
            )
        if self.maximum > self.total_maximum:
            raise BadBoard(
                Message(
                    "`maximum` %(most)s is more than a standing can hold: lower it to `total_maximum`, %(total)s, "
                    "or raise `total_maximum`.",
                    most=self.text(self.maximum),
                    total=self.text(self.total_maximum),
                ),
                "maximum",
            )
        self._check_width()

    def _check_width(self) -> None:
        if self.minimum < -MAX_SAFE_INTEGER:
            raise BadBoard(
                Message("`minimum` is too low; the lowest is %(least)s.", least=self.text(-MAX_SAFE_INTEGER)), "minimum"
            )
        highest = min(MAX_SAFE_INTEGER, MAX_SAFE_INTEGER + self.minimum)
        if self.total_maximum > highest:
            least, most = self.text(self.minimum), self.text(self.total_maximum)
            if not self.decimals:
                raise BadBoard(
                    Message(
                        "Points from %(least)s to %(most)s do not fit the 53 bits of a score: lower `total_maximum` "
                        "to %(highest)s.",
                        highest=self.text(highest),
                        least=least,
                        most=most,
                    ),
                    "total_maximum",
                )
            raise BadBoard(
                Message(
                    "Points from %(least)s to %(most)s do not fit the 53 bits of a score: lower `total_maximum` "
                    "to %(highest)s or use fewer decimals.",
                    highest=self.text(highest),
                    least=least,
                    most=most,
                ),
                "total_maximum",
            )
