"""Changing the password, and resetting it by mail. Both end all other sessions of the account.

The page that requests a mail answers the same for every address, with or without an account.
"""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import authenticate, update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import PasswordResetConfirmView
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts import session_marks
from accounts.models import MailKind
from accounts.services.audit_actions import PASSWORD, record_and_notify
from accounts.services.mails import outbox
from accounts.services.mails.owner_notices import is_mail_sent
from accounts.views.page_helpers import member_required, render_message, show_form, where_mails_go
from foundation import clock
from foundation.http.client_address import client_network
from foundation.throttling.login import remember_device
from foundation.users import EMAIL, User, column_of, user_model

LONGEST_EMAIL = 254  # characters, as Django's columns of addresses


class OwnPasswordForm(PasswordChangeForm):
    """A password form that checks the old password under the rate limits of signing in."""

    def __init__(self, request: HttpRequest, user: User, *args: Any) -> None:
        super().__init__(user, *args)
        self._request = request

    def clean_old_password(self) -> str:
        """Raise ``ValidationError`` if the old password is wrong."""
        old: str = self.cleaned_data["old_password"]
        if authenticate(self._request, username=self.user.get_username(), password=old) is None:
            raise ValidationError(_("This password is wrong."))
        return old


class EmailForm(forms.Form):
    """An e-mail address, as long as the accounts' column takes."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        longest = min(column_of(user_model(), EMAIL).max_length or LONGEST_EMAIL, LONGEST_EMAIL)
        widget = forms.EmailInput(attrs={"autocomplete": "email"})
        self.fields["email"] = forms.EmailField(label=_("E-mail address"), widget=widget, max_length=longest)


@require_http_methods(["GET", "HEAD", "POST"])
@member_required
def change_password(request: HttpRequest, user: User) -> HttpResponseBase:
    """Change the password; this session stays signed in."""
    form = OwnPasswordForm(request, user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            changed = form.save()
            record_and_notify(PASSWORD, user, clock.now())
        update_session_auth_hash(request, changed)
        session_marks.mark_proved(request.session)
        messages.success(request, _("Your password was changed. You are signed out everywhere else."))
        response = redirect("account-security")
        remember_device(response, changed)
        return response
    return show_form(request, form, title=_("Change password"), button=_("Change password"))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def reset(request: HttpRequest) -> HttpResponse:
    """Request a reset link by mail."""
    return ask_for_link(
        request,
        MailKind.RESET,
        _("If an account has this address, a link for a new password is on its way. It is good for an hour."),
        title=_("Forgotten password"),
        intro=_("We mail you a link at which you choose a new password."),
    )


def ask_for_link(request: HttpRequest, kind: MailKind, said: str, **texts: Any) -> HttpResponse:
    """A form for an address; after it was sent, the page ``said``. Raises ``Http404`` if the site sends no mail."""
    if not is_mail_sent():
        raise Http404
    form = EmailForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        outbox.request_mail(kind, form.cleaned_data["email"], client_network(request), clock.now())
        return render_message(request, _("Look into your mailbox"), said, *where_mails_go())
    return show_form(request, form, button=_("Send the link"), **texts)


class ResetConfirm(PasswordResetConfirmView):
    """The page of the mailed link. The device becomes known, so that others' guessing cannot lock the user out."""

    template_name = "accounts/reset_confirm.html"
    success_url = reverse_lazy("account-reset-done")

    def form_valid(self, form: Any) -> HttpResponse:
        """Set the new password. The user still has to sign in, with their second factor if they have one."""
        with transaction.atomic():
            response = super().form_valid(form)
            record_and_notify(PASSWORD, form.user, clock.now(), way="mail")
        remember_device(response, form.user)
        return response


@never_cache
def reset_done(request: HttpRequest) -> HttpResponse:
    """The page after the new password was set."""
    return render_message(
        request, _("Your new password is set"), _("You are signed out everywhere. Sign in with the new one.")
    )
