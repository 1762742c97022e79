"""Django's admin site with the console: the rail, the banner, the home page and the health page.

URLs and permissions are Django's. The trap: apps register with this site while they are imported, so modules that
import apps are imported inside the views.
"""

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from config.console import rail, words
from config.console.status import Status, current_status
from config.console.troubles import is_redis_down
from foundation import clock
from foundation.http.own_transactions import own_transactions

HOME_EVERY_SECONDS = 5
HOME_AT_MOST_SECONDS = 1.0  # its banner and tiles stand beside numbers of this moment, so they are no older than that


class ConsoleSite(AdminSite):
    """The admin of this site."""

    site_header = site_title = "Sunwi"
    enable_nav_sidebar = False  # the rail replaces it and needs no scripts

    def get_urls(self) -> list[Any]:
        """Add the pages of the console before Django's."""
        health, search = self.admin_view(self.health), self.admin_view(self.search)
        own = [path("health/", health, name="health"), path("search/", search, name="search")]
        own_transactions(own)
        return [*own, *super().get_urls()]

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Group models by task; with ``app_label``, return Django's own list."""
        if app_label:
            return super().get_app_list(request, app_label)
        apps = self._build_app_dict(request).values()
        models = {each["model"]._meta.label_lower: each for app in apps for each in app["models"]}
        return rail.grouped(models, reverse("admin:index", current_app=self.name))

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Add the rail with its counts, and the troubles for the banner, to every page."""
        context = super().each_context(request)
        if not context["has_permission"]:
            return context
        return context | self._console(request, current_status(), context["available_apps"])

    @staticmethod
    def _console(request: HttpRequest, status: Status, groups: list[Any]) -> dict[str, Any]:
        counts: dict[str, int] = {}
        for need in status.needs:
            if words.may_view(request, need.model):
                counts[need.model] = counts.get(need.model, 0) + need.count
        for group in groups:
            for model in group["models"]:
                model["badge"] = counts.get(model["model"]._meta.label_lower, 0)
                model["is_here"] = bool(model["admin_url"]) and request.path.startswith(model["admin_url"])
            group["more_open"] = any(model["is_here"] or model["badge"] for model in group["more"])
        names_boards = words.may_view(request, "leaderboards.board")
        is_down = is_redis_down(status.troubles)
        troubles = [
            words.describe_trouble(each, names_boards=names_boards, is_redis_down=is_down) for each in status.troubles
        ]
        return {
            "rail": groups,
            "troubles": troubles,
            "looked_at": status.at,
            "more_word": rail.MORE,
        }

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show the state of the servers, waiting work, coming events and recent actions.

        The page asks for its parts alone with ``fragment``, every few seconds (``js/admin-live.js``).
        """
        from config.console.home import home_context

        status = current_status(at_most=HOME_AT_MOST_SECONDS)
        context = {
            **self.each_context(request),
            "title": _("Now"),
            "subtitle": None,
            **home_context(request, status, clock.now()),
            "every": HOME_EVERY_SECONDS,
            **(extra_context or {}),
        }
        request.current_app = self.name
        template = "home_fragment" if request.GET.get("fragment") else "home"
        return TemplateResponse(request, f"admin/console/{template}.html", context)

    def health(self, request: HttpRequest) -> HttpResponse:
        """Show the troubles with what to do, and the doctor's checks, failed ones first."""
        from config.console.health import health_context

        context = {
            **self.each_context(request),
            "title": _("Health"),
            **health_context(request, clock.now()),
        }
        request.current_app = self.name
        return never_cache(TemplateResponse)(request, "admin/console/health.html", context)

    def search(self, request: HttpRequest) -> HttpResponse:
        """Show the hits; a single hit is opened at once."""
        from config.console.search import LONGEST, find

        typed = request.GET.get("q", "").strip()[:LONGEST]
        hits = find(self, request, typed) if typed else []
        rows = [row for part in hits for row in part.rows]
        if len(rows) == 1 and not any(part.failed for part in hits):
            return redirect(rows[0][1])
        context = {**self.each_context(request), "title": _("Search"), "typed": typed, "found": hits}
        request.current_app = self.name
        return TemplateResponse(request, "admin/console/search.html", context)
