"""The API's documentation at /api/docs and its OpenAPI document at /api/openapi.json, for all versions.

Everything that the page loads is served by the site itself.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe
from ninja import NinjaAPI
from ninja.openapi.docs import ABS_TPL_PATH, Swagger
from ninja.responses import Response

from foundation.http.fast_path import API
from leaderboards.api import api

BASE_PATH = API


class Documentation(Swagger):
    """Swagger UI for the OpenAPI document."""

    # Ninja is not in INSTALLED_APPS, so it renders this template. Here it is the one with the site's own files.
    template_cdn = str(ABS_TPL_PATH / "swagger.html")

    def get_openapi_url(self, _api: NinjaAPI, _path_params: dict[str, Any]) -> str:
        return reverse("openapi")


@require_safe
def documentation(request: HttpRequest) -> HttpResponse:
    return Documentation().render_page(request, api)


@require_safe
def openapi(_request: HttpRequest) -> HttpResponse:
    return Response(api.get_openapi_schema(path_prefix=BASE_PATH))
