"""The least that Django can serve: an empty view and an empty page behind the middleware of a new project."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

settings.configure(
    SECRET_KEY=os.environ.get("SECRET_KEY", "only-for-benchmarks"),
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    # What `startproject` writes into its settings.
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ],
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions"],
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
    MESSAGE_STORAGE="django.contrib.messages.storage.cookie.CookieStorage",
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ],
                "loaders": [
                    (
                        "django.template.loaders.locmem.Loader",
                        {"empty.html": "<!doctype html><title>{{ title }}</title><h1>{{ title }}</h1>"},
                    )
                ],
            },
        }
    ],
)


@csrf_exempt
def empty(request: HttpRequest) -> HttpResponse:
    """Takes a body as the product does, and looks at none of it."""
    return JsonResponse({"read": len(request.body)})


def page(request: HttpRequest) -> HttpResponse:
    """A page that says one word."""
    return render(request, "empty.html", {"title": "Empty"})


urlpatterns = [path("empty", empty), path("page", page)]
application = get_wsgi_application()
