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
from leaderboards.admin.confirm.undo_link import with_undo_link
from leaderboards.admin.wording.names import first_names
from leaderboards.admin.wording.values import player_and_value
from leaderboards.models import QuarantinedEntry, Submission

PAGE = "admin/leaderboards/reason.html"
GRAVE = frozenset({"ban", "disqualify", "remove", "take_back", "void"})  # they take something from players

Scored = Submission | QuarantinedEntry
Row = TypeVar("Row", Submission, QuarantinedEntry)


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
        "is_grave": prompt.action in GRAVE,
        "reason": reason,
        "missing": "confirmed" in request.POST and not is_reason(reason),
        "longest": LONGEST_REASON,
        "opts": model_admin.opts,
    }
    return TemplateResponse(request, shown.pop("template", PAGE), context | shown)


def run_for_each(request: HttpRequest, rows: Iterable[Row], action: Callable[[Row], bool], done: str | Promise) -> None:
    """Run an action for each row by itself; a refused row does not stop the others.

    ``action`` returns whether it changed the row. ``done`` is the message with the number of changed rows
    (``%(number)s``); the first of them are named, and who may see the audit log is led to where it is undone.
    """
    changed, unchanged = list[Row](), 0
    for row in rows:
        try:
            is_changed = action(row)
        except SunwiError as error:
            words = {"what": player_and_value(row), "why": translated(error.detail)}
            messages.error(request, _("Not done for %(what)s: %(why)s") % words)
            continue
        if is_changed:
            changed.append(row)
        else:
            unchanged += 1
    messages.success(request, _done_message(request, str(done) % {"number": len(changed)}, changed))
    if unchanged:
        messages.info(request, _("Done before, so nothing was changed: %(number)s.") % {"number": unchanged})


def _done_message(request: HttpRequest, done: str, changed: Sequence[Scored]) -> str:
    named = first_names([*map(player_and_value, changed)])
    return with_undo_link(request, f"{done} {named}") if changed else done
