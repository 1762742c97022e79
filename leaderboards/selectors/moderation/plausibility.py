"""The data that plausibility limits need, on boards where SQL decides: players' earlier submissions, and the leader.

One SQL statement each, and only if a limit needs it. Exact while the players' standings are locked, since other
submissions for them wait.
"""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db.models import F, Q, Subquery, Window
from django.db.models.functions import RowNumber

from leaderboards.core.instants import milliseconds
from leaderboards.core.plausibility import FieldLeader, Limits, PastSubmission, PlausibilityChecker
from leaderboards.core.ranking.rules import Order
from leaderboards.models import Period, Standing, Submission
from leaderboards.selectors.visibility.hidden import hidden_in


def watch_of(period: Period, limits: Limits, players: Mapping[int, str], at: datetime) -> PlausibilityChecker:
    """Build the checker for entries of these players (id by internal number)."""
    past = past_of(period, limits, players, at)
    return PlausibilityChecker(limits, period.rules, milliseconds(at), past, field_of(period, limits))


def past_of(
    period: Period, limits: Limits, players: Mapping[int, str], at: datetime
) -> Mapping[str, list[PastSubmission]]:
    """Return the valid submissions of these players (id by internal number), the earliest first, as many as needed.

    They are of this period, and of the one before if a limit compares with the player's own scores.
    """
    if not limits.needs_past or not players:
        return {}
    wanted = Q(nth__lte=limits.own_last) if limits.own_jump is not None else Q(pk__in=[])
    if limits.per_minute:
        wanted |= Q(created_at__gt=at - timedelta(minutes=1), nth__lte=limits.kept)
    nth = Window(RowNumber(), partition_by=F("player"), order_by=F("pk").desc())
    valid = Submission.objects.filter(_in_periods(period, limits), player__in=players, voided_at=None)
    past: dict[str, list[PastSubmission]] = defaultdict(list)
    rows = valid.annotate(nth=nth).filter(wanted).order_by("pk").values_list("player_id", "points", "created_at")
    for player, points, created_at in rows:
        past[players[player]].append(PastSubmission(points or 0, milliseconds(created_at)))
    return past


def _in_periods(period: Period, limits: Limits) -> Q:
    """The condition of this period; for a jump also of the one before, since a weekly period begins without scores."""
    if limits.own_jump is None or period.starts_at is None or period.board.is_event:
        return Q(period=period)
    before = Period.objects.filter(board=period.board_id, starts_at__lt=period.starts_at).order_by("-starts_at")
    return Q(period=period) | Q(period=Subquery(before.values("pk")[:1]))


def field_of(period: Period, limits: Limits) -> FieldLeader:
    """Return the best score of the visible players, once ``field_players`` of them have scored."""
    if limits.field_jump is None:
        return FieldLeader()
    ranked = Standing.objects.filter(period=period, score__isnull=False)
    if hidden := hidden_in(period):
        ranked = ranked.exclude(player__external_id__in=hidden)
    best_first = "-score" if period.rules.order is Order.DESC else "score"
    best = list(ranked.order_by(best_first).values_list("points", flat=True)[: limits.field_players])
    return FieldLeader(best[0] if len(best) == limits.field_players else None)
