"""Signing up, accepting an invitation, confirming an address. The pages are 404 if SIGN_UP does not allow them."""

from collections.abc import Callable

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.errors import NoLongerValid
from accounts.models import MailKind
from accounts.services import email_change as addresses
from accounts.services.mails import outbox
from accounts.services.mails.owner_notices import is_mail_sent
from accounts.services.registration.sign_up import Wanted, accept, address_in, finish, invitation_in
from accounts.views.page_helpers import (
    proven_member_required,
    render_message,
    run_or_add_error,
    show_form,
    where_mails_go,
)
from accounts.views.passwords import EmailForm, ask_for_link
from accounts.views.sign_in import complete_sign_in
from foundation import clock
from foundation.generics import UserCreationForm
from foundation.http.client_address import client_network
from foundation.throttling.rate_limit import throttle
from foundation.translate import translated


class NewAccountForm(UserCreationForm[User]):
    """A name, and a password typed twice."""

    class Meta(BaseUserCreationForm.Meta):
        model = User
        fields = ("username",)
        labels = {"username": gettext_lazy("Name to sign in with")}  # noqa: RUF012 - only Django reads it

    def wanted(self) -> Wanted:
        """The validated name and password."""
        return Wanted(self.cleaned_data["username"], self.cleaned_data["password1"])


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """Request a link by mail; the answer does not reveal whether the address has an account."""
    if settings.SIGN_UP != "open":
        raise Http404
    return ask_for_link(
        request,
        MailKind.SIGN_UP,
        _("A mail is on its way to this address. Its link is good for a day."),
        title=_("Make an account"),
        intro=_("We mail you a link at which you choose a name and a password."),
        tells_privacy=True,
    )


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up_finish(request: HttpRequest, token: str) -> HttpResponseBase:
    """The page of the mailed link."""
    if settings.SIGN_UP != "open":
        raise Http404
    return _new_account(request, lambda: address_in(token), lambda wanted: finish(token, wanted, clock.now()))


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponseBase:
    """The page of an invitation's link."""
    if settings.SIGN_UP == "off":
        raise Http404
    now = clock.now()
    return _new_account(request, lambda: invitation_in(token, now), lambda wanted: accept(token, wanted, now))


def _new_account(request: HttpRequest, check: Callable[[], object], make: Callable[[Wanted], User]) -> HttpResponseBase:
    """Show the form and make the account; a 404 page if ``check`` says that the link is not valid."""
    try:
        check()
    except NoLongerValid as error:
        return render_message(request, _("This link does not work"), translated(error.detail), status=404)
    form = NewAccountForm(request.POST or None)
    if request.method == "POST":
        throttle("account_mail_address", f"name {client_network(request)}")  # the form reveals which names exist
    users: list[User] = []
    if (
        request.method == "POST"
        and form.is_valid()
        and run_or_add_error(form, lambda: users.append(make(form.wanted())))
    ):
        return complete_sign_in(request, users[0], "/account/", "sign-up")
    return show_form(request, form, title=_("Make an account"), button=_("Make the account"), tells_privacy=True)


@require_http_methods(["GET", "HEAD", "POST"])
@proven_member_required
def email(request: HttpRequest, user: User) -> HttpResponseBase:
    """Request a new address for one's account: a link is mailed there."""
    if not is_mail_sent():
        raise Http404
    form = EmailForm(request.POST or None, initial={"email": user.email})
    if request.method == "POST" and form.is_valid():
        outbox.request_mail(MailKind.EMAIL, form.cleaned_data["email"], client_network(request), clock.now(), user)
        said = _("A mail is on its way to this address. Follow its link on a device on which you are signed in.")
        return render_message(request, _("Look into your mailbox"), said, *where_mails_go())
    intro = _("You have no address yet. It counts once you follow the link that is mailed to it.")
    if user.email:
        told = _(
            "Your present address is %(address)s. The new one counts once you follow the link that is mailed to it."
        )
        intro = told % {"address": user.email}
    return show_form(request, form, title=_("E-mail address"), button=_("Send the link"), intro=intro)


@require_http_methods(["GET", "HEAD", "POST"])
@proven_member_required
def email_confirm(request: HttpRequest, user: User, token: str) -> HttpResponseBase:
    """The page of that link; it asks for a click, because mail scanners open links too."""
    try:
        wanted = addresses.address_in(user, token)
    except NoLongerValid as error:
        return render_message(request, _("This link does not work"), translated(error.detail), status=404)
    form = forms.Form(request.POST if request.method == "POST" else None)
    is_first = not user.email
    if request.method == "POST" and run_or_add_error(_valid(form), lambda: addresses.confirm(user, token, clock.now())):
        messages.success(request, _("Your address is confirmed.") if is_first else _("Your address was changed."))
        return redirect("account-security")
    return show_form(request, form, title=_("Is this your address?"), button=_("Yes, use it"), intro=wanted)


def _valid(form: forms.Form) -> forms.Form:
    form.is_valid()
    return form
