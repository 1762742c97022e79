"""The URLs in mails, as a separate URLconf, so that a worker can build links without importing views.

The views have the same names and are in urls.py.
"""

from django.http import HttpRequest, HttpResponse
from django.urls import path

ROUTES = {
    "account-reset": "accounts/reset/",
    "account-reset-confirm": "accounts/reset/<uidb64>/<token>/",
    "account-sign-up-finish": "accounts/sign-up/<str:token>/",
    "account-invitation": "accounts/invitations/<str:token>/",
    "account-email-confirm": "accounts/email/<str:token>/",
    "account-email-back": "accounts/email/back/<str:token>/",
}


def _placeholder(request: HttpRequest, **parts: str) -> HttpResponse:
    """Never called: this URLconf only builds links."""
    raise NotImplementedError  # this URLconf only builds links


urlpatterns = [path(route, _placeholder, name=name) for name, route in ROUTES.items()]
