"""The URLs of the competition pages."""

from django.urls import path

from competitions import views
from competitions.selectors.notices.inbox import unread
from competitions.views.competition.listing import called
from competitions.views.competition.on_home import home_part
from competitions.views.leagues import group_filter, panel
from competitions.views.participants.trophies import trophies_of
from foundation.http.own_transactions import own_transactions
from leaderboards.views.board_pages import filters, panels
from leaderboards.views.components import other_apps
from leaderboards.views.components.trophies import register_trophies

panels.register_panel(panel)
filters.register_groups(group_filter)
other_apps.register_home_part(home_part)
other_apps.register_search(called)
other_apps.register_unread(unread)
register_trophies(trophies_of)

urlpatterns = [
    path("competitions/", views.competitions, name="competitions"),
    path("competitions/<int:number>/", views.competition, name="competition"),
    path("competitions/<int:number>/leave/", views.leave, name="competition-leave"),
    path("competitions/<int:number>/team/", views.own_team, name="competition-own-team"),
    path("competitions/<int:number>/teams/", views.teams, name="competition-teams"),
    path("competitions/<int:number>/teams/<int:team>/", views.team, name="competition-team"),
    path("competitions/<int:number>/divisions/<int:division>/", views.division, name="competition-division"),
    path("competitions/<int:number>/reveal/", views.reveal, name="competition-reveal"),
    path("competitions/<int:number>/picture/<slug:digest>.webp", views.picture, name="competition-picture"),
    path("competitions/<int:number>/card.png", views.competition_card, name="competition-card"),
    path("competitions/<int:number>/calendar.ics", views.competition_calendar, name="competition-calendar"),
    path("competitions/<int:number>/share/", views.share_competition, name="competition-share"),
    path("competitions/<int:number>/reminder/", views.reminder, name="competition-reminder"),
    path("competitions/<int:number>/comments/", views.comments, name="comments"),
    path("competitions/<int:number>/comments/<int:comment>/", views.comment, name="comment"),
    path("competitions/<int:number>/comments/<int:comment>/edit/", views.edit, name="comment-edit"),
    path("competitions/<int:number>/comments/<int:comment>/delete/", views.delete, name="comment-delete"),
    path("competitions/<int:number>/comments/<int:comment>/hide/", views.hide, name="comment-hide"),
    path("competitions/<int:number>/comments/<int:comment>/report/", views.report, name="comment-report"),
    path("competitions/<int:number>/comments/<int:comment>/dismiss/", views.dismiss, name="comment-dismiss"),
    path("competitions/<int:number>/comments/<int:comment>/like/", views.like, name="comment-like"),
    path("competitions/<int:number>/comments/<int:comment>/likes/", views.liked_by, name="comment-likes"),
    path("series/", views.series_list, name="series-list"),
    path("series/<int:number>/", views.series, name="series"),
    path("inbox/", views.inbox, name="inbox"),
    path("inbox/push/", views.push, name="inbox-push"),
    path("push-worker.js", views.push_worker, name="push-worker"),
    path("inbox/settings/", views.preferences, name="inbox-settings"),
]
own_transactions(urlpatterns)
