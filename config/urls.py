"""Every address of the site, by app. Each app's own urls hold the rest."""

from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from accounts.views.sign_in import SignIn
from competitions import api as competitions_api
from config import docs
from leaderboards.api import unknown_path
from leaderboards.api import urls as api_urls
from likes import api as likes_api

admin.autodiscover()

urlpatterns = [
    # Addresses are tried in this order: what is asked for most comes first.
    path(docs.BASE_PATH.lstrip("/"), include((api_urls(likes_api.part, competitions_api.part), "api"))),
    path("", include("leaderboards.urls")),
    path("", include("competitions.urls")),
    path("", include("foundation.urls")),
    path("", include("accounts.urls")),
    # The admin's doors are the site's own, with second factors and brakes.
    path("admin/login/", SignIn.as_view(next_page="admin:index")),
    path("admin/password_change/", RedirectView.as_view(pattern_name="account-password")),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    # The documents of the API stand beside its versions; whatever else lies under /api/ is a problem document.
    path("api/docs", docs.documentation, name="api-docs"),
    path("api/openapi.json", docs.openapi, name="openapi"),
    re_path(r"^api(?:/|$)", unknown_path),
]
