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

from accounts import marks

OPENS_FOR_SECONDS = 5 * 60
SENDS_FOR_SECONDS = 15 * 60

Row = TypeVar("Row", bound=Model)
View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def to_prove(request: HttpRequest, back: str = "") -> HttpResponse | None:
    """The way to the page that asks for a proof, or None where one was shown lately. Nothing of a form was done then.

    ``back`` is where they go on, for addresses that are only sent to; else it is where they were.
    """
    is_sent = request.method not in ("GET", "HEAD")
    if marks.proved_within(request.session, SENDS_FOR_SECONDS if is_sent else OPENS_FOR_SECONDS):
        return None
    asked = {"next": back or request.get_full_path()} | ({"sent": "1"} if is_sent else {})
    return redirect(f"{reverse('account-confirm')}?{urlencode(asked)}")


def fresh(view: View) -> View:
    """Have a view ask for a proof first. It stands behind what demands that somebody is signed in."""

    @wraps(view)
    def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return to_prove(request) or view(request, *args, **kwargs)

    return asked  # type: ignore[return-value]  # of the same form


class FreshForms(admin.ModelAdmin[Row]):
    """An admin some of whose pages ask for a proof: ``fresh_forms`` (add, change, delete), and ``fresh_actions``, the
    names of actions on its list. Stands before other bases."""

    fresh_forms: tuple[str, ...] = ("add", "change", "delete")
    fresh_actions: tuple[str, ...] = ()

    def changeform_view(self, request: HttpRequest, object_id: str | None = None, *args: Any, **kwargs: Any) -> Any:
        """Adding and changing."""
        page = "add" if object_id is None else "change"
        return self._first(request, page in self.fresh_forms) or super().changeform_view(
            request, object_id, *args, **kwargs
        )

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Deleting one."""
        return self._first(request, "delete" in self.fresh_forms) or super().delete_view(request, *args, **kwargs)

    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """The list's actions; Django's own deletes. Which of several names in a form counts is Django's affair: each
        of them is looked at."""
        names = (*self.fresh_actions, *(["delete_selected"] if "delete" in self.fresh_forms else []))
        is_grave = request.method == "POST" and not set(names).isdisjoint(request.POST.getlist("action"))
        return self._first(request, is_grave) or super().changelist_view(request, *args, **kwargs)

    def _first(self, request: HttpRequest, is_grave: bool) -> HttpResponse | None:
        return to_prove(request) if is_grave else None
