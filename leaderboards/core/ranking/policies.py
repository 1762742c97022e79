"""What a submission makes of a standing, and of the time that breaks its ties.

The time of a standing: of the best value the earliest; of the latest submission its own; of a sum the
greatest that changed it. The trap: submissions arrive out of order, and a standing must not depend on that
more than its policy says.
"""

from collections.abc import Iterable
from typing import NamedTuple

from leaderboards.core.ranking.rules import Rules, Update
from leaderboards.errors import OutOfRange


class StandingState(NamedTuple):
    """A standing without its player: the value, and the time that breaks ties."""

    value: tuple[int, ...]
    at_ms: int


def evaluate(rules: Rules, old: StandingState | None, new: StandingState) -> StandingState:
    """The state after ``new``, which is ``old`` itself where nothing changes.

    With ``increment``, ``new.value`` is the difference; raises ``OutOfRange`` if the total would leave
    the board's limits. Times are expected as the layout's ``quantize`` gives them.
    """
    if rules.update is Update.INCREMENT:
        return _increment(rules, old, new)
    if old is None:
        return new
    if rules.update is Update.LATEST:
        return new if new.at_ms >= old.at_ms and new != old else old
    if new.value == old.value:
        return new if new.at_ms < old.at_ms else old
    return new if rules.is_better(new.value, old.value) else old


def replay(rules: Rules, submissions: Iterable[StandingState]) -> StandingState | None:
    """The standing that submissions amount to, in the order in which they were applied; None without any.

    Nothing is refused here: each was within the limits when it was accepted. Without one that was voided since, a sum
    may leave them at a later one; it stops at the limit there and goes on from it.
    """
    state: StandingState | None = None
    sums = rules.update is Update.INCREMENT
    for new in submissions:
        state = _sum(rules, state, new) if sums else evaluate(rules, state, new)
    return state


def _sum(rules: Rules, old: StandingState | None, new: StandingState) -> StandingState:
    total = new.value[0] + (old.value[0] if old else 0)
    total = min(max(total, rules.minimum), rules.total_maximum)
    if old is None:
        return StandingState((total,), new.at_ms)
    return old if (total,) == old.value else StandingState((total,), max(old.at_ms, new.at_ms))


def _increment(rules: Rules, old: StandingState | None, new: StandingState) -> StandingState:
    difference = new.value[0]
    if old is not None and difference == 0:
        return old
    total = difference + (old.value[0] if old else 0)
    if not rules.minimum <= total <= rules.total_maximum:
        raise OutOfRange(
            f"The total would be {rules.text(total)}; this board keeps {rules.text(rules.minimum)} "
            f"to {rules.text(rules.total_maximum)}. Nothing was changed."
        )
    return StandingState((total,), max(new.at_ms, old.at_ms) if old else new.at_ms)
