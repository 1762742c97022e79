"""Pages for one's own second factors: the app, passkeys, recovery codes."""

from collections.abc import Callable
from typing import Any

import segno
from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from accounts import session_marks
from accounts.errors import LastFactor
from accounts.models import AuthenticatorApp, Passkey, RecoveryCode
from accounts.reauth import SENDS_FOR_SECONDS
from accounts.selectors.factors import count_factors, has_app, must_have_factor
from accounts.services.second_factors import passkeys, recovery, totp
from accounts.services.second_factors import removal as factors
from accounts.services.second_factors.removal import LAST_FACTOR
from accounts.views.page_helpers import (
    has_a_name,
    next_url,
    origin_of,
    owner_required,
    post_only,
    proven_owner_required,
    render_message,
    run_or_add_error,
    show_form,
)
from accounts.views.sign_in import answer_in
from foundation import clock
from foundation.errors import SunwiError
from foundation.security import sealing
from foundation.translate import translated
from foundation.users import User, name_of

SECRET, ASKED, WAY = "totp_secret", "new_passkey_asked", "after_set_up"


class AppForm(forms.Form):
    """A code of the app, to confirm that it has the secret."""

    code = forms.CharField(
        label=gettext_lazy("Code that the app shows"),
        max_length=10,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )


class NameForm(forms.Form):
    """The name of a passkey."""

    name = forms.CharField(label=gettext_lazy("Name of the passkey"), max_length=60)


@require_safe
@owner_required
def security(request: HttpRequest, user: User) -> HttpResponseBase:
    """List the account's factors, with forms to add more."""
    if "next" in request.GET:
        request.session[WAY] = next_url(request)
    return _page(request, user, NameForm())


def _page(request: HttpRequest, user: User, form: forms.Form) -> HttpResponseBase:
    app = AuthenticatorApp.objects.filter(user=user).first()
    passkey_rows = list(Passkey.objects.filter(user=user).order_by("pk"))
    codes = RecoveryCode.objects.filter(user=user)
    context: dict[str, Any] = {
        "app": app,
        "passkeys": passkey_rows,
        "form": form,
        "must_set_up_factor": getattr(request, "must_set_up_factor", None),
    }
    context["has_a_name"] = has_a_name(request)
    counts = {"codes": codes.count(), "codes_left": recovery.left(user)}
    return render(request, "accounts/security.html", context | counts | {"way": request.session.get(WAY, "")})


@require_http_methods(["GET", "HEAD", "POST"])
@proven_owner_required
def app(request: HttpRequest, user: User) -> HttpResponseBase:
    """Set up an authenticator app: show a secret, and save it once the app's code is entered."""
    form = AppForm(request.POST or None)
    sealed = request.session.get(SECRET)
    if sealed is None:
        sealed = request.session[SECRET] = sealing.seal(totp.new_secret(), sealing.SECOND_FACTOR)
    secret = sealing.unseal(sealed, sealing.SECOND_FACTOR)
    if request.method == "POST" and form.is_valid():
        code = form.cleaned_data["code"]
        if run_or_add_error(form, lambda: totp.confirm(user, secret, code, clock.now()), "code"):
            del request.session[SECRET]
            return _finish_set_up(request, user)
    address = totp.address(secret, name_of(user), f"Sunwi {request.get_host()}")
    qr_code = segno.make(address, error="m").svg_data_uri(scale=5, dark="#000", light="#fff")
    texts = {"title": _("Authenticator app"), "button": _("Set up")}
    return show_form(request, form, **texts, qr=qr_code, address=address, secret=totp.spelled(secret))


@require_http_methods(["GET", "HEAD", "POST"])
@proven_owner_required
def remove_app(request: HttpRequest, user: User) -> HttpResponseBase:
    """Remove the app, after a confirmation."""
    if not has_app(user):
        return redirect("account-security")
    question = _("Take the authenticator app away?"), _("Its codes will not sign you in any more.")
    return _confirm_removal(request, user, question, lambda: factors.remove_app(user, clock.now()))


@require_http_methods(["GET", "HEAD", "POST"])
@proven_owner_required
def remove_passkey(request: HttpRequest, user: User, number: int) -> HttpResponseBase:
    """Remove a passkey, after a confirmation."""
    passkey = Passkey.objects.filter(user=user, pk=number).first()
    if passkey is None:
        return redirect("account-security")
    title = _("Take the passkey “%(name)s” away?") % {"name": passkey.name}
    question = title, _("It will not sign you in here any more. Your device keeps it until you delete it there.")
    return _confirm_removal(request, user, question, lambda: factors.remove_passkey(user, number, clock.now()))


def _confirm_removal(
    request: HttpRequest, user: User, question: tuple[str, str], remove: Callable[[], None]
) -> HttpResponseBase:
    """Show ``question`` (a title and the consequence), or remove. 409 for the last factor if one is required."""
    is_last = count_factors(user) == 1
    if is_last and must_have_factor(user):
        return render_message(request, _("Not taken away"), _(LAST_FACTOR), status=409)
    if request.method != "POST":
        title, consequence = question
        more = _("It is your only second factor: your recovery codes go with it, and the password alone signs you in.")
        intro = f"{consequence} {more}" if is_last else consequence
        texts = {"title": title, "intro": intro, "button": _("Take away"), "back": reverse("account-security")}
        return show_form(request, forms.Form(), **texts, is_grave=True)
    try:
        remove()
    except LastFactor as error:
        return render_message(request, _("Not taken away"), translated(error.detail), status=409)
    message = _("It was taken away. Your recovery codes went with it.") if is_last else _("It was taken away.")
    messages.success(request, message)
    return redirect("account-security")


@post_only("account-security")
@owner_required
def passkey_challenge(request: HttpRequest, user: User) -> HttpResponseBase:
    """The browser's options for a new passkey as JSON; 403 with a sentence for the page if it is not allowed."""
    if not session_marks.proved_within(request.session, SENDS_FOR_SECONDS):
        return JsonResponse({"detail": _("Sign in again first.")}, status=403)
    try:
        options, request.session[ASKED] = passkeys.ask_new(user, origin_of(request))
    except SunwiError as error:
        return JsonResponse({"detail": translated(error.detail)}, status=403)
    return JsonResponse(options)


@post_only("account-security")
@proven_owner_required
def add_passkey(request: HttpRequest, user: User) -> HttpResponseBase:
    """Save the passkey that the browser made."""
    form = NameForm(request.POST)
    challenge = (origin_of(request), request.session.pop(ASKED, None))
    if not form.is_valid():
        return _page(request, user, form)
    name = form.cleaned_data["name"]
    if run_or_add_error(form, lambda: passkeys.keep_new(user, name, answer_in(request), challenge, clock.now())):
        return _finish_set_up(request, user)
    return _page(request, user, form)


@post_only("account-security")
@proven_owner_required
def recovery_codes(request: HttpRequest, user: User) -> HttpResponseBase:
    """Make ten new recovery codes and show them once."""
    return _render_codes(request, user)


def _finish_set_up(request: HttpRequest, user: User) -> HttpResponseBase:
    """Finish setting up a factor, which counts as shown in this session. The first one comes with recovery codes."""
    session_marks.mark_factor(request.session)
    if not RecoveryCode.objects.filter(user=user).exists():
        return _render_codes(request, user)
    return redirect(request.session.pop(WAY, "account-security"))


def _render_codes(request: HttpRequest, user: User) -> HttpResponseBase:
    way = request.session.pop(WAY, "")
    return render(request, "accounts/codes.html", {"codes": recovery.draw(user, clock.now()), "way": way})
