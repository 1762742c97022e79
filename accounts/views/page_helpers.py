"""What the pages of accounts share: who may open them, where one goes next, and refusals beside a form."""

from collections.abc import Callable
from functools import wraps
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlencode, urlsplit

from django import forms
from django.conf import settings
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
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
from foundation.errors import RateLimited, SunwiError

View = Callable[..., HttpResponseBase]


def member_required(view: View) -> View:
    """Pages about one's own account. The view is given the account."""
    return _for(view, _member_of)


def proven_member_required(view: View) -> View:
    """The same, and they have shown lately who they are."""
    return member_required(_proven(view))


def owner_required(view: View) -> View:
    """Pages about second factors: also for staff who may do nothing else before they have one."""
    return _for(view, owner_of)


def proven_owner_required(view: View) -> View:
    """The same, and they have shown lately who they are."""
    return owner_required(_proven(view))


def sign_in_required(view: View) -> View:
    """Pages of any app for those who are signed in, not in a session from before their first second factor."""
    guarded = login_required(view)

    @wraps(view)
    def opened(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        user = _member_of(request)
        if user is not None and is_outdated(request, user):
            logout(request)
        return guarded(request, *args, **kwargs)

    return opened


def post_only(page: str) -> Callable[[View], View]:
    """Takes forms alone: who opens the address itself, by a reload or by typing it, is led to ``page``, which has the
    form. 405 for other methods."""

    def of(view: View) -> View:
        @wraps(view)
        def sent(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.method in ("GET", "HEAD"):
                return redirect(page)
            return view(request, *args, **kwargs)

        return require_http_methods(["GET", "HEAD", "POST"])(sent)

    return of


def _for(view: View, who: Callable[[HttpRequest], User | None]) -> View:
    @wraps(view)
    def opened(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        user = who(request)
        if user is not None and is_outdated(request, user):
            logout(request)
            user = None
        if user is None:
            return redirect(f"{reverse('login')}?{urlencode({'next': request.get_full_path()})}")
        return view(request, user, *args, **kwargs)

    return never_cache(sensitive_post_parameters()(opened))


def _proven(view: View) -> View:
    @wraps(view)
    def proven(request: HttpRequest, user: User, *args: Any, **kwargs: Any) -> HttpResponseBase:
        back = reverse("account-security") if request.method == "POST" else ""
        return require_recent_proof(request, back) or view(request, user, *args, **kwargs)

    return proven


def _member_of(request: HttpRequest) -> User | None:
    return request.user if request.user.is_authenticated else None


def next_url(request: HttpRequest, usual: str = "/") -> str:
    """Where the request wants to go next, if that is a page of ours."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if is_ours else usual


def origin_of(request: HttpRequest) -> str:
    """Scheme, host and port, as a browser names the page's origin."""
    return f"{request.scheme}://{request.get_host()}".lower()


def has_a_name(request: HttpRequest) -> bool:
    """Whether the page's host is a name: passkeys belong to one, and browsers make none for an address of numbers."""
    host = urlsplit(origin_of(request)).hostname or ""
    try:
        ip_address(host)
    except ValueError:
        return bool(host)
    return False


def where_mails_go() -> list[str]:
    """A sentence where they go into the worker's log alone, as in the demo; nothing where they are sent."""
    if "console" not in settings.EMAIL_BACKEND:
        return []
    return [gettext("This site sends no e-mails: it writes them into the worker's log.")]


def run_or_add_error(
    form: forms.BaseForm,
    deed: Callable[[], object],
    field: str | None = None,
    translate: Callable[[str], str] = gettext,
) -> bool:
    """Whether ``deed`` was done; a refusal stands beside the field then, in the reader's language, as ``translate`` has
    it.
    A brake is a page of its own."""
    try:
        deed()
    except RateLimited:
        raise
    except SunwiError as error:
        form.add_error(field, translate(error.detail))
        return False
    return True


def show_form(request: HttpRequest, form: forms.BaseForm, **texts: Any) -> HttpResponse:
    """A page that is one form: ``title`` and ``button``, perhaps an ``intro``, a ``hint`` and a way ``back``.

    The first field that is wrong has the focus, and none that is right.
    """
    wrong = next((name for name in form.fields if name in form.errors), None)
    for name, field in form.fields.items():
        if wrong is not None:
            field.widget.attrs["autofocus"] = name == wrong
    context = {"form": form, "next": next_url(request, ""), "has_a_name": has_a_name(request), **texts}
    return render(request, "accounts/form.html", context)


def render_message(request: HttpRequest, title: str, *lines: str, status: int = 200) -> HttpResponse:
    """A page that only tells something."""
    return render(request, "accounts/said.html", {"title": title, "lines": lines}, status=status)
