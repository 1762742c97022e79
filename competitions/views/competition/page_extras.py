"""The parts of a competition's page that are not live: joining, rewards, rank history, comments."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest

from competitions.models import Competition
from competitions.selectors.rewards.rewards import grants_of, tiers
from competitions.selectors.standings.history import history
from competitions.views.access import own_player
from competitions.views.comments.presentation import talk
from competitions.views.competition.words import attempts, timed_of, who_earns, who_may_join
from competitions.views.notices.reminder import reminder_offer
from competitions.views.participants.joining import offer
from competitions.views.participants.own_team import choices
from competitions.views.series import series_named
from foundation.db.resilience import SqlAway, ask
from leaderboards.choices import Visibility
from leaderboards.models import Board
from leaderboards.views.components.rank_chart import rank_chart_of
from leaderboards.views.http.permissions import may_see
from leaderboards.views.http.viewer import Viewer


def extras(request: HttpRequest, competition: Competition, viewer: Viewer, at: datetime) -> dict[str, Any]:
    """Return their context, for whole pages only; empty while SQL is unavailable."""
    try:
        return ask(lambda: _extras(request, competition, viewer, at))
    except SqlAway:
        return {}


def _extras(request: HttpRequest, competition: Competition, viewer: Viewer, at: datetime) -> dict[str, Any]:
    freezes_at = competition.timeline.frozen_since
    is_over = competition.cancelled_at is not None or competition.ends_at <= at
    player = own_player(request)
    offered = offer(request, competition, player, at)
    return {
        "reminder": reminder_offer(competition, player, competition.phase(at)),
        "offer": offered,
        **(choices(competition) if offered.kind == "join" else {}),
        "who_may_join": "" if is_over else who_may_join(competition),
        "join_until": timed_of(competition, competition.join_until, at) if competition.join_until else "",
        "attempts": attempts(competition),
        "links_board": competition.board.visibility == Visibility.PUBLIC or may_see(request, Board),
        "freezes": timed_of(competition, freezes_at, at)
        if freezes_at and competition.timeline.may_become_hidden
        else "",
        "to_reveal": _may_reveal(request, competition, at),
        "series": series_named(request, competition),
        **_rank_history(competition, viewer, at),
        **_rewards(competition, viewer, at),
        **talk(request, competition, at),
    }


def _may_reveal(request: HttpRequest, competition: Competition, at: datetime) -> bool:
    is_due = competition.closed_at is not None and competition.is_hidden(at)
    return is_due and may_see(request, Competition)


def _rank_history(competition: Competition, viewer: Viewer, at: datetime) -> dict[str, Any]:
    if viewer.player is None:
        return {"way": None, "snapshots_seen": 0}
    moments = history(competition, viewer.player, at)
    return {"way": rank_chart_of(competition.board, moments), "snapshots_seen": len(moments)}


def _rewards(competition: Competition, viewer: Viewer, at: datetime) -> dict[str, Any]:
    won = grants_of(competition, viewer.player, at) if viewer.player else []
    offered = [(tier, who_earns(competition.board, tier)) for tier in tiers(competition)]
    return {"tiers": offered, "won": won}
