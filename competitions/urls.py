"""The addresses of the pages about competitions."""

from django.urls import path

from competitions import views

urlpatterns = [
    path("competitions/", views.competitions, name="competitions"),
    path("competitions/<int:number>/", views.competition, name="competition"),
    path("competitions/<int:number>/leave/", views.leave, name="competition-leave"),
    path("competitions/<int:number>/reveal/", views.reveal, name="competition-reveal"),
    path("competitions/<int:number>/picture/<slug:digest>.webp", views.picture, name="competition-picture"),
    path("inbox/", views.inbox, name="inbox"),
    path("inbox/settings/", views.preferences, name="inbox-settings"),
]
