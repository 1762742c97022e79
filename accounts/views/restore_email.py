"""The page of the link that restores an account's former address. It needs no sign-in: a thief may have changed the
password."""

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.errors import NoLongerValid
from accounts.services import email_change as addresses
from accounts.services.mails import links
from accounts.views.page_helpers import render_message, run_or_add_error, show_form
from foundation import clock
from foundation.translate import translated


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def restore_email(request: HttpRequest, token: str) -> HttpResponseBase:
    """Explain the effect and ask for a click, because mail scanners open links too; then go to a new password."""
    now = clock.now()
    try:
        former = addresses.read_restore_token(token, now)
    except NoLongerValid as error:
        return render_message(request, _("This link does not work"), translated(error.detail), status=404)
    form = forms.Form(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid() and run_or_add_error(form, lambda: addresses.restore_email(token, now)):
        former.user.refresh_from_db()
        if former.user.has_usable_password():
            return redirect(*links.new_password(former.user))
        return render_message(
            request, _("Your address is back"), _("You are signed out everywhere. Sign in with your passkey.")
        )
    said = _(
        "The account “%(name)s” gets the address %(address)s again. All its sessions end, its password does not count "
        "any more, and you choose a new one. Second factors stay: take away those that are not yours once you are "
        "signed in. If you are asked for one that is not yours, those who run the site take it away."
    )
    intro = said % {"name": former.user.get_username(), "address": former.email}
    return show_form(request, form, title=_("Put the address back?"), button=_("Put it back"), intro=intro)
