"""Helpers of account pages: access decorators, redirect targets, forms with errors, simple pages."""

from collections.abc import Callable
from functools import wraps
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlencode, urlsplit

from django import forms
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.middleware import is_outdated, owner_of
from accounts.reauth import require_recent_proof
from foundation import mailer
from foundation.errors import RateLimited, SunwiError
from foundation.translate import translated
from foundation.users import User

View = Callable[..., HttpResponseBase]


def member_required(view: View) -> View:
    """Require a signed-in account, and pass it to the view."""
    return _require_account(view, _member_of)


def proven_member_required(view: View) -> View:
    """As ``member_required``, with a recent proof (``reauth.py``)."""
    return member_required(_require_proof(view))


def owner_required(view: View) -> View:
    """As ``member_required``, but also for staff who must set up a second factor first."""
    return _require_account(view, owner_of)


def proven_owner_required(view: View) -> View:
    """As ``owner_required``, with a recent proof."""
    return owner_required(_require_proof(view))


def sign_in_required(view: View) -> View:
    """Require signing in, for pages of any app; a session without the account's second factor is logged out."""
    guarded = login_required(view)

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        user = _member_of(request)
        if user is not None and is_outdated(request, user):
            logout(request)
        return guarded(request, *args, **kwargs)

    return wrapper


def post_only(page: str) -> Callable[[View], View]:
    """Accept POST; redirect GET to ``page``, which has the form, after a reload or typing the URL. 405 for others."""

    def decorator(view: View) -> View:
        @wraps(view)
        def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.method in ("GET", "HEAD"):
                return redirect(page)
            return view(request, *args, **kwargs)

        return require_http_methods(["GET", "HEAD", "POST"])(wrapper)

    return decorator


def _require_account(view: View, find_account: Callable[[HttpRequest], User | None]) -> View:
    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        user = find_account(request)
        if user is not None and is_outdated(request, user):
            logout(request)
            user = None
        if user is None:
            return redirect(f"{reverse('login')}?{urlencode({'next': request.get_full_path()})}")
        return view(request, user, *args, **kwargs)

    return never_cache(sensitive_post_parameters()(wrapper))


def _require_proof(view: View) -> View:
    @wraps(view)
    def wrapper(request: HttpRequest, user: User, *args: Any, **kwargs: Any) -> HttpResponseBase:
        back = reverse("account-security") if request.method == "POST" else ""
        return require_recent_proof(request, back) or view(request, user, *args, **kwargs)

    return wrapper


def _member_of(request: HttpRequest) -> User | None:
    return request.user if request.user.is_authenticated else None


def next_url(request: HttpRequest, usual: str = "/") -> str:
    """The parameter ``next`` if it is a URL of this site, else ``usual``."""
    url = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(url, {request.get_host()}, require_https=request.is_secure())
    return url if is_ours else usual


def origin_of(request: HttpRequest) -> str:
    """The page's origin as browsers write it: scheme, host and port."""
    return f"{request.scheme}://{request.get_host()}".lower()


def has_a_name(request: HttpRequest) -> bool:
    """Whether the host is a name, not an IP address: browsers make passkeys only for names."""
    host = urlsplit(origin_of(request)).hostname or ""
    try:
        ip_address(host)
    except ValueError:
        return bool(host)
    return False


def where_mails_go() -> list[str]:
    """A sentence if mails are only written into the worker's log, as in the demo; otherwise nothing."""
    if not mailer.is_only_logged():
        return []
    return [gettext("This site sends no e-mails: it writes them into the worker's log.")]


def run_or_add_error(
    form: forms.BaseForm,
    action: Callable[[], object],
    field: str | None = None,
) -> bool:
    """Run ``action``; if it raises a ``SunwiError``, add its translated detail to the form and return False.

    ``RateLimited`` passes through: it has its own page.
    """
    try:
        action()
    except RateLimited:
        raise
    except SunwiError as error:
        form.add_error(field, translated(error.detail))
        return False
    return True


def show_form(
    request: HttpRequest, form: forms.BaseForm, *, template: str = "accounts/form.html", **texts: Any
) -> HttpResponse:
    """A page with one form; ``texts`` are ``title`` and ``button``, and optionally ``intro``, ``hint`` and ``back``.

    If there are errors, the first wrong field has the focus.
    """
    first_wrong = next((name for name in form.fields if name in form.errors), None)
    for name, field in form.fields.items():
        if first_wrong is not None:
            field.widget.attrs["autofocus"] = name == first_wrong
    context = {"form": form, "next": next_url(request, ""), "has_a_name": has_a_name(request), **texts}
    return render(request, template, context)


def render_message(request: HttpRequest, title: str, *lines: str, status: int = 200) -> HttpResponse:
    """A page with only a title and some lines."""
    return render(request, "accounts/said.html", {"title": title, "lines": lines}, status=status)
