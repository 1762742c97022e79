"""Service keys in the admin: made, shown this one time, and revoked.

The answer to making one is a page of its own, never a message: messages are stored, and a key is stored nowhere.
"""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminSplitDateTime
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.views.decorators.cache import never_cache

from foundation import clock, service_keys
from foundation.limits import Limit, read_limit
from foundation.models import ServiceKey
from leaderboards.admin.lookups import NamedLookups
from leaderboards.models import Board

LIFE = ("created_at", "expires_at", "last_used_at", "revoked_at")


class NewKeyForm(forms.ModelForm[ServiceKey]):
    """A key before it is made."""

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

    class Meta:
        model = ServiceKey
        fields = ("name", "scopes", "boards", "expires_at")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        boards = Board.objects.order_by("seq")
        if "boards" in self.fields:
            chosen = self.fields["boards"]
            assert isinstance(chosen, forms.MultipleChoiceField)  # noqa: S101 - for the type checker
            chosen.choices = [(str(board.seq), f"{board.seq}: {board.name}") for board in boards]

    def clean_boards(self) -> list[int] | None:
        """Numbers, or None for all."""
        return [int(seq) for seq in self.cleaned_data["boards"]] or None

    def clean_limit(self) -> Limit | None:
        """None for the site's."""
        try:
            return read_limit(self.cleaned_data["limit"])
        except ValueError as error:
            raise ValidationError(
                _("Write it as requests/seconds: 100/10 means 100 requests in 10 seconds.")
            ) from error

    def clean_expires_at(self) -> Any:
        """A key that has expired already opens nothing."""
        expires_at = self.cleaned_data["expires_at"]
        if expires_at is not None and expires_at <= clock.now():
            raise ValidationError(_("This moment has passed: choose a later one, or none."))
        return expires_at


@admin.register(ServiceKey)
class ServiceKeyAdmin(NamedLookups[ServiceKey]):
    """Who may write. What a key may do never changes: make a second one and revoke the first."""

    list_display = ("name", "prefix", "may", "where", "how_much", "state", "created_at", "expires_at", "last_used_at")
    search_fields = ("name", "prefix__exact")
    actions = ("revoke",)
    list_per_page = 50
    fields = ("name", "scopes", "boards", "expires_at", "limit")

    @admin.display(description=_lazy("may"))
    def may(self, key: ServiceKey) -> str:
        """Its scopes."""
        return ", ".join(key.scopes)

    @admin.display(description=_lazy("boards"))
    def where(self, key: ServiceKey) -> str:
        """Its boards."""
        return _("all") if key.boards is None else ", ".join(map(str, key.boards))

    @admin.display(description=_lazy("limit"))
    def how_much(self, key: ServiceKey) -> str:
        """How many requests in how many seconds."""
        return str(key.limit) if key.limit else _("the site's")

    @admin.display(description=_lazy("state"))
    def state(self, key: ServiceKey) -> str:
        """Whether it opens anything."""
        if key.revoked_at:
            return _("revoked")
        return _("live") if key.is_live(clock.now()) else _("expired")

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """One button: what comes next is the page that shows the key."""
        one_button = {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().add_view(request, form_url, {**(extra_context or {}), **one_button})

    def get_form(self, request: HttpRequest, obj: ServiceKey | None = None, change: bool = False, **kwargs: Any) -> Any:
        """Only a new key has a form; a made one is looked at."""
        return super().get_form(request, obj, change, **kwargs) if obj else NewKeyForm

    def get_fields(self, request: HttpRequest, obj: ServiceKey | None = None) -> Any:
        """A made key shows its life too, never its secret."""
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
            "last_used_at",
            "revoked_at",
        )

    def has_change_permission(self, request: HttpRequest, obj: ServiceKey | None = None) -> bool:
        """For the list's action; no key is edited."""
        return obj is None and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: ServiceKey | None = None) -> bool:
        """Revoked keys stay, so that one can see who had which."""
        return False

    def save_model(self, request: HttpRequest, obj: ServiceKey, form: Any, change: bool) -> None:
        """Make the key; its text lives as long as this request."""
        wanted = form.cleaned_data
        key, text = service_keys.make(
            wanted["name"], wanted["scopes"], wanted["boards"], wanted["expires_at"], wanted["limit"]
        )
        obj.pk, obj.prefix = key.pk, key.prefix
        request.made_service_key = text  # type: ignore[attr-defined]  # ours, for one request

    def response_add(
        self, request: HttpRequest, obj: ServiceKey, _post_url_continue: str | None = None
    ) -> HttpResponse:
        """The one page that shows the key; nothing caches it."""
        context = {
            **self.admin_site.each_context(request),
            "title": _("Your new service key"),
            "key": request.made_service_key,  # type: ignore[attr-defined]  # ours, for one request
            "name": obj.name,
            "opts": self.opts,
        }
        return _shown_once(request, context)

    @admin.action(description=_lazy("Revoke the selected keys"), permissions=["change"])
    def revoke(self, request: HttpRequest, keys: QuerySet[ServiceKey]) -> HttpResponseBase | None:
        """Asked once more: it can not be undone."""
        chosen = list(keys.filter(revoked_at=None))
        if "confirmed" not in request.POST:
            context = {
                **self.admin_site.each_context(request),
                "title": _("Revoke service keys"),
                "question": _("Whoever uses them is refused within seconds. This can not be undone."),
                "rows": chosen,
                "chosen": chosen,
                "action": "revoke",
                "confirm": _("Yes, revoke"),
                "opts": self.opts,
            }
            return TemplateResponse(request, "admin/leaderboards/confirm.html", context)
        for key in chosen:
            service_keys.revoke(key, clock.now())
            self.log_change(request, key, "Revoked.")
        messages.success(request, _("Revoked: %(names)s.") % {"names": ", ".join(map(str, chosen)) or "-"})
        return None


@never_cache
def _shown_once(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    return TemplateResponse(request, "admin/leaderboards/servicekey/made.html", context)
