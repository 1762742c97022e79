"""Preview voiding or restoring submissions: each player's place now, and the place that they would have then.

Counted in SQL, which decides on every board with submissions, as if all other standings stayed the same. Hidden
players are not counted, unless their places stay empty.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from django.db.models import Q, QuerySet

from leaderboards.core.ranking.policies import StandingState, evaluate, replay
from leaderboards.core.ranking.rules import Order, Ties
from leaderboards.models import Period, Player, Standing, Submission
from leaderboards.selectors.visibility.hidden import hidden_now, keeps_vacated_places
from leaderboards.stores.sql.reads import run_with_timeout
from leaderboards.stores.sql.writes import state_of, submission_state

PATIENCE_MS = 300  # SQL timeout for each rank; after it the rank is None


class Place(NamedTuple):
    """A rank (None on an SQL timeout, or if the player is hidden) and the state that it is for."""

    rank: int | None
    state: StandingState


class SubmissionChangePreview(NamedTuple):
    """A player's submissions that are to be voided or restored, and their place before and after; None if not
    ranked."""

    period: Period
    player: Player
    submissions: Sequence[Submission]
    now: Place | None
    then: Place | None


def preview_submission_changes(
    submissions: Iterable[Submission], restored: bool = False
) -> Iterator[SubmissionChangePreview]:
    """Yield the effects of voiding, or restoring, by period and player, in the order of the submissions."""
    grouped: dict[tuple[int, int], list[Submission]] = defaultdict(list)
    for row in submissions:
        grouped[row.period_id, row.player_id].append(row)
    for rows in grouped.values():
        yield _preview(rows[0].period, rows[0].player, rows, restored)


def preview_added_score(period: Period, player: Player, new: StandingState) -> tuple[Place | None, Place]:
    """Return the player's place now, and with one more score. Raises ``OutOfRange``.

    ``new`` is scaled, with the time quantized by the layout.
    """
    now, current = _now(period, player)
    state = evaluate(period.rules, current, new)
    if now is not None and state == current:
        return now, now
    return now, place_at(period, player, state)


def place_now(period: Period, player: Player) -> Place | None:
    """Return the player's place now; None if not ranked."""
    return _now(period, player)[0]


def place_at(period: Period, player: Player, state: StandingState) -> Place:
    """Return the place that the player would have with ``state`` (scaled, with the time quantized by the layout)."""
    packed = period.layout.pack(state.value, state.at_ms, player.external_id, player.pk)
    return Place(_rank(period, player, packed.score, packed.member), state)


def rank_if_visible(standing: Standing) -> int | None:
    """Return the rank of a standing, as if its player were not hidden; None on an SQL timeout.

    ``standing`` has a score and comes with its player and its period's board.
    """
    return _rank_among(standing.period, standing.player, standing.score or 0.0, standing.member)


def _now(period: Period, player: Player) -> tuple[Place | None, StandingState | None]:
    standing = Standing.objects.filter(period=period, player=player, score__isnull=False).first()
    if standing is None:
        return None, None
    state = state_of(standing.points, standing.fields, standing.at, standing.metadata)
    return Place(_rank(period, player, standing.score or 0.0, standing.member), state), state


def _preview(period: Period, player: Player, rows: Sequence[Submission], restored: bool) -> SubmissionChangePreview:
    chosen, own = Q(pk__in=[row.pk for row in rows]), Submission.objects.filter(period=period, player=player)
    counting = own.filter(Q(voided_at=None) | chosen) if restored else own.filter(voided_at=None).exclude(chosen)
    state = replay(period.rules, map(submission_state, counting.order_by("pk")))
    now, then = _now(period, player)[0], None
    if now is not None and state == now.state:
        then = now
    elif state is not None:
        then = place_at(period, player, state)
    return SubmissionChangePreview(period, player, rows, now, then)


def _rank(period: Period, player: Player, score: float, member: str) -> int | None:
    """Return the player's rank with this score among visible players; None if the player is hidden."""
    return None if player.pk in hidden_now(period) else _rank_among(period, player, score, member)


def _rank_among(period: Period, player: Player, score: float, member: str) -> int | None:
    hidden = hidden_now(period)
    uncounted = [player.pk] if keeps_vacated_places(period) else [player.pk, *hidden]
    others: QuerySet[Standing] = Standing.objects.filter(period=period, score__isnull=False)
    others = others.exclude(player__in=uncounted)
    better = "gt" if period.rules.order is Order.DESC else "lt"
    ahead = Q(**{f"score__{better}": score})
    if period.rules.ties.by_time:
        beyond = others.filter(ahead | Q(**{f"member__{better}": member}), **{f"score__{better}e": score})
    else:
        beyond = others.filter(ahead)
    counted = beyond.values("score").distinct() if period.rules.ties is Ties.DENSE else beyond
    better_count = run_with_timeout(counted.order_by().count, PATIENCE_MS)
    return None if better_count is None else better_count + 1
