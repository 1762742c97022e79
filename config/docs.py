"""The API's documentation at /api/docs and its OpenAPI document at /api/openapi.json.

They stand beside the versions, not inside one. All the page loads is served by the site itself.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import NinjaAPI
from ninja.openapi.docs import Swagger


class Documentation(Swagger):
    """Swagger UI over the document that lies beside it."""

    def get_openapi_url(self, _api: NinjaAPI, _path_params: dict[str, Any]) -> str:
        return reverse("openapi")


def documentation(request: HttpRequest, api: NinjaAPI) -> HttpResponse:
    return Documentation().render_page(request, api)
