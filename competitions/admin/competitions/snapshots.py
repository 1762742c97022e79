"""Snapshots in the admin: when they were taken, and their first rows."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _lazy

from competitions.models import Snapshot
from leaderboards.admin.base.paging import ReadOnlyAdmin

ROWS_SHOWN = 100


@admin.register(Snapshot)
class SnapshotAdmin(ReadOnlyAdmin[Snapshot]):
    """The standings of a competition at a moment."""

    list_display = ("competition", "due_at", "taken_at", "total", "compared_at")
    list_filter = (("competition", admin.RelatedOnlyFieldListFilter),)
    list_select_related = ("competition",)
    ordering = ("-pk",)
    fields = ("competition", "due_at", "taken_at", "total", "compared_at", "first_rows")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Snapshot]:
        """Without the competitions' pictures."""
        return super().get_queryset(request).defer("competition__picture")

    @admin.display(description=_lazy("first rows"))
    def first_rows(self, snapshot: Snapshot) -> SafeString:
        """Show the ranks and players of the first rows."""
        rows = snapshot.rows.select_related("player").order_by("rank", "pk")[:ROWS_SHOWN]
        return format_html_join("", "{}. {}<br>", ((row.rank, row.player) for row in rows))
