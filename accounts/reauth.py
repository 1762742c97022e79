"""Re-authentication before sensitive actions: the user must have shown a password, code or passkey within the last
five minutes; otherwise they are asked for it and then sent back.

A form that was opened in time can be sent for another ten minutes, so that it is not lost while it is filled in.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from accounts import session_marks
from foundation.generics import ModelAdmin, Subscriptable

OPENS_FOR_SECONDS = 5 * 60
SENDS_FOR_SECONDS = 15 * 60

Row = TypeVar("Row", bound=Model)
View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def require_recent_proof(request: HttpRequest, back: str = "") -> HttpResponse | None:
    """Redirect to the page that asks for a proof; None if there was a recent one. Call it before doing anything.

    ``back`` is the page to return to; by default the requested one. Give it for URLs that take only POST.
    """
    is_sent = request.method not in ("GET", "HEAD")
    if session_marks.proved_within(request.session, SENDS_FOR_SECONDS if is_sent else OPENS_FOR_SECONDS):
        return None
    query = {"next": back or request.get_full_path()} | ({"sent": "1"} if is_sent else {})
    return redirect(f"{reverse('account-confirm')}?{urlencode(query)}")


def requires_recent_proof(view: View) -> View:
    """Decorate a view to require a recent proof. Put it below the decorator that requires signing in."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return require_recent_proof(request) or view(request, *args, **kwargs)

    return wrapper  # type: ignore[return-value]  # the wrapper takes what the view takes


class ReauthAdmin(Subscriptable, ModelAdmin[Row]):
    """A ModelAdmin that requires a recent proof for ``reauth_forms`` (add, change, delete) and for the list actions in
    ``reauth_actions``. It must be the first base class."""

    reauth_forms: tuple[str, ...] = ("add", "change", "delete")
    reauth_actions: tuple[str, ...] = ()

    def changeform_view(self, request: HttpRequest, object_id: str | None = None, *args: Any, **kwargs: Any) -> Any:
        """Check the add and change forms."""
        page = "add" if object_id is None else "change"
        redirect_first = self._require_proof_if(page in self.reauth_forms, request)
        return redirect_first or super().changeform_view(request, object_id, *args, **kwargs)

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Check the delete form."""
        redirect_first = self._require_proof_if("delete" in self.reauth_forms, request)
        return redirect_first or super().delete_view(request, *args, **kwargs)

    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Check the list's actions, including Django's deletion. A form may name several: all are checked."""
        names = (*self.reauth_actions, *(["delete_selected"] if "delete" in self.reauth_forms else []))
        is_sensitive = request.method == "POST" and not set(names).isdisjoint(request.POST.getlist("action"))
        return self._require_proof_if(is_sensitive, request) or super().changelist_view(request, *args, **kwargs)

    def _require_proof_if(self, is_sensitive: bool, request: HttpRequest) -> HttpResponse | None:
        return require_recent_proof(request) if is_sensitive else None
