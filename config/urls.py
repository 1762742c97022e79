"""Every address of the site, by app. Each app's own urls hold the rest."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path, re_path

from competitions import api as competitions_api
from config import docs
from leaderboards.api import unknown_path
from leaderboards.api import urls as api_urls
from likes import api as likes_api

urlpatterns = [
    # Addresses are tried in this order: what is asked for most comes first.
    path(docs.BASE_PATH.lstrip("/"), include((api_urls(likes_api.part, competitions_api.part), "api"))),
    path("", include("leaderboards.urls")),
    path("", include("competitions.urls")),
    path("", include("foundation.urls")),
    path("admin/", admin.site.urls),
    # Who is signed in already gets the form all the same: a redirect would tell other sites that he is.
    # Signing in and out only: whoever runs the site makes accounts, and no mail server is asked for.
    path("accounts/login/", LoginView.as_view(), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("i18n/", include("django.conf.urls.i18n")),
    # The documents of the API stand beside its versions; whatever else lies under /api/ is a problem document.
    path("api/docs", docs.documentation, name="api-docs"),
    path("api/openapi.json", docs.openapi, name="openapi"),
    re_path(r"^api(?:/|$)", unknown_path),
]
