"""Comments in the admin: search them, hide them with a reason, and show them again; they are never edited."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import pgettext_lazy

from competitions.admin.actions.with_reason import ReasonRequest, WithReason
from competitions.models import Comment, CommentReport
from competitions.selectors.comments import open_reports
from competitions.services.comments import moderate, reports
from foundation import clock
from leaderboards.admin.base.filters import DoneFilter
from leaderboards.admin.base.permissions import may_see
from leaderboards.admin.boards.waiting import MOST, Waiting
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.models import Board

BEGINNING = 80
MOST_REPORTS = 20
ON_BOARD = "competition__board__seq__exact"


class ReportsFilter(admin.SimpleListFilter):
    """Filters comments by their reports."""

    title = _lazy("reports")
    parameter_name = "reports"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        """Return the choices."""
        return [
            ("open", pgettext_lazy("reports of a comment", "open")),
            ("any", pgettext_lazy("reports of a comment", "any")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Comment]) -> QuerySet[Comment]:
        """Filter by the chosen state."""
        rows = {"open": open_reports(), "any": CommentReport.objects.all()}.get(self.value() or "")
        return queryset if rows is None else queryset.filter(pk__in=rows.order_by().values("comment"))


@admin.register(Comment)
class CommentAdmin(WithReason[Comment]):
    """All comments, including hidden ones."""

    list_display = ("beginning", "player", "competition", "reported", "like_count", "created_at", "hidden_at")
    list_filter = (
        ReportsFilter,
        ("competition", admin.RelatedOnlyFieldListFilter),
        ("hidden_at", DoneFilter),
        ("deleted_at", DoneFilter),
    )
    list_select_related = ("player", "competition")
    search_fields = ("player__external_id__exact", "text__icontains")
    search_help_text = _lazy("A player's whole id or the beginning of a name, or words of a comment.")
    extra_lookups = (ON_BOARD,)
    ordering = ("-pk",)
    actions = ("hide", "show", "dismiss")
    fields = (
        *("competition", "player", "text", "like_count", "created_at", "edited_at", "deleted_at"),
        *("hidden_at", "hidden_by", "hidden_reason", "reports_in_words"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Comment]:
        """Without the competitions' pictures, with the number of open reports."""
        counted = Count("reports", filter=Q(reports__settled_at=None))
        return super().get_queryset(request).defer("competition__picture").annotate(open_reports=counted)

    def row_name(self, row: Comment) -> str:
        """The player with the first words."""
        return _name(row)

    def entry_acts(self, request: HttpRequest, row: Comment) -> Sequence[tuple[str, str]]:
        """Return hiding, or showing again, and dismissing of open reports."""
        if not self.has_act_permission(request):
            return ()
        seen = ("hide", _("Hide…")) if row.hidden_at is None else ("show", _("Show again"))
        return [seen, ("dismiss", _("Dismiss the reports"))] if row.open_reports else [seen]  # type: ignore[attr-defined]  # `get_queryset` annotates it

    def view_on_site(self, comment: Comment) -> str | None:
        """Return the URL of the comment; None if its author has deleted it."""
        return None if comment.deleted_at else reverse("comment", args=[comment.competition_id, comment.pk])

    @admin.display(description=_lazy("comment"))
    def beginning(self, comment: Comment) -> str:
        """Show its first words; a dash if its author has deleted it."""
        return Truncator(" ".join(comment.text.split())).chars(BEGINNING) or "–"

    @admin.display(description=_lazy("open reports"), ordering="open_reports")
    def reported(self, comment: Comment) -> str:
        """Show how many reports are open."""
        return str(comment.open_reports or "–")  # type: ignore[attr-defined]  # `get_queryset` annotates it

    @admin.display(description=_lazy("reports"))
    def reports_in_words(self, comment: Comment) -> str:
        """List the latest reports: when, by whom, why, and what became of them."""
        rows = comment.reports.select_related("player").order_by("-pk")[:MOST_REPORTS]
        lines = (
            (in_utc(each.created_at), each.player, each.reason, each.get_outcome_display() or _("open"))
            for each in rows
        )
        return format_html_join("", "<div>{} · {} · {} · {}</div>", lines) or "–"

    @admin.action(description=_lazy("Dismiss the reports of the selected comments"), permissions=["act"])
    def dismiss(self, request: HttpRequest, comments: QuerySet[Comment]) -> None:
        """Settle their open reports; the comments stay."""
        reported = [each for each in comments if each.open_reports]  # type: ignore[attr-defined]  # `get_queryset` annotates it
        if not reported:
            messages.error(request, _("None of the selected has an open report: there is nothing to dismiss."))
            return
        self.each(request, ReasonRequest("dismiss", "", "", _dismiss, _name), reported)

    @admin.action(description=_lazy("Hide the selected comments"), permissions=["act"])
    def hide(self, request: HttpRequest, comments: QuerySet[Comment]) -> HttpResponseBase | None:
        """Hide comments from all but their authors and moderators."""
        question = _("Their authors still see them, with the reason. Nobody else does.")
        return self.ask(request, ReasonRequest("hide", _("Hide comments"), question, _hide, _name), list(comments))

    @admin.action(description=_lazy("Show the selected comments again"), permissions=["act"])
    def show(self, request: HttpRequest, comments: QuerySet[Comment]) -> None:
        """Show hidden comments again."""
        self.each(request, ReasonRequest("show", "", "", _show, _name), list(comments))

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whether the user may change comments."""
        return request.user.has_perm("competitions.change_comment")


def _name(comment: Comment) -> str:
    return f"{comment.player}: {Truncator(comment.text).chars(BEGINNING)}"


def _hide(comment: Comment, reason: str, by: AbstractBaseUser) -> Comment:
    return moderate.hide(comment.pk, reason, clock.now(), by)


def _show(comment: Comment, _reason: str, by: AbstractBaseUser) -> Comment:
    return moderate.show(comment.pk, clock.now(), by)


def _dismiss(comment: Comment, _reason: str, by: AbstractBaseUser) -> int:
    return reports.dismiss(comment.pk, clock.now(), by)


def reported_on(request: HttpRequest, board: Board) -> Waiting | None:
    """Count the comments with open reports in a board's competitions; None for other boards and readers."""
    if not board.is_event or not may_see(request, Comment):
        return None
    reported = open_reports().filter(comment__competition__board=board).order_by().values("comment").distinct()
    address = f"{reverse('admin:competitions_comment_changelist')}?reports=open&{ON_BOARD}={board.pk}"
    return Waiting(_("Reported comments"), reported[:MOST].count(), address)
