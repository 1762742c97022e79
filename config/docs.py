"""The API's documentation at /api/docs and its OpenAPI document at /api/openapi.json, for all versions.

Everything that the page loads is served by the site itself.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from ninja.openapi.docs import Swagger
from ninja.responses import Response

from foundation.http.fast_path import API
from leaderboards.api import api

BASE_PATH = API


@require_safe
def documentation(request: HttpRequest) -> HttpResponse:
    """Show Swagger UI. Ninja's own template says neither the language nor how wide a phone is."""
    shown = {**Swagger.default_settings, "url": reverse("openapi")}
    return render(request, "api_docs.html", {"api": api, "shown": shown})


@require_safe
def openapi(_request: HttpRequest) -> HttpResponse:
    return Response(api.get_openapi_schema(path_prefix=BASE_PATH))
