"""The pages about competitions. They show what the public may see; staff use the admin for the rest."""

from competitions.views.comments.editing import delete, dismiss, edit, hide, report
from competitions.views.comments.liking import like, liked_by
from competitions.views.comments.listing import comment, comments
from competitions.views.competition.calendar_file import competition_calendar
from competitions.views.competition.card import competition_card
from competitions.views.competition.detail import competition
from competitions.views.competition.listing import competitions
from competitions.views.competition.picture import picture
from competitions.views.competition.reveal import reveal
from competitions.views.competition.share import share_competition
from competitions.views.notices.inbox import inbox
from competitions.views.notices.preferences import preferences
from competitions.views.notices.push import push, push_worker
from competitions.views.notices.reminder import reminder
from competitions.views.participants.joining import leave
from competitions.views.participants.own_team import own_team
from competitions.views.participants.teams_and_divisions import division, team, teams
from competitions.views.series import series, series_list

__all__ = [
    "comment",
    "comments",
    "competition",
    "competition_calendar",
    "competition_card",
    "competitions",
    "delete",
    "dismiss",
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
    "push",
    "push_worker",
    "reminder",
    "report",
    "reveal",
    "series",
    "series_list",
    "share_competition",
    "team",
    "teams",
]
