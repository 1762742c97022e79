"""Periods in the admin: looked at only. Opening, settling and closing are the schedule's."""

from datetime import datetime

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.wording.descriptions import on_the_boards_clock
from leaderboards.models import Period
from leaderboards.selectors.monitoring.resync_progress import count_pending_publish, count_ranked
from leaderboards.selectors.rankings.store_routing import read_from_store


@admin.register(Period)
class PeriodAdmin(ReadOnlyAdmin[Period]):
    """One window of a board, with the rules it opened with and where its settling stands."""

    list_display = (
        "label",
        "board",
        "begins",
        "ends",
        "state",
        "player_count",
        "generation",
        "stale_from",
        "settling",
    )
    list_filter = ("state", ("board", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("board",)
    search_fields = ("label__startswith", "board__name__icontains")
    ordering = ("-starts_at", "board")
    list_per_page = 30
    fields = (
        *(
            "board",
            "label",
            "begins",
            "ends",
            "state",
            "player_count",
            "shown_standings",
            "layout_in_words",
            "rules_json",
        ),
        *("generation", "stale_from", "settling", "created_at", "closed_at", "content_hash"),
    )

    class Media:
        css = {"all": ["css/admin-lists.css"]}  # noqa: RUF012 - Django's own way to say it

    @admin.display(description=_lazy("begins"), ordering="starts_at")
    def begins(self, period: Period) -> str:
        """On the board's own clock."""
        return on_the_boards_clock(period.starts_at, period.board, year=True) if period.starts_at else "-"

    @admin.display(description=_lazy("ends"), ordering="ends_at")
    def ends(self, period: Period) -> str:
        """On the board's own clock."""
        return on_the_boards_clock(period.ends_at, period.board, year=True) if period.ends_at else "-"

    @admin.display(description=_lazy("players"))
    def player_count(self, period: Period) -> str:
        """From Redis where it shows the period, else counted in SQL."""
        total, _live = read_from_store(period, lambda store, asked: store.read(asked, []).total)
        return f"{total:,}"

    @admin.display(description=_lazy("stale since"), ordering="stale_since")
    def stale_from(self, period: Period) -> datetime | None:
        """Since when Redis lacks something of it."""
        return period.stale_since

    @admin.display(description=_lazy("settling"))
    def settling(self, period: Period) -> str:
        """What Redis still lacks."""
        if period.stale_since is None:
            return _("settled")
        if period.needs_full_rebuild:
            return _("rebuilding: %(put)s of %(all)s") % {
                "put": f"{period.rebuild_progress:,}",
                "all": f"{count_ranked(period):,}",
            }
        if missing := count_pending_publish(period):
            return _("%(missing)s standings are missing in Redis") % {"missing": f"{missing:,}"}
        return _("waits for settling")

    @admin.display(description=_lazy("layout"))
    def layout_in_words(self, period: Period) -> str:
        """How its scores are packed."""
        return period.layout.describe()

    @admin.display(description=_lazy("standings"))
    def shown_standings(self, period: Period) -> SafeString:
        """A way to its rows."""
        address = reverse("admin:leaderboards_standing_changelist")
        return format_html('<a href="{}?period__id__exact={}">{}</a>', address, period.pk, _("List them"))
