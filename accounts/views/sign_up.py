"""Signing up, accepting an invitation, confirming an address. The pages are 404 if SIGN_UP does not allow them."""

from collections.abc import Callable
from functools import partial

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.errors import NoLongerValid
from accounts.models import MailKind
from accounts.services import email_change as addresses
from accounts.services.mails import outbox
from accounts.services.mails.owner_notices import is_mail_sent
from accounts.services.registration.sign_up import Wanted, accept, address_in, finish, invitation_in
from accounts.views.new_account_form import new_account_form
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
from foundation.http.client_address import client_network
from foundation.sunwi_settings import sunwi_settings
from foundation.throttling.login import remember_device
from foundation.throttling.rate_limit import throttle
from foundation.translate import translated
from foundation.users import User, email_of, signs_in_by_email


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest) -> HttpResponse:
    """Request a link by mail; the answer does not reveal whether the address has an account."""
    if sunwi_settings.SIGN_UP != "open":
        raise Http404
    return ask_for_link(
        request,
        MailKind.SIGN_UP,
        _("A mail is on its way to this address. Its link is good for a day."),
        title=_("Make an account"),
        intro=_("We mail you a link at which you choose a name and a password."),
        tells_privacy=True,
        offers_sign_in=True,
    )


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up_finish(request: HttpRequest, token: str) -> HttpResponseBase:
    """The page of the mailed link."""
    if sunwi_settings.SIGN_UP != "open":
        raise Http404
    return _new_account(request, partial(address_in, token), lambda wanted: finish(token, wanted, clock.now()))


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponseBase:
    """The page of an invitation's link."""
    if sunwi_settings.SIGN_UP == "off":
        raise Http404
    now = clock.now()
    return _new_account(request, lambda: invitation_in(token, now).email, lambda wanted: accept(token, wanted, now))


def _new_account(request: HttpRequest, read: Callable[[], str], make: Callable[[Wanted], User]) -> HttpResponseBase:
    """Show the form and make the account; a 404 page if the link, whose address ``read`` returns, is not valid."""
    try:
        address = read()
    except NoLongerValid as error:
        return render_message(request, _("This link does not work"), translated(error.detail), status=404)
    form = new_account_form(address)(request.POST or None)
    if request.method == "POST":
        throttle("account_mail_address", f"name {client_network(request)}")  # the form reveals which names exist
    users: list[User] = []
    if (
        request.method == "POST"
        and form.is_valid()
        and run_or_add_error(form, lambda: users.append(make(form.wanted())))
    ):
        return complete_sign_in(request, users[0], "/account/", "sign-up")
    named = _("You sign in with your e-mail address, %(address)s.") % {"address": address}
    intro = named if address and signs_in_by_email() else ""
    texts = {"title": _("Make an account"), "button": _("Make the account"), "intro": intro}
    return show_form(request, form, **texts, tells_privacy=True)


@require_http_methods(["GET", "HEAD", "POST"])
@proven_member_required
def email(request: HttpRequest, user: User) -> HttpResponseBase:
    """Request a new address for one's account: a link is mailed there."""
    if not is_mail_sent():
        raise Http404
    form = EmailForm(request.POST or None, initial={"email": email_of(user)})
    if request.method == "POST" and form.is_valid():
        outbox.request_mail(MailKind.EMAIL, form.cleaned_data["email"], client_network(request), clock.now(), user)
        said = _("A mail is on its way to this address. Follow its link on a device on which you are signed in.")
        return render_message(request, _("Look into your mailbox"), said, *where_mails_go())
    intro = _("You have no address yet. It counts once you follow the link that is mailed to it.")
    if email_of(user):
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
    is_first = not email_of(user)
    if request.method == "POST" and run_or_add_error(_valid(form), lambda: addresses.confirm(user, token, clock.now())):
        messages.success(request, _("Your address is confirmed.") if is_first else _("Your address was changed."))
        response = redirect("account-security")
        if signs_in_by_email():  # the device is known by the account's name
            user.refresh_from_db()
            remember_device(response, user)
        return response
    return show_form(request, form, title=_("Is this your address?"), button=_("Yes, use it"), intro=wanted)


def _valid(form: forms.Form) -> forms.Form:
    form.is_valid()
    return form
