"""The admin of periods, read-only: the worker opens, resyncs and closes them; ``period_pages.py`` has acts by hand."""

from datetime import datetime

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation.translate import translated
from leaderboards.admin.boards.period_pages import PeriodPages
from leaderboards.admin.wording.descriptions import on_the_boards_clock, rules_in_words
from leaderboards.models import Period
from leaderboards.selectors.monitoring.resync_progress import count_pending_publish, count_ranked
from leaderboards.selectors.rankings.store_routing import read_from_store


@admin.register(Period)
class PeriodAdmin(PeriodPages):
    """Periods of boards, with the rules that they opened with and the progress of their resync."""

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
            "rules_as_text",
        ),
        *("generation", "stale_from", "settling", "created_at", "closed_at", "content_hash"),
    )

    class Media:
        css = {"all": ["css/admin-lists.css"]}

    @admin.display(description=_lazy("begins"), ordering="starts_at")
    def begins(self, period: Period) -> str:
        """Return the start in the board's time zone."""
        return on_the_boards_clock(period.starts_at, period.board, year=True) if period.starts_at else "-"

    @admin.display(description=_lazy("ends"), ordering="ends_at")
    def ends(self, period: Period) -> str:
        """Return the end in the board's time zone."""
        return on_the_boards_clock(period.ends_at, period.board, year=True) if period.ends_at else "-"

    @admin.display(description=_lazy("players"))
    def player_count(self, period: Period) -> str:
        """Return the number of players, from Redis if it has the period, else from SQL."""
        total, _live = read_from_store(period, lambda store, current: store.read(current, []).total)
        return f"{total:,}"

    @admin.display(description=_lazy("stale since"), ordering="stale_since")
    def stale_from(self, period: Period) -> datetime | None:
        """Return since when Redis lacks something of the period."""
        return period.stale_since

    @admin.display(description=_lazy("state in Redis"))
    def settling(self, period: Period) -> str:
        """Return the progress of the resync."""
        if period.stale_since is None:
            return _("up to date")
        if period.needs_full_rebuild:
            return _("rebuilding: %(put)s of %(all)s") % {
                "put": f"{period.rebuild_progress:,}",
                "all": f"{count_ranked(period):,}",
            }
        if missing := count_pending_publish(period):
            return _("%(missing)s standings are missing in Redis") % {"missing": f"{missing:,}"}
        return _("waits to be brought up to date")

    @admin.display(description=_lazy("layout"))
    def layout_in_words(self, period: Period) -> str:
        """Describe how scores are packed."""
        return translated(period.layout.describe())

    @admin.display(description=_lazy("rules"))
    def rules_as_text(self, period: Period) -> str:
        """Describe the rules that it opened with."""
        return rules_in_words(period.board, period.rules)

    @admin.display(description=_lazy("standings"))
    def shown_standings(self, period: Period) -> SafeString:
        """Return a link to the period's standings."""
        url = reverse("admin:leaderboards_standing_changelist")
        return format_html('<a href="{}?period__id__exact={}">{}</a>', url, period.pk, _("List them"))
