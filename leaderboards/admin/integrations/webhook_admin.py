"""The admin of webhook endpoints: create one, with a secret that is shown once, rotate, disable, enable and test it.

A secret is shown on a page of its own, never in a message: messages are stored.
"""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import pgettext_lazy
from django.views.decorators.cache import never_cache

from accounts.reauth import ReauthAdmin
from foundation import clock
from foundation.errors import Invalid
from foundation.generics import ModelForm
from foundation.models import WebhookEndpoint
from foundation.translate import translated
from foundation.webhooks import addresses, endpoints, outbox
from foundation.webhooks.kinds import kind_in_words, registered_kinds
from leaderboards.admin.base.lookups import DeclaredLookupsAdmin
from leaderboards.admin.wording.descriptions import in_utc

_SUBJECTS = {
    "competition": _lazy("Competitions"),
    "league": _lazy("Leagues"),
    "period": _lazy("Periods"),
    "rank": _lazy("Ranks"),
    "reward": _lazy("Rewards"),
    "score": _lazy("Scores"),
}


class EndpointForm(ModelForm[WebhookEndpoint]):
    """An endpoint: its name, its URL, and the kinds of events that it receives."""

    kinds = forms.MultipleChoiceField(
        label=_lazy("Kinds"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_lazy("Of which kinds of events it is told. None at all, here and below, means all, also new ones."),
    )
    others = forms.CharField(
        label=_lazy("Other kinds"),
        required=False,
        max_length=1000,
        help_text=_lazy("Kinds that your own code sends, with commas."),
    )

    class Meta:
        model = WebhookEndpoint
        fields = ("name", "url", "kinds")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "kinds" in self.fields:
            self.fields["kinds"].choices = kind_choices()  # type: ignore[attr-defined]  # a field with choices
            known = registered_kinds()
            self.initial["others"] = ", ".join(each for each in self.instance.kinds if each not in known)

    def clean_url(self) -> str:
        """Refuse a URL that nothing can be sent to. The addresses of its host are checked at every try."""
        url: str = self.cleaned_data["url"]
        try:
            addresses.parse(url)
        except Invalid as error:
            raise ValidationError(translated(error.detail)) from error
        return url

    def clean_others(self) -> list[str]:
        """Return the other kinds as a list without repetitions."""
        kinds = list(dict.fromkeys(self.cleaned_data["others"].replace(",", " ").split()))
        wrong = [kind for kind in kinds if not outbox.KIND.fullmatch(kind)]
        if wrong:
            raise ValidationError(_("No kind of event is called like this: %(kinds)s.") % {"kinds": ", ".join(wrong)})
        return kinds

    def clean(self) -> dict[str, Any]:
        """Join the ticked kinds and the other ones."""
        cleaned = super().clean() or self.cleaned_data
        if "kinds" in cleaned:
            cleaned["kinds"] = list(dict.fromkeys([*cleaned["kinds"], *cleaned.get("others", [])]))
        return cleaned


def kind_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the kinds that the installed apps send, by subject."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for kind in registered_kinds():
        groups.setdefault(kind.partition(".")[0], []).append((kind, f"{kind_in_words(kind)} ({kind})"))
    return [(str(_SUBJECTS.get(subject, subject)), kinds) for subject, kinds in groups.items()]


class EndpointStateFilter(admin.SimpleListFilter):
    """Filter by whether endpoints are told of events."""

    title = _lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer both."""
        return [("live", _lazy("live")), ("disabled", pgettext_lazy("an endpoint", "disabled"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[WebhookEndpoint]) -> QuerySet[WebhookEndpoint]:
        """Filter by the chosen state."""
        state = self.value()
        return queryset.filter(disabled_at__isnull=state == "live") if state in ("live", "disabled") else queryset


@admin.register(WebhookEndpoint)
class WebhookEndpointAdmin(ReauthAdmin[WebhookEndpoint], DeclaredLookupsAdmin[WebhookEndpoint]):
    """Endpoints: the site's own systems that receive events."""

    audited_as = "webhook"
    form = EndpointForm
    nothing_here = _lazy("Nobody is told of events yet: add the address of a system that shall be.")
    list_display = ("name", "url", "told_of", "state", "made")
    list_filter = (EndpointStateFilter,)
    search_fields = ("name", "url")
    ordering = ("name",)
    actions = ("send_test", "rotate", "disable", "enable")
    reauth_actions = ("rotate",)

    class Media:
        css = {"all": ["css/admin-lists.css"]}

    @admin.display(description=_lazy("told of"))
    def told_of(self, endpoint: WebhookEndpoint) -> str:
        """Return the kinds of events that it receives."""
        return ", ".join(map(kind_in_words, endpoint.kinds)) or _("everything")

    @admin.display(description=_lazy("created"), ordering="created_at")
    def made(self, endpoint: WebhookEndpoint) -> str:
        """Return when it was made."""
        return in_utc(endpoint.created_at)

    @admin.display(description=_lazy("previous secret signs until"))
    def second_secret(self, endpoint: WebhookEndpoint) -> str:
        """Return until when the secret before the present one signs too."""
        return in_utc(endpoint.previous_until)

    @admin.display(description=_lazy("state"))
    def state(self, endpoint: WebhookEndpoint) -> str:
        """Return whether it is live, or why it is disabled."""
        if endpoint.disabled_at is None:
            return _("live")
        words = {"why": endpoint.disabled_reason, "when": in_utc(endpoint.disabled_at)}
        return _("disabled since %(when)s: %(why)s") % words

    def get_readonly_fields(self, request: HttpRequest, obj: WebhookEndpoint | None = None) -> Any:
        """Show the state of an existing endpoint, never its secret; what it does not have is left out."""
        if obj is None:
            return ()
        return ("state", *(["second_secret"] if obj.previous_until else []), "made")

    def has_delete_permission(self, request: HttpRequest, obj: WebhookEndpoint | None = None) -> bool:
        """Deny: disabled endpoints stay, to show what was sent where."""
        return False

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one button only, since the page with the secret follows."""
        one_button = {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().add_view(request, form_url, {**(extra_context or {}), **one_button})

    def save_model(self, request: HttpRequest, obj: WebhookEndpoint, form: Any, change: bool) -> None:
        """Create a secret for a new endpoint; of an existing one save only the form's fields: others may be newer."""
        if change:
            obj.save(update_fields=list(EndpointForm.Meta.fields))
        else:
            request.made_secret = endpoints.new_secret(obj)  # type: ignore[attr-defined]  # kept on this request for its answer
            obj.save()

    def response_add(
        self, request: HttpRequest, obj: WebhookEndpoint, _post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show the secret once."""
        return self._show_secret(request, obj, request.made_secret)  # type: ignore[attr-defined]  # kept on this request for its answer

    @admin.action(description=_lazy("Send a test message to the selected endpoints"), permissions=["change"])
    def send_test(self, request: HttpRequest, chosen: QuerySet[WebhookEndpoint]) -> None:
        """Send a test message through the outbox; the deliveries show its result."""
        for endpoint in chosen:
            try:
                row = outbox.enqueue_test(endpoint, clock.now())
            except Invalid as error:
                messages.error(request, translated(error.detail))
                continue
            text = _(
                "%(endpoint)s: %(message)s goes out within seconds; look at the webhook deliveries for the answer."
            )
            messages.success(request, text % {"endpoint": endpoint, "message": row.message_id})

    @admin.action(description=_lazy("Rotate the secret of the selected endpoint"), permissions=["change"])
    def rotate(self, request: HttpRequest, chosen: QuerySet[WebhookEndpoint]) -> HttpResponseBase | None:
        """Rotate the secret of one endpoint after a confirmation, and show it once."""
        rows = list(chosen)
        if len(rows) != 1:
            messages.error(request, _("Choose one endpoint: its new secret is shown once, on a page of its own."))
            return None
        if "confirmed" not in request.POST:
            context = {
                **self.admin_site.each_context(request),
                "title": _("Rotate the secret"),
                "question": _(
                    "It gets a new secret. For 24 hours messages are signed with both, then with the new one."
                ),
                "rows": rows,
                "chosen": rows,
                "action": "rotate",
                "confirm": _("Yes, rotate"),
                "opts": self.opts,
            }
            return TemplateResponse(request, "admin/leaderboards/confirm.html", context)
        secret = endpoints.rotate(rows[0], clock.now())
        self.log_change(request, rows[0], "Rotated.")
        return self._show_secret(request, rows[0], secret)

    @admin.action(description=_lazy("Disable the selected endpoints"), permissions=["change"])
    def disable(self, request: HttpRequest, chosen: QuerySet[WebhookEndpoint]) -> None:
        """Disable endpoints; their messages go on waiting."""
        reason = f"By {request.user}."[:200]
        live = list(chosen.filter(disabled_at=None))
        for endpoint in live:
            endpoints.disable(endpoint, reason, clock.now())
        self._report(request, live, "Disabled.")

    @admin.action(description=_lazy("Enable the selected endpoints"), permissions=["change"])
    def enable(self, request: HttpRequest, chosen: QuerySet[WebhookEndpoint]) -> None:
        """Enable endpoints; their waiting messages are sent."""
        disabled = list(chosen.exclude(disabled_at=None))
        for endpoint in disabled:
            endpoints.enable(endpoint)
        self._report(request, disabled, "Enabled.")

    def _report(self, request: HttpRequest, changed: list[WebhookEndpoint], log_note: str) -> None:
        for endpoint in changed:
            self.log_change(request, endpoint, log_note)
        if changed:
            messages.success(request, _("Changed: %(names)s.") % {"names": ", ".join(map(str, changed))})
        else:
            messages.warning(request, _("All of the selected are so already."))

    def _show_secret(self, request: HttpRequest, endpoint: WebhookEndpoint, secret: str) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": _("Signing secret"),
            "endpoint": endpoint,
            "secret": secret,
            "name": endpoint.name,
            "opts": self.opts,
        }
        return _secret_page(request, context)


@never_cache
def _secret_page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    return TemplateResponse(request, "admin/leaderboards/webhookendpoint/secret.html", context)
