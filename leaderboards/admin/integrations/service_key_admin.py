"""The admin of service keys: create one, shown once, rotate its signing secret, and revoke it.

A new key is shown on a page of its own, never in a message: messages are stored, and keys must not be.
"""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminSplitDateTime
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.views.decorators.cache import never_cache

from accounts.reauth import ReauthAdmin
from foundation import clock
from foundation.errors import Invalid
from foundation.generics import ModelForm
from foundation.models import ServiceKey
from foundation.security import key_restrictions, service_keys
from foundation.security.networks import read_blocks
from foundation.throttling.limits import Limit, read_limit
from foundation.translate import translated
from leaderboards.admin.base.lookups import DeclaredLookupsAdmin
from leaderboards.admin.integrations.ready_curl import curl_of
from leaderboards.models import Board


class NewKeyForm(ModelForm[ServiceKey]):
    """The form of a new key."""

    scopes = forms.MultipleChoiceField(
        label=_lazy("Scopes"),
        choices=[(scope, scope) for scope in service_keys.SCOPES],
        widget=forms.CheckboxSelectMultiple,
        help_text=_lazy("What the key may do."),
    )
    boards = forms.MultipleChoiceField(
        label=_lazy("Boards"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_lazy("Where it may do so; none ticked means every board, also those made later."),
    )

    expires_at = forms.SplitDateTimeField(
        label=_lazy("Expires"),
        required=False,
        widget=AdminSplitDateTime,
        help_text=_lazy("In UTC; empty means never, until it is revoked."),
    )
    limit = forms.CharField(
        label=_lazy("Limit"),
        required=False,
        max_length=20,
        help_text=_lazy("How many requests in how many seconds, such as 100/10; empty means the site's limits."),
    )

    signed = forms.BooleanField(
        label=_lazy("Demand signatures"),
        required=False,
        help_text=_lazy("Each request must be signed with a secret that is shown beside the key, once."),
    )
    addresses = forms.CharField(
        label=_lazy("Addresses"),
        required=False,
        max_length=3000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_lazy(
            "From where it may be used: addresses or blocks such as 192.0.2.0/24 or 2001:db8::/32, one a line or with "
            "commas; empty means from anywhere."
        ),
    )

    class Meta:
        model = ServiceKey
        fields = ("name", "scopes", "boards", "expires_at")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        boards = Board.objects.order_by("seq")
        if "boards" in self.fields:
            field = self.fields["boards"]
            assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101 - for the type checker
            field.choices = [(str(board.seq), f"{board.seq}: {board.name}") for board in boards]

    def clean_boards(self) -> list[int] | None:
        """Return the numbers of the boards, or None for all."""
        return [int(seq) for seq in self.cleaned_data["boards"]] or None

    def clean_limit(self) -> Limit | None:
        """Parse the limit; None for the site's limits."""
        try:
            return read_limit(self.cleaned_data["limit"])
        except ValueError as error:
            raise ValidationError(
                _("Write it as requests/seconds: 100/10 means 100 requests in 10 seconds.")
            ) from error

    def clean_addresses(self) -> list[str]:
        """Normalise the address blocks; empty for anywhere."""
        try:
            return read_blocks(self.cleaned_data["addresses"].replace(",", " ").split())
        except Invalid as error:
            raise ValidationError(translated(error.detail)) from error

    def clean_expires_at(self) -> Any:
        """Refuse a time in the past."""
        expires_at = self.cleaned_data["expires_at"]
        if expires_at is not None and expires_at <= clock.now():
            raise ValidationError(_("This moment has passed: choose a later one, or none."))
        return expires_at


@admin.register(ServiceKey)
class ServiceKeyAdmin(ReauthAdmin[ServiceKey], DeclaredLookupsAdmin[ServiceKey]):
    """Service keys. The permissions of a key never change: create a second one and revoke the first."""

    audited_as = None
    reauth_forms = ("add",)
    reauth_actions = ("rotate", "revoke")

    list_display = (
        *("name", "prefix", "may", "where", "how_much", "demands", "state"),
        *("created_at", "expires_at", "last_used_at"),
    )
    search_fields = ("name", "prefix__exact")
    actions = ("rotate", "revoke")
    list_per_page = 50
    fields = ("name", "scopes", "boards", "expires_at", "limit", "signed", "addresses")

    @admin.display(description=_lazy("may"))
    def may(self, key: ServiceKey) -> str:
        """Return the scopes."""
        return ", ".join(key.scopes)

    @admin.display(description=_lazy("boards"))
    def where(self, key: ServiceKey) -> str:
        """Return the boards."""
        return _("all") if key.boards is None else ", ".join(map(str, key.boards))

    @admin.display(description=_lazy("limit"))
    def how_much(self, key: ServiceKey) -> str:
        """Return the limit as requests/seconds."""
        return str(key.limit) if key.limit else _("the site's")

    @admin.display(description=_lazy("demands"))
    def demands(self, key: ServiceKey) -> str:
        """Return what else a request with the key needs: signatures, addresses."""
        signed = [_("signatures")] if key.is_signed else []
        return "; ".join([*signed, *([", ".join(key.addresses)] if key.addresses else [])]) or _("nothing else")

    @admin.display(description=_lazy("state"))
    def state(self, key: ServiceKey) -> str:
        """Return whether it is live, revoked or expired."""
        if key.revoked_at:
            return _("revoked")
        return _("live") if key.is_live(clock.now()) else _("expired")

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one button only, since the page with the key follows."""
        one_button = {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().add_view(request, form_url, {**(extra_context or {}), **one_button})

    def get_form(self, request: HttpRequest, obj: ServiceKey | None = None, change: bool = False, **kwargs: Any) -> Any:
        """Return the form of a new key; an existing key is read-only."""
        return super().get_form(request, obj, change, **kwargs) if obj else NewKeyForm

    def get_fields(self, request: HttpRequest, obj: ServiceKey | None = None) -> Any:
        """Show the state of an existing key, never its secret."""
        if obj is None:
            return self.fields
        return (
            "name",
            "prefix",
            "may",
            "where",
            "state",
            "created_at",
            "expires_at",
            "how_much",
            "demands",
            "previous_signing_until",
            "last_used_at",
            "revoked_at",
            "ready_curl",
        )

    @admin.display(description=_lazy("try it"))
    def ready_curl(self, key: ServiceKey) -> SafeString | str:
        """Return a curl command that writes nothing, with a variable in place of the key."""
        command = curl_of(key)
        return format_html("<pre>{}</pre>", command) if command else "-"

    def has_change_permission(self, request: HttpRequest, obj: ServiceKey | None = None) -> bool:
        """Allow for the list's actions; a key is never edited."""
        return obj is None and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: ServiceKey | None = None) -> bool:
        """Deny: revoked keys stay, to show who had which key."""
        return False

    def save_model(self, request: HttpRequest, obj: ServiceKey, form: Any, change: bool) -> None:
        """Create the key; its text and its signing secret only exist during this request."""
        values = form.cleaned_data
        key, text = service_keys.make(
            values["name"], values["scopes"], values["boards"], values["expires_at"], values["limit"]
        )
        key_restrictions.restrict_addresses(key, values["addresses"])
        obj.pk, obj.prefix = key.pk, key.prefix
        secret = key_restrictions.require_signatures(key) if values["signed"] else ""
        request.made_service_key = text, secret  # type: ignore[attr-defined]  # kept on this request for its answer

    def response_add(
        self, request: HttpRequest, obj: ServiceKey, _post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show the key once, on a page that is never cached."""
        key, secret = request.made_service_key  # type: ignore[attr-defined]  # kept on this request for its answer
        shown = {"key": key, "secret": secret, "curl": curl_of(obj, key)}
        return self._secrets_page(request, obj, {"title": _("Your new service key"), **shown})

    @admin.action(description=_lazy("Rotate the signing secret of the selected key"), permissions=["change"])
    def rotate(self, request: HttpRequest, keys: QuerySet[ServiceKey]) -> HttpResponseBase | None:
        """Rotate the secret of one key after a confirmation, and show it once."""
        chosen = list(keys.filter(revoked_at=None).exclude(signing_secret=""))
        if len(chosen) != 1 or keys.count() != 1:
            messages.error(
                request,
                _("Choose one key that is not revoked and demands signatures: its new secret is shown once."),
            )
            return None
        if "confirmed" not in request.POST:
            question = _(
                "It gets a new signing secret. For 24 hours the one before it signs as well, then the new one alone. "
                "If it leaked, make another key and revoke this one instead."
            )
            texts = (_("Rotate the signing secret"), question, _("Yes, rotate"))
            return self._confirmation(request, chosen, "rotate", texts)
        secret = key_restrictions.rotate(chosen[0], clock.now())
        self.log_change(request, chosen[0], "Rotated.")
        shown = {"title": _("Signing secret"), "secret": secret, "was_rotated": True}
        return self._secrets_page(request, chosen[0], shown)

    @admin.action(description=_lazy("Revoke the selected keys"), permissions=["change"])
    def revoke(self, request: HttpRequest, keys: QuerySet[ServiceKey]) -> HttpResponseBase | None:
        """Revoke keys after a confirmation; it cannot be undone."""
        chosen = list(keys.filter(revoked_at=None))
        if "confirmed" not in request.POST:
            question = _("Services that use them are refused within seconds. This can not be undone.")
            return self._confirmation(request, chosen, "revoke", (_("Revoke service keys"), question, _("Yes, revoke")))
        for key in chosen:
            service_keys.revoke(key, clock.now())
            self.log_change(request, key, "Revoked.")
        messages.success(request, _("Revoked: %(names)s.") % {"names": ", ".join(map(str, chosen)) or "-"})
        return None

    def _confirmation(
        self, request: HttpRequest, chosen: list[ServiceKey], action: str, texts: tuple[str, str, str]
    ) -> HttpResponse:
        """Return the page that asks for a confirmation; ``texts`` are its title, question and button."""
        title, question, confirm = texts
        context = {
            **self.admin_site.each_context(request),
            "title": title,
            "question": question,
            "rows": chosen,
            "chosen": chosen,
            "action": action,
            "confirm": confirm,
            "opts": self.opts,
        }
        return TemplateResponse(request, "admin/leaderboards/confirm.html", context)

    def _secrets_page(self, request: HttpRequest, key: ServiceKey, secrets: dict[str, Any]) -> HttpResponse:
        context = self.admin_site.each_context(request) | {"name": key.name, "opts": self.opts} | secrets
        return _uncached_page(request, context)


@never_cache
def _uncached_page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    return TemplateResponse(request, "admin/leaderboards/servicekey/made.html", context)
