"""The page that says what an act comes to and asks for its reason: the first post shows, the second does it.

Nothing is kept in between. What the page of an act has besides is the act's.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.contrib import admin, messages
from django.db.models import Model
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from foundation.errors import SunwiError
from foundation.reasons import LONGEST_REASON, is_reason
from leaderboards.refusals import translated

PAGE = "admin/leaderboards/reason.html"

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class ActionPrompt:
    """An act over rows: its name in the form, what the page is called, and what it asks."""

    action: str
    title: str | Promise
    question: str | Promise


def confirmed_reason(request: HttpRequest) -> str:
    """The reason of an act that was said yes to, of 1 to 300 characters; empty while it has to be asked for."""
    reason = str(request.POST.get("reason", "")).strip()
    return reason if "confirmed" in request.POST and is_reason(reason) else ""


def reason_page(
    model_admin: admin.ModelAdmin[Any],
    request: HttpRequest,
    asking: ActionPrompt,
    chosen: Sequence[Model],
    **shown: Any,
) -> TemplateResponse:
    """The page that asks it of the rows ``chosen``. ``shown`` stands before what all such pages have."""
    reason = request.POST.get("reason", "").strip()
    context = {
        **model_admin.admin_site.each_context(request),
        "title": asking.title,
        "question": asking.question,
        "action": asking.action,
        "chosen": chosen,
        "confirm": _("Yes: %(title)s") % {"title": asking.title},
        "reason": reason,
        "missing": "confirmed" in request.POST and not is_reason(reason),
        "longest": LONGEST_REASON,
        "opts": model_admin.opts,
    }
    return TemplateResponse(request, shown.pop("template", PAGE), context | shown)


def run_for_each(
    request: HttpRequest,
    rows: Iterable[Row],
    action: Callable[[Row], bool],
    refused: Callable[[Row, str], str],
    done: str | Promise,
) -> None:
    """Each by itself: one that is refused does not keep the others. ``action`` returns whether it changed anything,
    ``refused`` says why a row was not done, ``done`` how many were (``%(number)s``)."""
    changed = before = 0
    for row in rows:
        try:
            is_changed = action(row)
        except SunwiError as error:
            messages.error(request, refused(row, translated(error.detail)))
            continue
        changed, before = changed + is_changed, before + (not is_changed)
    messages.success(request, str(done) % {"number": changed})
    if before:
        messages.info(request, _("Done before, so nothing was changed: %(number)s.") % {"number": before})
