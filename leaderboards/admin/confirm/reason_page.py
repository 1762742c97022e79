"""The page that shows the effects of an action on rows and asks for a reason.

The first POST shows the page, the second, with a reason, runs the action. The server keeps nothing in between.
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
from foundation.translate import translated

PAGE = "admin/leaderboards/reason.html"

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class ActionPrompt:
    """An action on rows: its name in the form, the title of its page, and the question there."""

    action: str
    title: str | Promise
    question: str | Promise


def confirmed_reason(request: HttpRequest) -> str:
    """Return the reason (1 to 300 characters) of a confirmed action; "" while the page has to ask for it."""
    reason = str(request.POST.get("reason", "")).strip()
    return reason if "confirmed" in request.POST and is_reason(reason) else ""


def reason_page(
    model_admin: "admin.ModelAdmin[Any]",
    request: HttpRequest,
    prompt: ActionPrompt,
    chosen: Sequence[Model],
    **shown: Any,
) -> TemplateResponse:
    """Return the page for the rows ``chosen``. ``shown`` adds to the context, and overrides it."""
    reason = request.POST.get("reason", "").strip()
    context = {
        **model_admin.admin_site.each_context(request),
        "title": prompt.title,
        "question": prompt.question,
        "action": prompt.action,
        "chosen": chosen,
        "confirm": _("Yes: %(title)s") % {"title": prompt.title},
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
    """Run an action for each row by itself; a refused row does not stop the others.

    ``action`` returns whether it changed the row. ``refused`` makes the message for a refused row, ``done`` is the
    message with the number of changed rows (``%(number)s``).
    """
    changed = unchanged = 0
    for row in rows:
        try:
            is_changed = action(row)
        except SunwiError as error:
            messages.error(request, refused(row, translated(error.detail)))
            continue
        changed, unchanged = changed + is_changed, unchanged + (not is_changed)
    messages.success(request, str(done) % {"number": changed})
    if unchanged:
        messages.info(request, _("Done before, so nothing was changed: %(number)s.") % {"number": unchanged})
