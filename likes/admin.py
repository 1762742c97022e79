"""The activity page of the admin: visitors and participants by day, page hits, and today's most liked objects.

It is a single read-only page in the place of the model's list.
"""

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _

from foundation import clock
from leaderboards.admin.base.paging import ReadOnlyAdmin
from likes.core.activity import day_of
from likes.models import ActivityDay
from likes.registry import all_kinds
from likes.selectors.activity import DayCounts, by_day, hits, totals
from likes.selectors.most_liked import most_liked

MOST_LIKED_SHOWN = 10
BAR_WIDTH, BAR_GAP, CHART_HEIGHT = 16, 4, 160


@dataclass(frozen=True, slots=True)
class Bar:
    """A day in the chart, in SVG units. ``players_height`` is the part of the visitors who are players."""

    counts: DayCounts
    x: int
    y: int
    height: int
    players_y: int
    players_height: int


@admin.register(ActivityDay)
class ActivityAdmin(ReadOnlyAdmin[ActivityDay]):
    """Show all days on one page."""

    def get_urls(self) -> list[URLPattern]:
        """Return the URL of the page only, under the name that the admin's index links to."""
        page = self.admin_site.admin_view(self.changelist_view)
        return [path("", page, name="likes_activityday_changelist")]

    def changelist_view(
        self,
        request: HttpRequest,
        extra_context: dict[str, Any] | None = None,  # noqa: ARG002 - the signature is Django's
    ) -> HttpResponse:
        """Show the counts, which are up to two minutes old."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        at = clock.now()
        days = by_day(at)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Activity"),
            "opts": self.opts,
            "days": days[::-1],
            "today": days[-1],
            "bars": bars(days),
            "highest": max(day.visitors for day in days),
            "width": len(days) * (BAR_WIDTH + BAR_GAP),
            "height": CHART_HEIGHT,
            "bar_width": BAR_WIDTH,
            "totals": totals(at),
            "pages": hits(at),
            "liked": [(kind.kind, most_liked(kind.kind, day_of(at), MOST_LIKED_SHOWN)) for kind in all_kinds()],
        }
        return TemplateResponse(request, "admin/likes/activity.html", context)


def bars(days: list[DayCounts]) -> list[Bar]:
    """Return a bar for each day; the highest fills the chart. Values above 0 stay visible."""
    highest = max((max(day.visitors, day.players) for day in days), default=0) or 1
    return [_bar(nth, day, highest) for nth, day in enumerate(days)]


def _bar(nth: int, day: DayCounts, highest: int) -> Bar:
    height, players = (_height(count, highest) for count in (day.visitors, day.players))
    return Bar(day, nth * (BAR_WIDTH + BAR_GAP), CHART_HEIGHT - height, height, CHART_HEIGHT - players, players)


def _height(count: int, highest: int) -> int:
    return max(1, round(count * CHART_HEIGHT / highest)) if count else 0
