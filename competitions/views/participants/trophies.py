"""The trophies that a player has won in competitions, for their page."""

from datetime import datetime

from django.urls import reverse

from competitions.selectors.participants.player_honours import Honour, honours_of
from leaderboards import formats
from leaderboards.models import Player
from leaderboards.views.components.trophies import Trophy


def trophies_of(player: Player, at: datetime) -> list[Trophy]:
    """Return their places among the first three of final competitions."""
    return [_trophy(honour, at) for honour in honours_of(player, at)]


def _trophy(honour: Honour, at: datetime) -> Trophy:
    competition = honour.competition
    return Trophy(
        rank=honour.row.rank or 0,
        tied=(honour.row.tied or 1) > 1,
        board=competition.board,
        name=competition.name,
        address=reverse("competition", args=[competition.pk]),
        when=formats.day_of(competition.ends_at, competition.timezone, at),
        at=competition.ends_at,
    )
