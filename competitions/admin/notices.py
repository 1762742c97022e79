"""Notices and e-mails in the admin, read-only; e-mails that were given up can be sent again."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from competitions.models import Mail, Notice
from competitions.services.notices.mail import retry
from foundation import clock
from leaderboards.admin.base.filters import DoneFilter
from leaderboards.admin.base.paging import ReadOnlyAdmin


@admin.register(Notice)
class NoticeAdmin(ReadOnlyAdmin[Notice]):
    """Notices: delivered, deferred, merged or dropped."""

    list_display = ("kind", "player", "competition", "rank", "previous_rank", "created_at", "state")
    list_filter = ("kind", ("competition", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("player", "competition")
    search_fields = ("player__external_id__exact",)
    search_help_text = _lazy("A player's whole id, or the beginning of a name.")
    ordering = ("-pk",)
    fields = (
        *("kind", "player", "competition", "snapshot", "change", "revision", "grant"),
        *("rank", "previous_rank", "details"),
        *("created_at", "held_until", "merged_into", "dropped_at", "read_at"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Notice]:
        """Without the competitions' pictures."""
        return super().get_queryset(request).defer("competition__picture")

    @admin.display(description=_lazy("state"))
    def state(self, notice: Notice) -> str:
        """Show its state."""
        if notice.dropped_at:
            return _("dropped")
        if notice.merged_into_id:
            return _("merged")
        if notice.held_until:
            return _("held")
        return _("read") if notice.read_at else _("in the inbox")


@admin.register(Mail)
class MailAdmin(ReadOnlyAdmin[Mail]):
    """E-mails: sent, waiting, or given up with an error."""

    list_display = ("to", "notice", "tries", "created_at", "next_try_at", "sent_at", "dead_at", "error")
    list_filter = (("dead_at", DoneFilter), ("sent_at", DoneFilter))
    list_select_related = ("notice",)
    search_fields = ("to__exact",)
    search_help_text = _lazy("A whole address.")
    ordering = ("-pk",)
    actions = ("retry",)
    fields = ("notice", "to", "created_at", "next_try_at", "tries", "error", "sent_at", "dead_at")

    @admin.action(description=_lazy("Try those again that were given up"), permissions=["act"])
    def retry(self, request: HttpRequest, mails: QuerySet[Mail]) -> None:
        """Queue them again as if they were new, with the same message id."""
        number = retry(Mail.objects.filter(pk__in=mails.values("pk")), clock.now())
        messages.success(request, _("Tried again: %(number)s.") % {"number": number})

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whether the user may change e-mails, which are not edited."""
        return request.user.has_perm("competitions.change_mail")
