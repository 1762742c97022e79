"""What limits of plausibility are held against on boards that SQL decides over: one question for what players sent,
one for the first place; each only where a limit needs it.

Exact while the standings of these players are locked: all who score for them wait.
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
    """What entries of these players (id by internal number) are held against, as it is now."""
    past = past_of(period, limits, players, at)
    return PlausibilityChecker(limits, period.rules, milliseconds(at), past, field_of(period, limits))


def past_of(
    period: Period, limits: Limits, players: Mapping[int, str], at: datetime
) -> Mapping[str, list[PastSubmission]]:
    """What these players (id by internal number) sent in this period and the one before it, and still counts; the
    earliest first, no more than the limits need."""
    if not limits.needs_past or not players:
        return {}
    wanted = Q(nth__lte=limits.own_last) if limits.own_jump is not None else Q(pk__in=[])
    if limits.per_minute:
        wanted |= Q(created_at__gt=at - timedelta(minutes=1), nth__lte=limits.kept)
    nth = Window(RowNumber(), partition_by=F("player"), order_by=F("pk").desc())
    sent = Submission.objects.filter(_periods(period, limits), player__in=players, voided_at=None)
    found: dict[str, list[PastSubmission]] = defaultdict(list)
    rows = sent.annotate(nth=nth).filter(wanted).order_by("pk").values_list("player_id", "points", "created_at")
    for player, points, created_at in rows:
        found[players[player]].append(PastSubmission(points or 0, milliseconds(created_at)))
    return found


def _periods(period: Period, limits: Limits) -> Q:
    """This one; for a jump also the one before it, or nobody would have a history on a Monday."""
    if limits.own_jump is None or period.starts_at is None or period.board.is_event:
        return Q(period=period)
    before = Period.objects.filter(board=period.board_id, starts_at__lt=period.starts_at).order_by("-starts_at")
    return Q(period=period) | Q(period=Subquery(before.values("pk")[:1]))


def field_of(period: Period, limits: Limits) -> FieldLeader:
    """The first place among those who are shown, once enough of them have scored."""
    if limits.field_jump is None:
        return FieldLeader()
    ranked = Standing.objects.filter(period=period, score__isnull=False)
    if hidden := hidden_in(period):
        ranked = ranked.exclude(player__external_id__in=hidden)
    way = "-score" if period.rules.order is Order.DESC else "score"
    best = list(ranked.order_by(way).values_list("points", flat=True)[: limits.field_players])
    return FieldLeader(best[0] if len(best) == limits.field_players else None)
