"""The pages of a period's acts: compare it with Redis, have it rebuilt, close it once it is due.

Each shows what it does, asks for a reason, and is for those who may change boards.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock
from foundation.http.client_address import signed_in
from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.base.permissions import may_see
from leaderboards.admin.boards.period_head import name_of_period, period_head, ways_of
from leaderboards.admin.confirm.preview_page import PreviewedAction, confirm_with_preview
from leaderboards.models import Period, Standing, Storage
from leaderboards.selectors.monitoring.resync_progress import count_ranked
from leaderboards.services.periods import by_hand
from leaderboards.services.periods.close import is_due

NEEDS = "leaderboards.change_board"


class NoForm(forms.Form):
    """An act without settings."""


class VerifyForm(forms.Form):
    """Whether what differs is repaired."""

    repair = forms.BooleanField(label=_lazy("Repair what still differs at a second look"), required=False)


@dataclass(frozen=True, slots=True)
class PeriodAct:
    """An act on a period. ``run`` returns the message on what was done; it raises the service's errors."""

    slug: str
    title: str | Promise
    question: str | Promise
    offered: Callable[[Period, datetime], bool]
    preview: Callable[[Period, dict[str, Any]], Sequence[str]]
    run: Callable[[Period, dict[str, Any], str, datetime, AbstractBaseUser], str]
    form: type[forms.Form] = NoForm


def _preview_verify(period: Period, typed: dict[str, Any]) -> list[str]:
    return [
        _("Compares up to %(number)s standings of Redis with those of SQL, for at most %(seconds)s seconds.")
        % {"number": f"{count_ranked(period):,}", "seconds": int(by_hand.LONGEST_VERIFY_SECONDS)},
        _("What still differs at a second look is repaired.") if typed["repair"] else _("Nothing is repaired."),
    ]


def _verify(period: Period, typed: dict[str, Any], reason: str, at: datetime, by: AbstractBaseUser) -> str:
    result = by_hand.verify_by_hand(period, reason, at, by, repair=typed["repair"])
    if result.skipped:
        return _("Not compared to its end: %(why)s.") % {"why": result.skipped}
    words = {name: f"{getattr(result, name):,}" for name in ("compared", "differences", "repaired")}
    sentence = _("Compared: %(compared)s. Differences: %(differences)s. Repaired: %(repaired)s.") % words
    goes_on = "" if result.finished else _("The time was up before the end: the worker goes on.")
    return f"{sentence} {goes_on}".strip()


def _preview_rebuild(period: Period, _typed: dict[str, Any]) -> list[str]:
    words = {"number": f"{count_ranked(period):,}", "period": name_of_period(period, clock.now())}
    lines = [
        _("The worker puts %(number)s standings of %(period)s into Redis anew, from SQL.") % words,
        _("Meanwhile its pages are answered from SQL and are not live."),
    ]
    if period.board.storage == Storage.REDIS:
        lines.append(_("Redis decides over this board, so it takes no scores meanwhile. Nothing in Redis is emptied."))
    if period.stale_since is not None:
        lines.append(_("It is being brought up to date already: asking once more changes nothing."))
    return lines


def _rebuild(period: Period, _typed: dict[str, Any], reason: str, at: datetime, by: AbstractBaseUser) -> str:
    by_hand.ask_for_rebuild(period, reason, at, by)
    return _("Asked for. This page says how far it is.")


def _preview_close(period: Period, _typed: dict[str, Any]) -> list[str]:
    return [
        _("%(period)s is past its end and its grace. It takes no scores any more, and its ranks become final.")
        % {"period": name_of_period(period, clock.now())},
        _("%(number)s players are ranked.") % {"number": f"{count_ranked(period):,}"},
        _("The worker does the same by itself. This can not be undone."),
    ]


def _close(period: Period, _typed: dict[str, Any], reason: str, at: datetime, by: AbstractBaseUser) -> str:
    closed = by_hand.close_by_hand(period, reason, at, by)
    if closed.final:
        return _("Closed: its ranks are final.")
    return _("It takes no scores any more, and is not final yet: %(why)s.") % {"why": closed.detail}


ACTS = (
    PeriodAct(
        slug="verify",
        title=_lazy("Compare with Redis"),
        question=_lazy("Does Redis show what SQL has?"),
        offered=by_hand.is_comparable,
        preview=_preview_verify,
        run=_verify,
        form=VerifyForm,
    ),
    PeriodAct(
        slug="rebuild",
        title=_lazy("Rebuild in Redis"),
        question=_lazy("Put this period into Redis anew?"),
        offered=by_hand.is_comparable,
        preview=_preview_rebuild,
        run=_rebuild,
    ),
    PeriodAct(
        slug="close",
        title=_lazy("Close now"),
        question=_lazy("End this period for good?"),
        offered=lambda period, at: not period.board.is_event and is_due(period, at),
        preview=_preview_close,
        run=_close,
    ),
)


class PeriodPages(ReadOnlyAdmin[Period]):
    """The part of the period admin that acts."""

    change_form_template = "admin/leaderboards/period/change_form.html"

    def get_urls(self) -> list[URLPattern]:
        """Add a page for each act."""
        pages = [
            path(f"<int:number>/{act.slug}/", self._page_of(act), name=f"leaderboards_period_{act.slug}")
            for act in ACTS
        ]
        return [*pages, *super().get_urls()]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Add the head, and the acts that are possible now, for those who may."""
        period: Period | None = kwargs.get("obj")
        if period is not None:
            context |= _context(request, period, clock.now())
        return super().render_change_form(request, context, *args, **kwargs)

    def _page_of(self, act: PeriodAct) -> Any:
        def page(request: HttpRequest, number: int) -> HttpResponseBase:
            return self._act_page(request, act, number)

        return self.admin_site.admin_view(page)

    def _act_page(self, request: HttpRequest, act: PeriodAct, number: int) -> HttpResponseBase:
        if not request.user.has_perm(NEEDS):
            raise PermissionDenied
        period = Period.objects.select_related("board").filter(pk=number).first()
        if period is None or not act.offered(period, clock.now()):
            raise Http404
        form = act.form(request.POST if request.method == "POST" else None)
        back = reverse("admin:leaderboards_period_change", args=[number])

        def run(reason: str) -> tuple[str, str]:
            return act.run(period, form.cleaned_data, reason, clock.trusted_now(), signed_in(request)), back

        action = PreviewedAction(
            title=f"{act.title}: {period.board.name}, {name_of_period(period, clock.now())}",
            question=act.question,
            form=form,
            preview=lambda: act.preview(period, form.cleaned_data),
            run=run,
            back=back,
            shown_state=f"{act.slug} {number}",
        )
        return confirm_with_preview(self, request, action)


def _context(request: HttpRequest, period: Period, at: datetime) -> dict[str, Any]:
    head = period_head(request, period, at)
    title = f"{period.board.name}: {head.name}"
    acts = [act for act in ACTS if act.offered(period, at)] if request.user.has_perm(NEEDS) else []
    ways = ways_of(period, lists_standings=may_see(request, Standing))
    return {"head": head, "subtitle": title, "row_name": title, "acts": acts, "ways": ways}
