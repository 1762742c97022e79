"""The admin of service keys: create one, shown once, rotate its signing secret, and revoke it.

A new key is shown on a page of its own, never in a message: messages are stored, and keys must not be.
"""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.views.decorators.cache import never_cache

from accounts.reauth import ReauthAdmin
from foundation import clock
from foundation.models import ServiceKey
from foundation.security import key_restrictions, service_keys
from leaderboards.admin.base.lookups import DeclaredLookupsAdmin
from leaderboards.admin.base.permissions import may_see
from leaderboards.admin.integrations.key_form import NewKeyForm
from leaderboards.admin.integrations.key_page import board_names, key_head, state_of
from leaderboards.admin.integrations.ready_curl import curl_of
from leaderboards.admin.integrations.scope_words import scopes_in_words
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.models import Board

MOST_WAYS = 3  # to boards, from the page of a new key


class KeyStateFilter(admin.SimpleListFilter):
    """Filter by whether keys work."""

    title = _lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer the three states."""
        return [("live", _lazy("live")), ("expired", _lazy("expired")), ("revoked", _lazy("revoked"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ServiceKey]) -> QuerySet[ServiceKey]:
        """Filter by the chosen state."""
        at = clock.now()
        wanted = {
            "live": Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=at)),
            "expired": Q(revoked_at=None, expires_at__lte=at),
            "revoked": Q(revoked_at__isnull=False),
        }.get(self.value() or "")
        return queryset if wanted is None else queryset.filter(wanted)


@admin.register(ServiceKey)
class ServiceKeyAdmin(ReauthAdmin[ServiceKey], DeclaredLookupsAdmin[ServiceKey]):
    """Service keys. The permissions of a key never change: create a second one and revoke the first."""

    audited_as = None
    reauth_forms = ("add",)
    reauth_actions = ("rotate", "revoke")

    list_display = ("name", "begins_with", "may", "where", "state", "last_used", "expires", "made")
    list_filter = (KeyStateFilter,)
    search_fields = ("name", "prefix__exact")
    search_help_text = _lazy("A name, or the eight characters that a key begins with after sunwi_.")
    actions = ("rotate", "revoke")
    list_per_page = 50
    fields = ("name", "scopes", "boards", "expires_at", "limit", "signed", "addresses")
    change_form_template = "admin/leaderboards/servicekey/change_form.html"

    class Media:
        css = {"all": ["css/admin-confirm.css", "css/admin-home.css"]}

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Attach to each row the names of its boards: one question for all rows."""
        changelist = super().get_changelist_instance(request)
        rows: list[Any] = list(changelist.result_list)
        names = board_names(rows)
        for row in rows:
            row.board_names = [names.get(number, str(number)) for number in row.boards or ()]
        changelist.result_list = rows
        return changelist

    @admin.display(description=_lazy("begins with"), ordering="prefix")
    def begins_with(self, key: ServiceKey) -> str:
        """Return how the key begins, by which its holder knows it."""
        return f"sunwi_{key.prefix}_…"

    @admin.display(description=_lazy("may"))
    def may(self, key: ServiceKey) -> str:
        """Return the scopes in words."""
        return scopes_in_words(key)

    @admin.display(description=_lazy("boards"))
    def where(self, key: ServiceKey) -> str:
        """Return the names of the boards."""
        return _("all") if key.boards is None else ", ".join(getattr(key, "board_names", ()))

    @admin.display(description=_lazy("state"))
    def state(self, key: ServiceKey) -> str:
        """Return whether it is live, revoked or expired."""
        return state_of(key, clock.now())[0]

    @admin.display(description=_lazy("last used"), ordering="last_used_at")
    def last_used(self, key: ServiceKey) -> str:
        """Return when it was used last, to the minute."""
        return in_utc(key.last_used_at) if key.last_used_at else _("never yet")

    @admin.display(description=_lazy("expires"), ordering="expires_at")
    def expires(self, key: ServiceKey) -> str:
        """Return when it expires by itself."""
        return in_utc(key.expires_at) if key.expires_at else _("never")

    @admin.display(description=_lazy("created"), ordering="created_at")
    def made(self, key: ServiceKey) -> str:
        """Return when it was made."""
        return in_utc(key.created_at)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show one button only, since the page with the key follows."""
        one_button = {"show_save_and_add_another": False, "show_save_and_continue": False}
        return super().add_view(request, form_url, {**(extra_context or {}), **one_button})

    def get_form(self, request: HttpRequest, obj: ServiceKey | None = None, change: bool = False, **kwargs: Any) -> Any:
        """Return the form of a new key; an existing key is read-only."""
        return super().get_form(request, obj, change, **kwargs) if obj else NewKeyForm

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Return what other pages filled in; several scopes and boards are separated by commas."""
        typed = super().get_changeform_initial_data(request)
        return typed | {name: str(typed[name]).split(",") for name in ("scopes", "boards") if typed.get(name)}

    def get_fields(self, request: HttpRequest, obj: ServiceKey | None = None) -> Any:
        """Show the fields of a new key; the head of the page has all that is known of an existing one."""
        return self.fields if obj is None else ()

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Add what is known of an existing key, never its secret."""
        key: ServiceKey | None = kwargs.get("obj")
        if key is not None:
            may_act = request.user.has_perm("foundation.change_servicekey") and key.revoked_at is None
            may_add = request.user.has_perm("foundation.add_servicekey")
            head = key_head(request, key, clock.now())
            context |= {
                "head": head,
                "subtitle": key.name,
                "row_name": key.name,
                "may_act": may_act,
                "may_add": may_add,
            }
        return super().render_change_form(request, context, *args, **kwargs)

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
        ways = {"boards": Board.objects.filter(pk__in=key.boards or ())[:MOST_WAYS] if may_see(request, Board) else ()}
        context = self.admin_site.each_context(request) | {"name": key.name, "opts": self.opts} | ways | secrets
        return _uncached_page(request, context)


@never_cache
def _uncached_page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    return TemplateResponse(request, "admin/leaderboards/servicekey/made.html", context)
