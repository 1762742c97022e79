"""The pages that copy a competition: once, or several times by a rhythm, with the dates before anything is made.

What is confirmed is what was shown: the dates and settings are sealed into the form.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from competitions.admin.actions.pages import ActionPages
from competitions.admin.competitions.copy_forms import DuplicateForm, RepeatForm
from competitions.admin.times import competition_time
from competitions.models import Competition
from competitions.services.lifecycle.copies import COPIED, Wanted, check_drafts, draft_of, make_copies
from foundation import clock
from foundation.errors import SunwiError
from foundation.http.client_address import signed_in
from foundation.translate import translated
from leaderboards import formats

_FORMS: dict[str, type[DuplicateForm]] = {"duplicate": DuplicateForm, "make-series": RepeatForm}


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """A draft that would be made, with its times on its clock and what is special about them."""

    nth: int
    name: str
    starts: str
    ends: str
    length: str
    notes: list[str]


class CopyPages(ActionPages):
    """The part of the competition admin that copies competitions."""

    def get_urls(self) -> list[URLPattern]:
        """Add a page for each way to copy."""
        pages = [
            path(f"<int:number>/{slug}/", self._view_of(slug), name=f"competitions_competition_{slug}")
            for slug in _FORMS
        ]
        return [*pages, *super().get_urls()]

    def _view_of(self, slug: str) -> Any:
        def page(request: HttpRequest, number: int) -> HttpResponse:
            return self.copy_page(request, slug, number)

        return self.admin_site.admin_view(page)

    def copy_page(self, request: HttpRequest, slug: str, number: int) -> HttpResponse:
        """Show the form, show the dates, or make the drafts."""
        original, at = self._found(request, number), clock.now()
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = _FORMS[slug](original, request.POST or None, at)
        drafts: list[Competition] = []
        if request.method == "POST" and form.is_valid():
            try:
                wanted = form.wanted()
                drafts = [draft_of(original, each) for each in wanted]
                check_drafts(drafts, at)
                if "confirmed" in request.POST and request.POST.get("shown") == _seal(original, drafts):
                    return self._make_copies(request, form, wanted)
            except SunwiError as error:
                field = getattr(error, "field", None)
                form.add_error(field if field in form.fields else None, translated(error.detail))
                drafts = []
        return self._copy_form(request, form, slug, drafts)

    def _make_copies(self, request: HttpRequest, form: DuplicateForm, wanted: Sequence[Wanted]) -> HttpResponse:
        token, by, with_rewards = form.cleaned_data["token"], signed_in(request), _may_add_rewards(request)
        at = clock.trusted_now()
        made = make_copies(form.competition, wanted, token, at, by, with_rewards=with_rewards)
        text = ngettext("%(count)s draft is made.", "%(count)s drafts are made.", len(made)) % {"count": len(made)}
        hint = _("Look them over; “Publish the selected drafts” publishes them at once.")
        messages.success(request, f"{text} {hint}")
        if len(made) == 1:
            return redirect("admin:competitions_competition_change", made[0].pk)
        return redirect(f"{reverse('admin:competitions_competition_changelist')}?state=draft")

    def _copy_form(
        self, request: HttpRequest, form: DuplicateForm, slug: str, drafts: Sequence[Competition]
    ) -> HttpResponse:
        original = form.competition
        has_rewards = original.reward_tiers.exists()
        context = {
            **self.admin_site.each_context(request),
            "title": f"{form.title}: {original}",
            "form": form,
            "slug": slug,
            "rows": list(planned_rows(drafts)),
            "shown_seal": _seal(original, drafts) if drafts else "",
            "is_other": bool(drafts) and "confirmed" in request.POST,
            "without_rewards": has_rewards and not _may_add_rewards(request),
            "original": original,
            "opts": self.opts,
        }
        return TemplateResponse(request, "admin/competitions/copies.html", context)


def _may_add_rewards(request: HttpRequest) -> bool:
    return request.user.has_perm("competitions.add_rewardtier")


def _seal(original: Competition, drafts: Sequence[Competition]) -> str:
    """Return a digest of everything that was shown: the dates, and the settings that are copied."""
    settings = [str(getattr(original, name)) for name in COPIED if name != "picture"]
    dates = [(each.name, each.starts_at, each.ends_at, each.join_until, each.freeze_minutes) for each in drafts]
    return hashlib.sha256(repr((original.pk, settings, dates)).encode()).hexdigest()


def planned_rows(drafts: Sequence[Competition]) -> Iterator[PlannedRow]:
    """Describe drafts in the order of their starts."""
    previous: Competition | None = None
    for nth, draft in enumerate(drafts, 1):
        yield PlannedRow(
            nth,
            draft.name,
            competition_time(draft, draft.starts_at, year=True),
            competition_time(draft, draft.ends_at, year=True),
            formats.whole_duration(int((draft.ends_at - draft.starts_at).total_seconds())),
            list(_notes(draft, previous)),
        )
        previous = draft


def _notes(draft: Competition, previous: Competition | None) -> Iterator[str]:
    """Say where the clock changes, and where two of them overlap."""
    zone = ZoneInfo(draft.timezone)
    if _offset(draft.starts_at, zone) != _offset(draft.ends_at, zone):
        yield _("The clock changes meanwhile.")
    if previous is None:
        return
    if _offset(previous.ends_at, zone) != _offset(draft.starts_at, zone):
        yield _("The clock has changed since the one before.")
    if draft.starts_at < previous.ends_at:
        yield _("It begins before the one before ends.")


def _offset(at: datetime, zone: ZoneInfo) -> Any:
    return at.astimezone(zone).utcoffset()
