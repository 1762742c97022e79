"""Publish several drafts at once: those that were chosen in the list, or all of a series. What it does is shown before.

What is confirmed is what was shown: the drafts with all their settings are sealed into the form. All are checked first;
then each is published in a transaction of its own, as a single one is.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from competitions.admin.actions.publish_preview import length_warnings
from competitions.admin.competitions.copy_pages import CopyPages, PlannedRow, planned_rows
from competitions.admin.competitions.fixed_settings import fixed_by_publishing, open_until_final, settings_in_words
from competitions.models import Competition
from competitions.services.lifecycle.copies import COPIED
from competitions.services.lifecycle.publish import check, publish
from foundation import clock
from foundation.errors import SunwiError
from foundation.http.client_address import signed_in
from foundation.numbers import whole_number
from foundation.translate import translated

MOST_AT_ONCE = 60  # as many as one series of drafts
_PAGE = "competitions_competition_publish-drafts"


@dataclass(frozen=True, slots=True)
class DraftRow:
    """A draft that would be published; ``refused`` says why it cannot be, empty if it can."""

    draft: Competition
    planned: PlannedRow
    refused: str


class PublishPages(CopyPages):
    """The part of the competition admin that publishes several drafts."""

    actions = ("publish_drafts",)

    def get_urls(self) -> list[URLPattern]:
        """Add the page."""
        page = self.admin_site.admin_view(self.publish_drafts_page)
        return [path("publish-drafts/", page, name=_PAGE), *super().get_urls()]

    @admin.action(description=_lazy("Publish the selected drafts"), permissions=["change"])
    def publish_drafts(self, request: HttpRequest, chosen: QuerySet[Competition]) -> HttpResponse | None:
        """Show what publishing them does."""
        numbers = list(_drafts_of(chosen).values_list("pk", flat=True)[: MOST_AT_ONCE + 1])
        if not numbers:
            messages.warning(request, _("None of them is a draft: nothing was done."))
            return None
        if len(numbers) > MOST_AT_ONCE:
            messages.warning(request, _("Publish at most %(most)s at once: choose fewer.") % {"most": MOST_AT_ONCE})
            return None
        return redirect(f"{reverse(f'admin:{_PAGE}')}?of={','.join(map(str, numbers))}")

    def publish_drafts_page(self, request: HttpRequest) -> HttpResponse:
        """Show the drafts of ``?of=`` (numbers with commas) or ``?series=``; publish them once that is confirmed."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        drafts, at = _asked(request), clock.now()
        rows = list(_rows(drafts, at))
        is_confirmed = request.method == "POST" and "confirmed" in request.POST
        is_other = is_confirmed and request.POST.get("shown") != _seal(drafts)
        if is_confirmed and rows and not is_other and not any(row.refused for row in rows):
            return self._publish_all(request, drafts)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Publish drafts"),
            "rows": rows,
            "refused": sum(bool(row.refused) for row in rows),
            "lines": _lines(drafts),
            "shown_seal": _seal(drafts),
            "is_other": is_other,
            "opts": self.opts,
        }
        return TemplateResponse(request, "admin/competitions/publish_drafts.html", context)

    def _publish_all(self, request: HttpRequest, drafts: Sequence[Competition]) -> HttpResponse:
        done = 0
        for draft in drafts:
            try:
                publish(draft, clock.trusted_now(), signed_in(request))
            except SunwiError as error:
                why = {"name": draft.name, "why": translated(error.detail)}
                messages.error(request, _("“%(name)s” and those after it are not published: %(why)s") % why)
                break
            self.log_change(request, draft, "publish")
            done += 1
        if done:
            words = ngettext("%(count)s draft is published.", "%(count)s drafts are published.", done)
            messages.success(request, words % {"count": done})
        return redirect("admin:competitions_competition_changelist")


def publish_drafts_address(series: int) -> str:
    """Return the address of the page for the drafts of a series."""
    return f"{reverse(f'admin:{_PAGE}')}?series={series}"


def _drafts_of(competitions: QuerySet[Competition]) -> QuerySet[Competition]:
    return competitions.filter(published_at=None, cancelled_at=None)


def _asked(request: HttpRequest) -> list[Competition]:
    """The drafts that the address names, the first to start first; at most ``MOST_AT_ONCE``."""
    series = whole_number(request.GET.get("series"))
    numbers = [number for each in request.GET.get("of", "").split(",") if (number := whole_number(each)) is not None]
    chosen: dict[str, Any] = {"pk__in": numbers[:MOST_AT_ONCE]} if series is None else {"series_event__series": series}
    drafts = _drafts_of(Competition.objects.filter(**chosen)).select_related("board").defer("picture")
    return list(drafts.order_by("starts_at", "pk")[:MOST_AT_ONCE])


def _rows(drafts: Sequence[Competition], at: datetime) -> Iterator[DraftRow]:
    for draft, planned in zip(drafts, planned_rows(drafts), strict=True):
        if draft.starts_at <= at:
            planned.notes.append(_("Its start lies in the past, so it runs from the moment it is published."))
        planned.notes.extend(length_warnings(draft))
        if draft.timeline.hides_from_the_start:
            planned.notes.append(_("Its freeze lasts as long as it does: nobody sees a ranking until you reveal it."))
        yield DraftRow(draft, planned, _refusal(draft, at))


def _refusal(draft: Competition, at: datetime) -> str:
    try:
        check(draft, at)
    except SunwiError as error:
        return translated(error.detail)
    return ""


def _lines(drafts: Sequence[Competition]) -> list[str]:
    """Say what publishing does to all of them; settings that differ are told with the names of whose they are."""
    if not drafts:
        return []
    fixed = _("Fixed from now on: %(settings)s.")
    still_open = _("Until the result is final these may still change: %(settings)s.")
    return [
        _("Anybody can see them and join from now on, as the settings of each say."),
        _("The start of each is fixed from now on. The end can be moved with a reason, until it is over."),
        *_told_by_settings(drafts, lambda draft: fixed % {"settings": settings_in_words(fixed_by_publishing(draft))}),
        *_told_by_settings(drafts, lambda draft: still_open % {"settings": settings_in_words(open_until_final(draft))}),
        _("The rules of each are those of its board as they are now."),
    ]


def _told_by_settings(drafts: Sequence[Competition], sentence_of: Callable[[Competition], str]) -> list[str]:
    names: dict[str, list[str]] = {}
    for draft in drafts:
        names.setdefault(sentence_of(draft), []).append(draft.name)
    if len(names) == 1:
        return list(names)
    return [f"{', '.join(named)}: {sentence}" for sentence, named in names.items()]


def _seal(drafts: Sequence[Competition]) -> str:
    """Return a digest of everything that was shown, and of all settings of the drafts."""
    names = [name for name in COPIED if name != "picture"]
    settings = [
        (
            each.pk,
            each.name,
            each.starts_at,
            each.ends_at,
            each.join_until,
            *(str(getattr(each, name)) for name in names),
        )
        for each in drafts
    ]
    return hashlib.sha256(repr(settings).encode()).hexdigest()
