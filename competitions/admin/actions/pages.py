"""The pages of a competition's actions, and the live standings, for organizers.

An action takes two posts: the first shows the preview, the second runs it. Errors are shown in the form.
"""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _

from competitions.admin.actions.forms import ActForm, Action
from competitions.admin.actions.lifecycle import ACTIONS
from competitions.admin.actions.preview_text import PreviewText
from competitions.models import Competition
from competitions.selectors.participants.participants import not_started
from competitions.selectors.standings.standings import standings
from foundation import clock
from foundation.errors import SunwiError
from foundation.http.client_address import signed_in
from foundation.numbers import whole_number
from foundation.translate import translated
from leaderboards.admin.base.lookups import DeclaredLookupsAdmin
from leaderboards.formats import points, shown_fields
from leaderboards.models import Storage, Submission
from leaderboards.selectors import Row
from leaderboards.selectors.catalog.periods import period_by_label
from leaderboards.views.http.permissions import may_see

ROWS_A_PAGE = 100


class ActionPages(DeclaredLookupsAdmin[Competition]):
    """The pages of the competition admin that Django does not provide."""

    def get_urls(self) -> list[URLPattern]:
        """Add a page for each action and one for the standings."""
        pages = [path(f"<int:number>/{act.slug}/", self._page_of(act), name=_name(act.slug)) for act in ACTIONS]
        shown = self.admin_site.admin_view(self.standings_page)
        return [*pages, path("<int:number>/standings/", shown, name=_name("standings")), *super().get_urls()]

    def _page_of(self, act: Action) -> Any:
        def page(request: HttpRequest, number: int) -> HttpResponseBase:
            return self.act_page(request, act, number)

        return self.admin_site.admin_view(page)

    def act_page(self, request: HttpRequest, act: Action, number: int) -> HttpResponseBase:
        """Show the form, show the preview, or run the action."""
        competition = self._found(request, number)
        if not self.has_change_permission(request, competition):
            raise PermissionDenied
        form = act.form(competition, request.POST or None)
        confirmed = "confirmed" in request.POST
        is_seen = True
        if request.method == "POST" and form.is_valid() and confirmed:
            is_seen = request.POST.get("shown") == _seal(act, form) or act.was_sent(competition, form.cleaned_data)
            if is_seen and self._run(request, act, form):
                return redirect("admin:competitions_competition_change", number)
        return self._asked(request, act, form, is_other=not is_seen)

    def _run(self, request: HttpRequest, act: Action, form: ActForm) -> bool:
        try:
            act.run(form.competition, form.cleaned_data, clock.trusted_now(), signed_in(request))
        except SunwiError as error:
            field = getattr(error, "field", None)
            form.add_error(field if field in form.fields else None, translated(error.detail))
            return False
        self.log_change(request, form.competition, f"{act.done}")
        messages.success(request, str(act.done))
        return True

    def _asked(self, request: HttpRequest, act: Action, form: ActForm, *, is_other: bool) -> HttpResponse:
        typed = form.cleaned_data if form.is_bound and form.is_valid() else None
        shows_all = act.at_once or not form.fields
        lines = act.preview(form.competition, typed or {}) if shows_all or typed is not None else []
        context = {
            **self.admin_site.each_context(request),
            "title": f"{act.title}: {form.competition}",
            "act": act,
            "form": form,
            "lines": lines,
            "shown_seal": _digest(act, form, lines) if act.is_sealed and lines else "",
            "is_other": is_other,
            "may_confirm": shows_all or typed is not None,
            "original": form.competition,
            "opts": self.opts,
        }
        return TemplateResponse(request, "admin/competitions/act.html", context)

    def standings_page(self, request: HttpRequest, number: int) -> HttpResponse:
        """Show the live standings, also while they are hidden from the public."""
        competition, at = self._found(request, number), clock.now()
        offset = _number(request.GET.get("offset"))
        found = standings(competition, at, offset, ROWS_A_PAGE, full=True)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Standings: %(competition)s") % {"competition": competition},
            "original": competition,
            "opts": self.opts,
            "hidden": competition.is_hidden(at),
            "found": found,
            "rows": [(row, _value(competition, row)) for row in found.rows],
            "scores": scores_of(request, competition),
            "waiting": not_started(competition, at, 0, ROWS_A_PAGE, full=True),
            "waiting_heading": _("Not started") if at < competition.ends_at else _("Without a result"),
            "next": offset + ROWS_A_PAGE if offset + ROWS_A_PAGE < found.total else None,
            "previous": max(0, offset - ROWS_A_PAGE) if offset else None,
        }
        return TemplateResponse(request, "admin/competitions/standings.html", context)

    def _found(self, request: HttpRequest, number: int) -> Competition:
        competition = self.get_object(request, str(number))
        if competition is None:
            raise Http404
        if not self.has_view_or_change_permission(request, competition):
            raise PermissionDenied
        return competition


def scores_of(request: HttpRequest, competition: Competition) -> str:
    """Return the URL of the list of its scores, where they are voided; empty if the user may not see them.

    Also empty on boards that Redis decides, which keep no submissions.
    """
    period = period_by_label(competition.board, competition.label)
    has_submissions = competition.board.storage != Storage.REDIS
    if period is None or not (has_submissions and may_see(request, Submission)):
        return ""
    return f"{reverse('admin:leaderboards_submission_changelist')}?period__id__exact={period.pk}"


def _seal(act: Action, form: ActForm) -> str | None:
    """Return the seal of the present preview; None for actions without one."""
    if not act.is_sealed:
        return None
    return _digest(act, form, act.preview(form.competition, form.cleaned_data))


def _digest(act: Action, form: ActForm, lines: Sequence[str]) -> str:
    """Return a digest of the preview and, if it depends on them, of the form's fields."""
    typed = {} if act.at_once else {name: form.data.get(form.add_prefix(name), "") for name in form.fields}
    return PreviewText(settled=tuple(lines)).seal(act.slug, [form.competition.pk], typed)


def _name(slug: str) -> str:
    return f"competitions_competition_{slug}"


def _value(competition: Competition, row: Row) -> str:
    if row.fields is not None:
        return ", ".join(f"{name} {row.fields[name]}" for name in shown_fields(row.fields))
    return points(competition.board, row.points if row.points is not None else 0)


def _number(typed: str | None) -> int:
    return whole_number(typed) or 0
