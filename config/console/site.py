"""Django's admin site with the console around it: the rail, the banner, the home page and the page of health.

Addresses and permissions are Django's own: whoever may look at no model of a part is not told of it. The trap: pages
of apps register with this site as they are loaded, so what asks them is imported when it is asked for.
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
from config.console.look import Look, look
from foundation import clock


class ConsoleSite(AdminSite):
    """The admin of this site."""

    enable_nav_sidebar = False  # the rail stands in its place, and needs no scripts

    def get_urls(self) -> list[Any]:
        """The pages of the console before Django's own."""
        health, search = self.admin_view(self.health), self.admin_view(self.search)
        own = [path("health/", health, name="health"), path("search/", search, name="search")]
        return [*own, *super().get_urls()]

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """By task; the page of one app is Django's own."""
        if app_label:
            return super().get_app_list(request, app_label)
        apps = self._build_app_dict(request).values()
        models = {each["model"]._meta.label_lower: each for app in apps for each in app["models"]}
        return rail.grouped(models, reverse("admin:index", current_app=self.name))

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """What every page has: the rail with what waits, and the banner while anything is wrong."""
        context = super().each_context(request)
        if not context["has_permission"]:
            return context
        found = look()
        return context | self._console(request, found, context["available_apps"])

    @staticmethod
    def _console(request: HttpRequest, found: Look, groups: list[Any]) -> dict[str, Any]:
        counts: dict[str, int] = {}
        for need in found.needs:
            if words.may_look(request, need.model):
                counts[need.model] = counts.get(need.model, 0) + need.count
        for group in groups:
            for model in group["models"]:
                model["badge"] = counts.get(model["model"]._meta.label_lower, 0)
                model["is_here"] = bool(model["admin_url"]) and request.path.startswith(model["admin_url"])
            group["more_open"] = any(model["is_here"] or model["badge"] for model in group["more"])
        names_boards = words.may_look(request, "leaderboards.board")
        troubles = [words.told(each, names_boards=names_boards) for each in found.troubles]
        return {
            "rail": groups,
            "troubles": troubles,
            "looked_at": found.at,
            "more_word": rail.MORE,
        }

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Now, what needs somebody, what comes next, and what was done lately."""
        from config.console.home import home_context

        context = {
            **self.each_context(request),
            "title": _("Now"),
            "subtitle": None,
            **home_context(request, look(), clock.now()),
            **(extra_context or {}),
        }
        request.current_app = self.name
        return TemplateResponse(request, "admin/console/home.html", context)

    def health(self, request: HttpRequest) -> HttpResponse:
        """What is wrong and what to do about it, and what the doctor looks at, what is wrong first."""
        from config.console.health import health_context

        context = {
            **self.each_context(request),
            "title": _("Health"),
            **health_context(request, clock.now()),
        }
        request.current_app = self.name
        return never_cache(TemplateResponse)(request, "admin/console/health.html", context)

    def search(self, request: HttpRequest) -> HttpResponse:
        """What the lists have of what was typed; straight on where it is one row alone."""
        from config.console.search import LONGEST, find

        typed = request.GET.get("q", "").strip()[:LONGEST]
        found = find(self, request, typed) if typed else []
        rows = [row for part in found for row in part.rows]
        if len(rows) == 1 and not any(part.failed for part in found):
            return redirect(rows[0][1])
        context = {**self.each_context(request), "title": _("Search"), "typed": typed, "found": found}
        request.current_app = self.name
        return TemplateResponse(request, "admin/console/search.html", context)
