"""The admin of webhook deliveries, dead ones first: what was sent and answered, with actions to replay and drop."""

import json
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock
from foundation.models import WebhookDelivery
from foundation.webhooks import outbox
from foundation.webhooks.kinds import kind_in_words
from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.wording.descriptions import exactly_in_utc

STATES = {
    "dead_at": _lazy("dead"),
    "next_try_at": _lazy("waits"),
    "delivered_at": _lazy("delivered"),
    "dropped_at": _lazy("dropped"),
}


class StateFilter(admin.SimpleListFilter):
    """Filter by state, which is the timestamp that is set."""

    title = _lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer every state, dead first."""
        return list(STATES.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[WebhookDelivery]) -> QuerySet[WebhookDelivery]:
        """Filter by the chosen state."""
        state = self.value()
        return queryset.filter(**{f"{state}__isnull": False}) if state in STATES else queryset


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(ReadOnlyAdmin[WebhookDelivery]):
    """Deliveries: one message to one endpoint each."""

    list_display = ("what", "endpoint", "state", "tries", "answer", "made", "next_try", "message_id")
    list_display_links = ("what", "message_id")
    list_filter = (StateFilter, "endpoint")
    list_select_related = ("endpoint",)
    search_fields = ("message_id__exact",)
    search_help_text = _lazy("A message's whole id.")
    ordering = (F("dead_at").asc(nulls_last=True), "-pk")
    actions = ("replay", "drop")
    fields = (
        *("what", "message_id", "endpoint", "state", "made", "tries", "answer"),
        *("last_try", "next_try", "shown_answer", "shown_body"),
    )

    def get_fields(self, request: HttpRequest, obj: WebhookDelivery | None = None) -> Any:
        """Leave out what the message does not have."""
        lacks = {"next_try": obj and obj.next_try_at is None, "last_try": obj and obj.last_try_at is None}
        lacks |= {"shown_answer": obj and not obj.last_answer}
        return [name for name in self.fields if not lacks.get(name)]

    @admin.display(description=_lazy("event"), ordering="kind")
    def what(self, delivery: WebhookDelivery) -> str:
        """Return what it tells."""
        return kind_in_words(delivery.kind)

    @admin.display(description=_lazy("last answer"), ordering="last_status")
    def answer(self, delivery: WebhookDelivery) -> str:
        """Return the status of the last answer."""
        if delivery.last_status is not None:
            return str(delivery.last_status)
        return _("no answer") if delivery.tries else _("not tried yet")

    @admin.display(description=_lazy("created"), ordering="created_at")
    def made(self, delivery: WebhookDelivery) -> str:
        """Return when the event was."""
        return exactly_in_utc(delivery.created_at)

    @admin.display(description=_lazy("last try"), ordering="last_try_at")
    def last_try(self, delivery: WebhookDelivery) -> str:
        """Return when it was sent last."""
        return exactly_in_utc(delivery.last_try_at)

    @admin.display(description=_lazy("next try"), ordering="next_try_at")
    def next_try(self, delivery: WebhookDelivery) -> str:
        """Return when it is sent, or sent again."""
        return exactly_in_utc(delivery.next_try_at) if delivery.next_try_at else _("none")

    @admin.display(description=_lazy("state"))
    def state(self, delivery: WebhookDelivery) -> str:
        """Return the state."""
        field, name = next((field, name) for field, name in STATES.items() if getattr(delivery, field) is not None)
        return str(name) if field == "next_try_at" else f"{name} ({exactly_in_utc(getattr(delivery, field))})"

    @admin.display(description=_lazy("body"))
    def shown_body(self, delivery: WebhookDelivery) -> SafeString:
        """Return the body as indented JSON; it is sent without that whitespace."""
        return format_html("<pre>{}</pre>", json.dumps(json.loads(delivery.body), indent=2, ensure_ascii=False))

    @admin.display(description=_lazy("body of the answer"))
    def shown_answer(self, delivery: WebhookDelivery) -> SafeString:
        """Return the last response, or why there was none."""
        return format_html("<pre>{}</pre>", delivery.last_answer)

    @admin.action(description=_lazy("Send the selected messages again"), permissions=["act"])
    def replay(self, request: HttpRequest, chosen: QuerySet[WebhookDelivery]) -> None:
        """Send messages again with the same id and body, by which receivers recognise a repetition."""
        finished = list(chosen.filter(next_try_at=None).select_related("endpoint"))
        if not finished:
            messages.warning(request, _("All of the selected wait already: they are sent by themselves."))
            return
        count = outbox.replay(_query(finished), clock.now())
        _log(request, finished, "Replayed.")
        messages.success(request, _("To be sent again: %(count)d.") % {"count": count})
        for name in sorted({row.endpoint.name for row in finished if row.endpoint.disabled_at}):
            messages.warning(
                request, _("%(name)s is disabled: its messages wait until it is enabled.") % {"name": name}
            )

    @admin.action(description=_lazy("Drop the selected messages"), permissions=["act"])
    def drop(self, request: HttpRequest, chosen: QuerySet[WebhookDelivery]) -> None:
        """Stop all tries of messages; they can still be replayed by hand."""
        undelivered = list(chosen.filter(delivered_at=None, dropped_at=None))
        if not undelivered:
            messages.warning(request, _("All of the selected were delivered or dropped already."))
            return
        count = outbox.drop(_query(undelivered), clock.now())
        _log(request, undelivered, "Dropped.")
        messages.success(request, _("Dropped: %(count)d.") % {"count": count})

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Allow users with the permission to change deliveries."""
        return request.user.has_perm("foundation.change_webhookdelivery")


def _query(rows: list[WebhookDelivery]) -> QuerySet[WebhookDelivery]:
    """Query exactly these rows, so that the same rows are changed and logged."""
    return WebhookDelivery.objects.filter(pk__in=[row.pk for row in rows])


def _log(request: HttpRequest, rows: list[WebhookDelivery], message: str) -> None:
    LogEntry.objects.log_actions(request.user.pk, rows, CHANGE, message)  # type: ignore[arg-type]  # it iterates over the rows and needs no queryset
