"""The one in-memory board, which every store is compared with: plain tuples, sorted by plain Python.

It packs nothing and shares no arithmetic with the core: a standing is worked out anew from all submissions
that counted. Where a layout keeps seconds, give it quantized times. Equals stand by the player's bytes, or by what
``number_of`` says.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from leaderboards.core.periods import Window
from leaderboards.core.ranking.policies import StandingState
from leaderboards.core.ranking.rules import Operator, Order, Rules, Ties, Update
from leaderboards.errors import NotRanked, OutOfRange

Value = tuple[int, ...]


class Row(NamedTuple):
    """A line of the list."""

    rank: int
    player: str
    value: Value
    at_ms: int
    tied: int


class OracleBoard:
    """One period of one board."""

    def __init__(self, rules: Rules, window: Window, number_of: Callable[[str], int] | None = None) -> None:
        self.rules = rules
        self._stands_by: Callable[[str], bytes | int] = number_of or str.encode
        self.window = window
        self.counted: dict[str, list[StandingState]] = {}

    def submit(
        self, player: str, value: Value, at_ms: int, operator: Operator | None = None
    ) -> tuple[str, StandingState]:
        """``updated`` or ``unchanged``, and the standing after it. Raises ``OutOfRange`` as the board would."""
        before = self.counted.get(player, [])
        after = [*before, StandingState(value, at_ms, operator=operator)]
        state = self._standing(after)
        adds_up = self._policy(after[-1]) is Update.INCREMENT
        if adds_up and not all(least <= number <= most for number, (least, most) in self._limits(state.value)):
            raise OutOfRange(f"a total of {state.value}")
        self.counted[player] = after
        return ("unchanged" if before and self._standing(before) == state else "updated"), state

    def remove(self, player: str) -> None:
        """Take the player out, with all that they submitted."""
        if self.counted.pop(player, None) is None:
            raise NotRanked(f"{player!r} has no standing")

    def rows(self) -> list[Row]:
        """Everybody, best first."""
        listed = self._listed()
        equal_to = [self._compared(state) for _, state in listed]
        if self.rules.ties in (Ties.FIRST_COME, Ties.LAST_COME):
            return [Row(i, player, *_parts(state), 1) for i, (player, state) in enumerate(listed, start=1)]
        distinct = list(dict.fromkeys(equal_to))
        dense = self.rules.ties is Ties.DENSE
        return [
            Row((distinct if dense else equal_to).index(key) + 1, player, *_parts(state), equal_to.count(key))
            for (player, state), key in zip(listed, equal_to, strict=True)
        ]

    def around(self, player: str, radius: int) -> list[Row]:
        """The player with up to ``radius`` rows on each side, not filled up at an edge."""
        rows = self.rows()
        places = [i for i, row in enumerate(rows) if row.player == player]
        if not places:
            raise NotRanked(f"{player!r} has no standing")
        return rows[max(0, places[0] - radius) : places[0] + radius + 1]

    def named(self, players: Iterable[str]) -> list[Row]:
        """Those of the players who are ranked, best first, with their rank in the whole board."""
        wanted = set(players)
        return [row for row in self.rows() if row.player in wanted]

    def state(self, player: str) -> StandingState | None:
        """The player's standing, if they have one."""
        return self._standing(self.counted[player]) if player in self.counted else None

    def _limits(self, value: Value) -> list[tuple[int, tuple[int, int]]]:
        if not self.rules.criteria:
            return [(value[0], (self.rules.minimum, self.rules.total_maximum))]
        sent = [criterion for criterion in self.rules.criteria if criterion.name != "achieved_at"]
        return [(number, (0, criterion.maximum)) for number, criterion in zip(value, sent, strict=True)]

    def _policy(self, submitted: StandingState) -> Update:
        if submitted.operator is None:
            return self.rules.update
        return {"set": Update.LATEST, "best": Update.BEST}.get(submitted.operator, Update.INCREMENT)

    def _mixed_standing(self, submitted: list[StandingState]) -> StandingState:
        """One after the other: each is set against what those before it made."""
        value, at_ms = submitted[0].value, submitted[0].at_ms
        for each in submitted[1:]:
            policy = self._policy(each)
            if policy is Update.INCREMENT and any(each.value):
                value, at_ms = tuple(map(sum, zip(value, each.value, strict=True))), max(at_ms, each.at_ms)
            better, now = self._best_first(each.value), self._best_first(value)
            if policy is Update.BEST and (better, each.at_ms) < (now, at_ms):
                value, at_ms = each.value, each.at_ms
            if policy is Update.LATEST and each.at_ms >= at_ms:
                value, at_ms = each.value, each.at_ms
        return StandingState(value, at_ms)

    def _standing(self, submitted: list[StandingState]) -> StandingState:
        if any(each.operator for each in submitted):
            return self._mixed_standing(submitted)
        if self.rules.update is Update.BEST:
            best = min(self._best_first(each.value) for each in submitted)
            equally_good = [each for each in submitted if self._best_first(each.value) == best]
            return min(equally_good, key=lambda each: each.at_ms)
        if self.rules.update is Update.LATEST:
            latest = max(each.at_ms for each in submitted)
            return [each for each in submitted if each.at_ms == latest][-1]
        changing = [submitted[0], *(each for each in submitted[1:] if each.value[0] != 0)]
        return StandingState((sum(each.value[0] for each in submitted),), max(each.at_ms for each in changing))

    def _listed(self) -> list[tuple[str, StandingState]]:
        """By stable sorts, the least important first: the player's bytes or number, the time, the value."""
        listed = [(player, self._standing(submitted)) for player, submitted in self.counted.items()]
        listed.sort(key=lambda each: self._stands_by(each[0]), reverse=self.rules.order is Order.DESC)
        if self.rules.achieved_at is None and self.rules.ties in (Ties.FIRST_COME, Ties.LAST_COME):
            listed.sort(key=lambda each: each[1].at_ms, reverse=self.rules.ties is Ties.LAST_COME)
        listed.sort(key=lambda each: self._compared(each[1]))
        return listed

    def _best_first(self, value: Value) -> Value:
        """The value turned so that less is better."""
        if not self.rules.criteria:
            return value if self.rules.order is Order.ASC else (-value[0],)
        sent = [criterion for criterion in self.rules.criteria if criterion.name != "achieved_at"]
        return tuple(
            part if criterion.order is Order.ASC else -part for part, criterion in zip(value, sent, strict=True)
        )

    def _compared(self, state: StandingState) -> Value:
        """What ranks the state, turned so that less is better: the value, with the time where it is a criterion."""
        if self.rules.achieved_at is None:
            return self._best_first(state.value)
        parts = list(self._best_first(state.value))
        at = state.at_ms // (1000 if self.rules.achieved_at.unit == "s" else 1)
        place = [criterion.name for criterion in self.rules.criteria].index("achieved_at")
        parts.insert(place, at if self.rules.achieved_at.order is Order.ASC else -at)
        return tuple(parts)


def _parts(state: StandingState) -> tuple[Value, int]:
    return state.value, state.at_ms
