"""The admin of periods, read-only: the worker opens, resyncs and closes them; ``period_pages.py`` has acts by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock
from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import Unavailable
from foundation.translate import translated
from leaderboards import formats
from leaderboards.admin.boards.period_pages import PeriodPages
from leaderboards.admin.wording.descriptions import in_utc, on_the_boards_clock
from leaderboards.admin.wording.periods import periods_in_words
from leaderboards.models import IN_REDIS, OVER_STATES, Period, PeriodState
from leaderboards.selectors.monitoring.resync_progress import count_pending_publish, count_ranked
from leaderboards.selectors.rankings.store_routing import totals


@admin.register(Period)
class PeriodAdmin(PeriodPages):
    """Periods of boards, with the rules that they opened with and the progress of their resync."""

    list_display = ("named", "board", "begins", "ends", "state_now", "player_count", "settling")
    list_filter = ("state", ("board", admin.RelatedOnlyFieldListFilter), "board__period")
    list_select_related = ("board",)
    search_fields = ("label__startswith", "board__name__icontains")
    search_help_text = _lazy("Part of a board's name, or how a period's name in the API begins, such as 2026-11.")
    ordering = ("-starts_at", "board")
    list_per_page = 30

    class Media:
        css = {"all": ["css/hues.css", "css/admin-home.css", "css/admin-lists.css"]}

    def get_fieldsets(self, request: HttpRequest, obj: Period | None = None) -> Any:
        """Show what only those who look into a store need; all else is in the head of the page."""
        in_redis = ("redis_key", "generation_text") if obj is not None and obj.board.storage in IN_REDIS else ()
        fields = ("label_text", *in_redis, "layout_in_words", "made")
        return ((_("How it is stored"), {"fields": fields, "classes": ("collapse",)}),)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Attach to each row its name and its players: one question for all rows."""
        changelist = super().get_changelist_instance(request)
        rows: list[Any] = list(changelist.result_list)
        names, players = periods_in_words(rows), _players(rows)
        for row in rows:
            row.shown_name = names[row.pk]
            row.shown_players = formats.number(players[row.pk]) if row.pk in players else "–"
        changelist.result_list = rows
        return changelist

    @admin.display(description=_lazy("period"), ordering="starts_at")
    def named(self, period: Period) -> str:
        """Return its name, as the public pages have it."""
        return str(getattr(period, "shown_name", ""))

    @admin.display(description=_lazy("begins"), ordering="starts_at")
    def begins(self, period: Period) -> str:
        """Return the start in the board's time zone."""
        return on_the_boards_clock(period.starts_at, period.board, year=True) if period.starts_at else "–"

    @admin.display(description=_lazy("ends"), ordering="ends_at")
    def ends(self, period: Period) -> str:
        """Return the end in the board's time zone."""
        return on_the_boards_clock(period.ends_at, period.board, year=True) if period.ends_at else _("never")

    @admin.display(description=_lazy("state"), ordering="state")
    def state_now(self, period: Period) -> str:
        """Return its state; of one that takes no scores yet, that it has not begun."""
        if period.state == PeriodState.OPEN and period.starts_at and period.starts_at > clock.now():
            return _("not begun yet")
        return period.get_state_display()

    @admin.display(description=_lazy("players"))
    def player_count(self, period: Period) -> str:
        """Return the number of players, from Redis if it has the period, else from SQL."""
        return str(getattr(period, "shown_players", ""))

    @admin.display(description=_lazy("state in Redis"), ordering="stale_since")
    def settling(self, period: Period) -> str:
        """Return whether Redis shows it, or the progress of its resync."""
        if period.board.storage not in IN_REDIS or period.state in OVER_STATES:
            return _("not needed")
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

    @admin.display(description=_lazy("name in the API"))
    def label_text(self, period: Period) -> SafeString:
        """Return the label, which programs use."""
        return format_html("<code>{}</code>", period.label)

    @admin.display(description=_lazy("key in Redis"))
    def redis_key(self, period: Period) -> SafeString:
        """Return the name of its sorted set."""
        return format_html("<code>{}</code>", period.family.zset)

    @admin.display(description=_lazy("generation in Redis"))
    def generation_text(self, period: Period) -> str:
        """Return the generation that Redis must have for it to be read there."""
        return str(period.generation)

    @admin.display(description=_lazy("layout"))
    def layout_in_words(self, period: Period) -> str:
        """Describe how scores are packed."""
        return translated(period.layout.describe())

    @admin.display(description=_lazy("row made"))
    def made(self, period: Period) -> str:
        """Return when its row was written."""
        return in_utc(period.created_at)


def _players(periods: Sequence[Period]) -> Mapping[int, int]:
    """Return the players of these periods; nothing while no store can count them."""
    try:
        return totals(periods) if periods else {}
    except (Unavailable, *CONNECTION_ERRORS):
        return {}
