"""The addresses that mails tell, as a list of addresses of its own: a worker that sends a mail loads no page for it.

The pages behind them stand in urls.py, under the same names.
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


def _elsewhere(request: HttpRequest, **parts: str) -> HttpResponse:
    """Nobody is sent here: these addresses are told, never served."""
    raise NotImplementedError


urlpatterns = [path(route, _elsewhere, name=name) for name, route in ROUTES.items()]
