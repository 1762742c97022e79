"""The pages about competitions. They show what the public may see; staff find the rest in the admin."""

from competitions.views.comment import delete, edit, hide
from competitions.views.comments import comment, comments
from competitions.views.detail import competition
from competitions.views.groups import division, team, teams
from competitions.views.inbox import inbox
from competitions.views.joining import leave
from competitions.views.liking import like, liked_by
from competitions.views.listing import competitions
from competitions.views.own_team import own_team
from competitions.views.picture import picture
from competitions.views.preferences import preferences
from competitions.views.reveal import reveal
from competitions.views.series import series, series_list

__all__ = [
    "comment",
    "comments",
    "competition",
    "competitions",
    "delete",
    "division",
    "edit",
    "hide",
    "inbox",
    "leave",
    "like",
    "liked_by",
    "own_team",
    "picture",
    "preferences",
    "reveal",
    "series",
    "series_list",
    "team",
    "teams",
]
