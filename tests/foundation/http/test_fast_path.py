"""The API's own way through Django: shorter, and with all that guards every answer."""

import sys
from collections.abc import Callable
from types import ModuleType

import pytest
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client, override_settings
from django.urls import include, path
from django.utils import translation
from django.utils.module_loading import import_string

from foundation.http import fast_path
from foundation.http.fast_path import API
from leaderboards.api import urls as api_urls

LONG = [each for each in settings.MIDDLEWARE if each != "foundation.http.fast_path.ApiFastPath"]

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", [f"{API}boards/1/standings", f"{API}scores", f"{API}nothing", f"{API}boards"])
@pytest.mark.parametrize("method", ["get", "post", "options"])
def test_an_answer_of_the_api_is_what_it_is_on_the_long_way(method: str, path: str) -> None:
    short = getattr(Client(), method)(path)
    with override_settings(MIDDLEWARE=LONG):
        long = getattr(Client(), method)(path)

    differing = ("Vary", "Content-Language", "X-Request-ID")
    assert (short.status_code, short.content) == (long.status_code, long.content)
    assert dict(short.items()).items() >= {k: v for k, v in long.items() if k not in differing}.items()


def test_a_host_that_is_not_ours_is_refused() -> None:
    assert Client().get(f"{API}boards", headers={"Host": "elsewhere.example"}).status_code == 400


def test_pages_go_the_long_way_and_leave_the_api_no_language() -> None:
    assert Client().get("/healthz").status_code == 200
    translation.activate("ko")
    refused = Client().get(f"{API}nothing")
    assert "There is nothing" in refused.json()["detail"]


# What pages alone need; the API has its own brake (by key), sizes of bodies and words for servers that are away.
OF_PAGES = {
    "foundation.monitoring.request_ids.RequestIds",  # around both ways
    "foundation.http.fast_path.ApiFastPath",
    "leaderboards.middleware.NotModifiedMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "foundation.http.page_middleware.PageLanguages",
    "foundation.http.middleware.PageThrottle",
    "likes.middleware.GuestVisits",
    "leaderboards.middleware.CachedPagesMiddleware",
    "foundation.http.page_middleware.PageSessions",
    "foundation.http.uploads.BodySizeLimit",
    "django.middleware.csrf.CsrfViewMiddleware",
    "accounts.middleware.AccountLogins",
    "foundation.http.page_middleware.PageMessages",
    "foundation.http.middleware.ServersUnavailable",
    "likes.middleware.UserVisits",
}


def test_each_layer_is_the_apis_too_or_of_pages_alone() -> None:
    assert set(settings.MIDDLEWARE) - set(settings.API_MIDDLEWARE) == OF_PAGES
    ordered = [name for name in settings.MIDDLEWARE if name not in OF_PAGES]
    assert ordered == settings.API_MIDDLEWARE


@pytest.mark.parametrize("name", settings.API_MIDDLEWARE)
def test_no_layer_of_the_api_has_hooks_that_its_handler_does_not_call(name: str) -> None:
    layer = import_string(name)
    hooks = ("process_view", "process_exception", "process_template_response")
    assert not [each for each in hooks if hasattr(layer, each)]


def test_addresses_that_are_remembered_are_short_and_each_has_its_own_view() -> None:
    for _ in range(2):
        assert Client().post(f"{API}boards/1/standings").json()["code"] == "method_not_allowed"
        assert Client().get(f"{API}boards/1/standings").json()["code"] == "unknown_board"
        assert Client().get(f"{API}boards/2/standings").json()["detail"] == "There is no board 2."
    known = fast_path._resolve.cache_info().currsize

    assert Client().get(f"{API}boards/1/players/{fast_path.LONGEST * 'a'}").status_code == 404

    assert fast_path._resolve.cache_info().currsize == known
    assert fast_path._resolve.cache_info().maxsize == fast_path.CACHE_SIZE


class Guard:
    """Middleware of another project."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request) if "X-Guard" in request.headers else HttpResponse("guarded", status=403)


@pytest.fixture
def other_project(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of addresses of another project, with some of its own below those of the API."""
    urls = ModuleType("addresses_of_another_project")
    urls.urlpatterns = [  # type: ignore[attr-defined]  # what Django reads of such a module
        path("api/v1/write", lambda _: HttpResponse("written")),
        path("api/v1/", include((api_urls(), "api"))),
        path(f"api/v1/{'long' * fast_path.LONGEST}", lambda _: HttpResponse("written")),
        path("api/v1/me", lambda request: HttpResponse(str(request.user))),
        path("admin/", admin.site.urls),
        path("", include("competitions.urls")),
        path("", include("leaderboards.urls")),
        path("", include("accounts.urls")),
        path("", include("foundation.urls")),
    ]
    monkeypatch.setitem(sys.modules, urls.__name__, urls)
    return urls.__name__


def test_addresses_of_another_app_below_the_apis_keep_all_of_the_projects_middleware(other_project: str) -> None:
    layers = [*settings.MIDDLEWARE[:2], f"{__name__}.Guard", *settings.MIDDLEWARE[2:]]
    with override_settings(ROOT_URLCONF=other_project, MIDDLEWARE=layers):
        client, passed = Client(enforce_csrf_checks=True), {"X-Guard": "yes"}
        for address in (f"{API}write", f"{API}{'long' * fast_path.LONGEST}", f"{API}nothing"):
            for _ in range(2):  # the second time it is remembered
                assert client.post(address).content == b"guarded"
        assert client.post(f"{API}write", headers=passed).status_code == 403
        assert b"written" not in client.post(f"{API}write", headers=passed).content
        assert client.get(f"{API}me", headers=passed).content == b"AnonymousUser"
        assert client.get(f"{API}nothing", headers=passed).status_code == 404
        assert client.get(f"{API}boards").json()["rows"] == []


def test_a_form_of_another_app_below_the_apis_has_the_limits_of_pages(other_project: str) -> None:
    with override_settings(ROOT_URLCONF=other_project):
        big = b"x" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
        assert Client().post(f"{API}write", big, "text/plain").status_code == 413
