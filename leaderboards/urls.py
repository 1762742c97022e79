"""The addresses of the pages."""

from django.urls import path

from foundation.http.own_transactions import own_transactions
from leaderboards import views
from leaderboards.views.player_pages import account_data, compare, follow, own_profile, picture

urlpatterns = [
    path("", views.home, name="home"),
    path("boards/", views.boards, name="boards"),
    path("boards/<int:seq>/", views.board, name="board"),
    path("boards/<int:seq>/periods/", views.periods, name="board-periods"),
    path("boards/<int:seq>/card.png", views.board_card, name="board-card"),
    path("boards/<int:seq>/share/", views.share_board, name="board-share"),
    path("boards/<int:seq>/calendar.ics", views.board_calendar, name="board-calendar"),
    path("players/<str:player>/", views.player, name="player"),
    path("players/<str:player>/follow/", follow.follow, name="player-follow"),
    path("players/<str:player>/menu/", follow.row_menu, name="row-menu"),
    path("compare/", compare.compare, name="compare"),
    path("pictures/<slug:digest>/<slug:size>.webp", picture.picture, name="player-picture"),
    path("search/", views.search, name="search"),
    path("search/suggestions/", views.suggestions, name="search-suggestions"),
    path("styleguide/", views.styleguide, name="styleguide"),
    path("styles/<slug:digest>/<str:names>.css", views.styles, name="styles"),
    path("scripts/<slug:digest>/<str:names>.js", views.scripts, name="scripts"),
    path("account/", views.account, name="account"),
    path("account/profile/", own_profile.own_profile, name="own-profile"),
    path("account/following/", follow.following, name="following"),
    path("account/export/", account_data.export, name="account-export"),
    path("account/delete/", account_data.delete, name="account-delete"),
]
own_transactions(urlpatterns)
