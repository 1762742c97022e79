"""Proving anew who one is before a grave act: a page, an act or a form of the admin opens only to who showed a
password, a code or a passkey within the last five minutes. Else they are asked, and come back.

What was opened in time may be sent for ten minutes more, so that a form is not lost while it is filled in.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from accounts import session_marks

OPENS_FOR_SECONDS = 5 * 60
SENDS_FOR_SECONDS = 15 * 60

Row = TypeVar("Row", bound=Model)
View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def require_recent_proof(request: HttpRequest, back: str = "") -> HttpResponse | None:
    """The way to the page that asks for a proof, or None where one was shown lately. Nothing of a form was done then.

    ``back`` is where they go on, for addresses that are only sent to; else it is where they were.
    """
    is_sent = request.method not in ("GET", "HEAD")
    if session_marks.proved_within(request.session, SENDS_FOR_SECONDS if is_sent else OPENS_FOR_SECONDS):
        return None
    asked = {"next": back or request.get_full_path()} | ({"sent": "1"} if is_sent else {})
    return redirect(f"{reverse('account-confirm')}?{urlencode(asked)}")


def requires_recent_proof(view: View) -> View:
    """Have a view ask for a proof first. It stands behind what demands that somebody is signed in."""

    @wraps(view)
    def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return require_recent_proof(request) or view(request, *args, **kwargs)

    return asked  # type: ignore[return-value]  # of the same form


class ReauthAdmin(admin.ModelAdmin[Row]):
    """An admin some of whose pages ask for a proof: ``reauth_forms`` (add, change, delete), and ``reauth_actions``, the
    names of actions on its list. Stands before other bases."""

    reauth_forms: tuple[str, ...] = ("add", "change", "delete")
    reauth_actions: tuple[str, ...] = ()

    def changeform_view(self, request: HttpRequest, object_id: str | None = None, *args: Any, **kwargs: Any) -> Any:
        """Adding and changing."""
        page = "add" if object_id is None else "change"
        return self._first(request, page in self.reauth_forms) or super().changeform_view(
            request, object_id, *args, **kwargs
        )

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Deleting one."""
        return self._first(request, "delete" in self.reauth_forms) or super().delete_view(request, *args, **kwargs)

    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """The list's actions; Django's own deletes. Which of several names in a form counts is Django's affair: each
        of them is looked at."""
        names = (*self.reauth_actions, *(["delete_selected"] if "delete" in self.reauth_forms else []))
        is_sensitive = request.method == "POST" and not set(names).isdisjoint(request.POST.getlist("action"))
        return self._first(request, is_sensitive) or super().changelist_view(request, *args, **kwargs)

    def _first(self, request: HttpRequest, is_sensitive: bool) -> HttpResponse | None:
        return require_recent_proof(request) if is_sensitive else None
