"""The site's root URLconf; each app has its own urls module."""

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

handler403, handler404 = "config.error_pages.forbidden", "config.error_pages.not_found"

urlpatterns = [
    # Django tries these in order, so the most requested come first.
    path(docs.BASE_PATH.lstrip("/"), include((api_urls(likes_api.part, competitions_api.part), "api"))),
    path("", include("leaderboards.urls")),
    path("", include("competitions.urls")),
    path("", include("foundation.urls")),
    path("", include("accounts.urls")),
    # The admin uses the site's own sign-in and password pages, with second factors and rate limits.
    path("admin/login/", SignIn.as_view(next_page="admin:index")),
    path("admin/password_change/", RedirectView.as_view(pattern_name="account-password")),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    # The API's documents are not versioned; any other path under /api/ is answered with a problem document.
    path("api/docs", docs.documentation, name="api-docs"),
    path("api/openapi.json", docs.openapi, name="openapi"),
    re_path(r"^api(?:/|$)", unknown_path, name="unknown-path"),
]
