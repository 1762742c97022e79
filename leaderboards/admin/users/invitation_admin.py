"""The admin of invitations: create one, with a link that is mailed or shown once, and revoke it."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.views.decorators.cache import never_cache

from accounts.models import Invitation
from accounts.services.mails.owner_notices import is_mail_sent
from accounts.services.registration import invitations as invite
from accounts.services.registration.sign_up import has_account
from accounts.views.page_helpers import where_mails_go
from foundation import clock
from foundation.generics import ModelForm
from foundation.http.client_address import signed_in
from foundation.users import User
from leaderboards.admin.base.lookups import DeclaredLookupsAdmin

MOST_DAYS = 30


class InvitationForm(ModelForm[Invitation]):
    """The address and note of an invitation, and its days of validity."""

    days = forms.IntegerField(label=_lazy("Good for days"), min_value=1, max_value=MOST_DAYS, initial=7)

    class Meta:
        model = Invitation
        fields = ("email", "note")
        help_texts = {
            "email": _lazy("The link is mailed there; empty: it is shown to you once, to hand it over."),
            "note": _lazy("For whom it is; staff alone read it."),
        }

    def clean_email(self) -> str:
        """Refuse an address that has an account, and any address if the site sends no mails."""
        email: str = self.cleaned_data["email"]
        if email and not is_mail_sent():
            raise ValidationError(_("This site sends no e-mails (EMAIL_URL): leave it empty and hand the link over."))
        if email and has_account(email):
            raise ValidationError(_("This address has an account already."))
        return email


@admin.register(Invitation)
class InvitationAdmin(DeclaredLookupsAdmin[Invitation]):
    """Invitations: who was invited, by whom, and whether the invitation was used."""

    form = InvitationForm
    list_display = ("__str__", "state", "by", "created_at", "expires_at", "used_by")
    list_select_related = ("by", "used_by")
    search_fields = ("email", "note")
    actions = ("revoke",)
    ordering = ("-pk",)

    @admin.display(description=_lazy("state"))
    def state(self, invitation: Invitation) -> str:
        """Return whether it is open, used, revoked or expired."""
        if invitation.used_at:
            return _("used")
        if invitation.revoked_at:
            return _("revoked")
        return _("open") if invitation.is_open(clock.now()) else _("expired")

    def has_change_permission(self, request: HttpRequest, obj: Invitation | None = None) -> bool:
        """Allow for the list's action; an invitation is never edited."""
        return obj is None and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Invitation | None = None) -> bool:
        """Deny: invitations stay, to show who invited whom."""
        return False

    def get_fields(self, request: HttpRequest, obj: Invitation | None = None) -> Any:
        """Show the state of an existing invitation, never its link."""
        state_fields = ("state", "by", "created_at", "expires_at", "used_at", "used_by", "revoked_at")
        return ("email", "note", *state_fields) if obj else ("email", "note", "days")

    def get_readonly_fields(self, request: HttpRequest, obj: Invitation | None = None) -> Any:
        """Make all fields of an existing invitation read-only."""
        return self.get_fields(request, obj) if obj else ()

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one button only, since the page with the link follows."""
        one_button = {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().add_view(request, form_url, {**(extra_context or {}), **one_button})

    def save_model(self, request: HttpRequest, obj: Invitation, form: Any, change: bool) -> None:
        """Create it; its link only exists during this request."""
        by, days = signed_in(request), form.cleaned_data["days"]
        assert isinstance(by, User)  # noqa: S101 - for the type checker: all accounts are of this class
        link = invite.invite(obj, by, days, get_language() or "en", clock.now())
        request.made_link = link  # type: ignore[attr-defined]  # kept on this request for its answer

    def response_add(
        self, request: HttpRequest, obj: Invitation, _post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show the link once, unless it is mailed."""
        link: str = request.made_link  # type: ignore[attr-defined]  # kept on this request for its answer
        if not link:
            message = _("A mail with the link goes to %(address)s within seconds.") % {"address": obj.email}
            messages.success(request, " ".join([message, *where_mails_go()]))
            return self.response_post_save_add(request, obj)
        context = {**self.admin_site.each_context(request), "opts": self.opts, "name": str(obj), "link": link}
        return _link_page(request, context | {"title": _("Your new invitation"), "until": obj.expires_at})

    @admin.action(description=_lazy("Take back the selected invitations"), permissions=["change"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[Invitation]) -> None:
        """Revoke those that are not used."""
        by, at = signed_in(request), clock.now()
        assert isinstance(by, User)  # noqa: S101 - for the type checker: all accounts are of this class
        revoked = [str(each) for each in chosen if invite.revoke(each.pk, by, at)]
        messages.success(request, _("Revoked: %(names)s.") % {"names": ", ".join(revoked) or "-"})


@never_cache
def _link_page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    return TemplateResponse(request, "admin/accounts/invitation/made.html", context)
