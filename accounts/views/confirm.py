"""Re-authentication before a sensitive action, by password or passkey (not by a code of an app)."""

from django import forms
from django.contrib import admin
from django.contrib.auth import authenticate
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts import session_marks
from accounts.selectors.factors import has_passkey
from accounts.services import sign_ins
from accounts.views.page_helpers import next_url, owner_required, post_only, run_or_add_error, show_form
from accounts.views.sign_in import PASSKEY, passkey_owner
from foundation.users import User


class PasswordForm(forms.Form):
    """The signed-in account's password."""

    password = forms.CharField(
        label=gettext_lazy("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password", "autofocus": True}),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@owner_required
def confirm(request: HttpRequest, user: User) -> HttpResponseBase:
    """Check the password, under the same rate limits as signing in."""
    form = PasswordForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        if authenticate(request, username=user.get_username(), password=form.cleaned_data["password"]) == user:
            session_marks.mark_proved(request.session)
            return redirect(next_url(request))
        form.add_error("password", _("This password is wrong."))
    return _page(request, user, form)


@post_only("account-confirm")
@owner_required
def confirm_by_passkey(request: HttpRequest, user: User) -> HttpResponseBase:
    """Check one of the account's passkeys."""
    form = PasswordForm(request.POST)
    form.errors.clear()  # the password is not required here
    if run_or_add_error(form, lambda: passkey_owner(request, user)):
        session_marks.mark_proved(request.session)
        return redirect(next_url(request))
    sign_ins.failed(request, user, PASSKEY)
    return _page(request, user, form)


def _page(request: HttpRequest, user: User, form: forms.Form) -> HttpResponseBase:
    """Ask within the admin's frame where the admin asks: who works there stays there."""
    sent = "sent" in request.GET
    intro = _("Nothing of what you sent was done. Confirm, then send it again.") if sent else ""
    in_admin = user.is_staff and next_url(request).startswith(reverse("admin:index"))
    return show_form(
        request,
        form,
        template="admin/accounts/confirm.html" if in_admin else "accounts/form.html",
        **(admin.site.each_context(request) if in_admin else {}),
        title=_("Confirm that it is you"),
        button=_("Confirm"),
        intro=intro or _("What comes next is asked for only if you have just shown who you are."),
        action=reverse("account-confirm"),
        passkey=reverse("account-confirm-passkey") if has_passkey(user) else "",
    )
