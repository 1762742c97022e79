"""The update policies: how a submission changes a standing and the time that breaks its ties.

The time of a standing is, for `best`, the earliest of the best value; for `latest`, that of the latest submission; for
`increment`, the greatest that changed the sum. The trap: submissions arrive out of order, and the result must depend on
the order only as far as the policy says.
"""

from collections.abc import Iterable
from operator import add
from typing import NamedTuple

from foundation.messages import Message
from leaderboards.core.ranking.rules import Operator, Rules, Update
from leaderboards.errors import OutOfRange


class StandingState(NamedTuple):
    """A standing, or a submission, without its player: the value, and the time that breaks ties.

    ``metadata`` is JSON as text; a standing has that of the submission that set it. ``operator`` is that of a
    submission, None for the board's policy; a standing has none.
    """

    value: tuple[int, ...]
    at_ms: int
    metadata: str | None = None
    operator: Operator | None = None


def policy_of(rules: Rules, operator: Operator | None) -> Update:
    """Return how a submission with this operator changes a standing."""
    return rules.update if operator is None else operator.update


def sent_value(value: tuple[int, ...], operator: str | None) -> tuple[int, ...]:
    """Return a submission's value as it is sent: that of a decrement is stored as a negative difference."""
    return tuple(-each for each in value) if operator == Operator.DECREMENT else value


def evaluate(rules: Rules, old: StandingState | None, new: StandingState) -> StandingState:
    """Return the state after the submission ``new``; it is ``old`` itself if nothing changes.

    Where it adds (``increment``, ``decrement``), ``new.value`` is the difference; raises ``OutOfRange`` if the total
    would leave the board's limits. Times must be quantized by the layout.
    """
    if new.operator is not None:
        return _evaluate(rules, new.operator.update, old, new._replace(operator=None))
    return _evaluate(rules, rules.update, old, new)


def _evaluate(rules: Rules, update: Update, old: StandingState | None, new: StandingState) -> StandingState:
    if update is Update.INCREMENT:
        return _increment(rules, old, new)
    if old is None:
        return new
    if update is Update.LATEST:
        return new if new.at_ms >= old.at_ms and new != old else old
    if new.value == old.value:
        return new if new.at_ms < old.at_ms else old
    return new if rules.is_better(new.value, old.value) else old


def replay(rules: Rules, submissions: Iterable[StandingState]) -> StandingState | None:
    """Return the standing from these submissions, in the order in which they were applied; None without any.

    Nothing is refused, since each was within the limits when it was accepted. Without a voided submission, a sum may
    exceed them later on: then it stops at the limit and continues from there.
    """
    state: StandingState | None = None
    for new in submissions:
        if policy_of(rules, new.operator) is Update.INCREMENT:
            state = _add_clamped(rules, state, new._replace(operator=None))
        else:
            state = evaluate(rules, state, new)
    return state


def _add_clamped(rules: Rules, old: StandingState | None, new: StandingState) -> StandingState:
    limits = zip(_sum(old, new), rules.sum_limits, strict=True)
    total = tuple(min(max(number, least), most) for number, (least, most) in limits)
    if old is None:
        return new._replace(value=total)
    return old if total == old.value else new._replace(value=total, at_ms=max(old.at_ms, new.at_ms))


def _increment(rules: Rules, old: StandingState | None, new: StandingState) -> StandingState:
    if old is not None and not any(new.value):
        return old
    total = _sum(old, new)
    for place, (number, (least, most)) in enumerate(zip(total, rules.sum_limits, strict=True)):
        if not least <= number <= most:
            raise _outside(rules, place, number)
    return new._replace(value=total, at_ms=max(new.at_ms, old.at_ms) if old else new.at_ms)


def _sum(old: StandingState | None, new: StandingState) -> tuple[int, ...]:
    return new.value if old is None else tuple(map(add, old.value, new.value))


def _outside(rules: Rules, place: int, number: int) -> OutOfRange:
    least, most = rules.sum_limits[place]
    total, lowest, highest = (rules.text(each) for each in (number, least, most))
    if rules.of_points:
        return OutOfRange(
            Message(
                "The total would be %(number)s; this board keeps %(least)s to %(most)s. Nothing was changed.",
                number=total,
                least=lowest,
                most=highest,
            )
        )
    return OutOfRange(
        Message(
            "The field `%(field)s` would be %(number)s; this board keeps %(least)s to %(most)s. Nothing was changed.",
            field=rules.fields[place].name,
            number=total,
            least=lowest,
            most=highest,
        )
    )
