"""Signing in to the site and the admin: by password, and a second factor if there is one; or by a passkey.

After the password alone the user is not signed in; the session stores the account for ten minutes. The trap: every way
of signing in must go through ``complete_sign_in``, which sets the session marks.
"""

import json
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts import session_marks
from accounts.middleware import owner_of
from accounts.selectors.factors import has_app, has_factor, has_passkey, must_have_factor
from accounts.services import sign_ins
from accounts.services.mails.owner_notices import is_mail_sent
from accounts.services.second_factors import passkeys, recovery, totp
from accounts.services.second_factors.throttle import throttle_second_factor
from accounts.views.page_helpers import has_a_name, next_url, origin_of, post_only, run_or_add_error, show_form
from foundation import clock
from foundation.http.client_address import client_network
from foundation.http.own_transactions import owns_transactions
from foundation.sunwi_settings import sunwi_settings
from foundation.throttling.login import is_known_device, remember_device
from foundation.throttling.rate_limit import throttle
from foundation.users import User, key_in_json, users

HALF, ASKED = "half_signed_in", "passkey_asked"
HALF_FOR_SECONDS = 600
PASSWORD, PASSKEY = "password", "passkey"  # ways of signing in, as the log calls them
_BACKEND = "django.contrib.auth.backends.ModelBackend"


@method_decorator(owns_transactions, name="dispatch")  # projects put it in the place of the admin's, too
class SignIn(LoginView):
    """The sign-in form. It is shown even to signed-in users: a redirect would reveal to other sites that they are."""

    def form_valid(self, form: Any) -> HttpResponse:
        """Sign in, or go on to the second factor."""
        user, way = form.get_user(), self.get_success_url()
        if not has_factor(user):
            return complete_sign_in(self.request, user, way, PASSWORD)
        now = clock.now().timestamp()
        self.request.session.cycle_key()
        half = {"user": key_in_json(user.pk), "hash": user.get_session_auth_hash(), "at": now}
        self.request.session[HALF] = half
        return redirect(f"{reverse('account-second-factor')}?{_query(way)}")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Add which other ways the site offers."""
        offers = {"has_reset": is_mail_sent(), "has_sign_up": sunwi_settings.SIGN_UP == "open" and is_mail_sent()}
        more = {
            "must_set_up_factor": getattr(self.request, "must_set_up_factor", None),
            "has_a_name": has_a_name(self.request),
        }
        return super().get_context_data(**kwargs) | offers | more


class CodeForm(forms.Form):
    """A code of the app, or one of the recovery codes."""

    code = forms.CharField(
        label=gettext_lazy("Sign-in code"),
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "autofocus": True, "spellcheck": "false", "autocapitalize": "none"}
        ),
        help_text=gettext_lazy("Six digits from your authenticator app, or one of your recovery codes."),
    )


@never_cache
@sensitive_post_parameters("code")
@require_http_methods(["GET", "HEAD", "POST"])
def second_factor(request: HttpRequest) -> HttpResponseBase:
    """The second step of signing in."""
    user = half_signed_in(request)
    if user is None:
        return redirect(f"{reverse('login')}?{_query(next_url(request))}")
    form = CodeForm(request.POST or None)
    if not has_app(user):
        form.fields["code"].label = _("Recovery code")
        form.fields["code"].help_text = _("One of your recovery codes, if you do not have your passkey with you.")
    if request.method == "POST" and form.is_valid():
        code = form.cleaned_data["code"]
        service, way = _service_of(user, code)
        if run_or_add_error(form, lambda: service.use(user, code, clock.now(), is_known_device(request, user)), "code"):
            if service is recovery:  # go to the page that shows how many codes are left and sets up factors
                _say_left(request, user)
                after = f"{reverse('account-security')}?{_query(next_url(request))}"
                return complete_sign_in(request, user, after, way, with_factor=True)
            return complete_sign_in(request, user, next_url(request), way, with_factor=True)
        sign_ins.failed(request, user, way)
    texts = {"title": _("Second factor"), "button": _("Sign in")}
    return show_form(request, form, **texts, passkey=reverse("account-passkey-sign-in") if has_passkey(user) else "")


def _say_left(request: HttpRequest, user: User) -> None:
    left = recovery.left(user)
    said = ngettext("You used a recovery code: %(left)s is left.", "You used a recovery code: %(left)s are left.", left)
    messages.warning(request, said % {"left": left})


def _service_of(user: User, code: str) -> tuple[Any, str]:
    """The service for the code, by its length: of the app or of recovery codes; and its name in the log."""
    if has_app(user) and len("".join(code.split())) <= totp.DIGITS:
        return totp, "password and code"
    return recovery, "password and recovery code"


@never_cache
@post_only("login")
def passkey_challenge(request: HttpRequest) -> HttpResponse:
    """The browser's options: any passkey of this site, or those of the account that gave a password or is signed in."""
    throttle("login_address", client_network(request))
    options, state = passkeys.ask_proof(origin_of(request), half_signed_in(request) or owner_of(request))
    request.session[ASKED] = state
    return JsonResponse(options)


@never_cache
@post_only("login")
def passkey_sign_in(request: HttpRequest) -> HttpResponseBase:
    """Sign in by a passkey, which counts as two factors.

    Of the limits on passwords only that of the address applies; after a password the limit of second factors does too.
    """
    throttle("login_address", client_network(request))
    form, half = forms.Form(request.POST), half_signed_in(request)
    if half is not None:
        throttle_second_factor(half, is_known_device(request, half))
    owners: list[User] = []
    if form.is_valid() and run_or_add_error(form, lambda: owners.append(passkey_owner(request, half))):
        return complete_sign_in(request, owners[0], next_url(request), PASSKEY, with_factor=True)
    sign_ins.failed(request, half, PASSKEY)
    title = _("Sign in with a passkey")
    return show_form(request, form, title=title, passkey=reverse("account-passkey-sign-in"))


def passkey_owner(request: HttpRequest, user: User | None) -> User:
    """The owner of the passkey that answered; only ``user`` if given. Raises ``BadPasskey``. A challenge works once."""
    challenge = (origin_of(request), request.session.pop(ASKED, None))
    return passkeys.prove(answer_in(request), challenge, clock.now(), user)


def answer_in(request: HttpRequest) -> object:
    """The passkey's answer as JSON, not validated; None if it is not JSON."""
    try:
        return json.loads(request.POST.get("credential", ""))
    except (ValueError, RecursionError):
        return None


def half_signed_in(request: HttpRequest) -> User | None:
    """The account that gave its password in the last ten minutes and has not changed it since."""
    half = request.session.get(HALF)
    if half is None or not 0 <= clock.now().timestamp() - half["at"] < HALF_FOR_SECONDS:
        return None
    user = users().filter(pk=half["user"], is_active=True).first()
    return user if user and user.get_session_auth_hash() == half["hash"] else None


def complete_sign_in(request: HttpRequest, user: User, to: str, way: str, with_factor: bool = False) -> HttpResponse:
    """Sign the user in, by ``way``, and redirect to ``to``; no other code calls ``login``.

    Staff who must set up a second factor go there first.
    """
    request.session.pop(HALF, None)
    login(request, user, _BACKEND)
    if with_factor:
        session_marks.mark_factor(request.session)
    must_set_up = must_have_factor(user) and not with_factor
    sign_ins.signed_in(request, user, way)
    response = redirect(f"{reverse('account-security')}?{_query(to)}" if must_set_up else to)
    remember_device(response, user)
    return response


def _query(to: str) -> str:
    return urlencode({"next": to})
