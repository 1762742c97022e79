"""The addresses of the pages."""

from django.urls import path

from leaderboards import views

urlpatterns = [
    path("", views.home, name="home"),
    path("boards/<int:seq>/", views.board, name="board"),
    path("players/<str:player>/", views.player, name="player"),
    path("styleguide/", views.styleguide, name="styleguide"),
    path("account/", views.account, name="account"),
]
