"""A page that previews an action before it runs: a form, its effects, and then a reason.

The first POST shows the effects. The second, with a reason, runs the action if the form and the previewed state are
unchanged. The server keeps nothing in between.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from foundation.errors import SunwiError
from foundation.reasons import LONGEST_REASON, is_reason
from foundation.translate import translated
from leaderboards.core.ranking.rank_changes import RankChanges

Text = str | Promise
REASON_FOR_STAFF = _lazy("Only those who run the site read it.")


@dataclass(frozen=True, slots=True)
class PreviewedAction:
    """An action with a preview.

    ``preview`` returns the effects of the valid form as lines. ``run`` takes a reason, acts, and returns a message and
    a URL to redirect to. Both may raise a ``SunwiError``. ``shown_state`` identifies the previewed state beside the
    form: if it changes, the page is shown again. ``readers`` says who can read the reason. What ``is_grave`` takes
    something from players for good.
    """

    title: Text
    question: Text
    form: forms.Form
    preview: Callable[[], Sequence[str]]
    run: Callable[[str], tuple[str, str]]
    back: str
    shown_state: str = ""
    readers: Text = REASON_FOR_STAFF
    is_grave: bool = False


def confirm_with_preview(
    model_admin: "admin.ModelAdmin[Any]", request: HttpRequest, action: PreviewedAction
) -> HttpResponseBase:
    """Return the page, or a redirect once the action has run."""
    reason, lines, missing = request.POST.get("reason", "").strip(), None, False
    if request.method == "POST" and action.form.is_valid():
        try:
            if "confirmed" in request.POST and request.POST.get("shown") == _digest(action):
                missing = not is_reason(reason)
                if not missing:
                    message, next_url = action.run(reason)
                    messages.success(request, message)
                    return redirect(next_url)
            lines = action.preview()
        except SunwiError as error:
            action.form.add_error(None, translated(error.detail))
    context = {
        **model_admin.admin_site.each_context(request),
        "title": action.title,
        "question": action.question,
        "form": action.form,
        "lines": lines,
        "shown": _digest(action) if lines is not None else "",
        "confirm": _("Yes: %(title)s") % {"title": action.title},
        "is_grave": action.is_grave,
        "reason": reason,
        "readers": action.readers,
        "missing": missing,
        "is_other": "confirmed" in request.POST and is_reason(reason) and lines is not None and not missing,
        "longest": LONGEST_REASON,
        "back": action.back,
        "opts": model_admin.opts,
    }
    return TemplateResponse(request, "admin/leaderboards/foreseen.html", context)


def describe_rank_moves(moves: RankChanges | None) -> str:
    """Describe rank changes: "2 first places move, 4,213 ranks change."."""
    if moves is None:
        return _("What it does to ranks cannot be worked out here: there are too many submissions.")
    if not moves.is_exact:
        return _("Up to %(number)s ranks change.") % {"number": f"{moves.ranks:,}"}
    firsts = ngettext("%(number)s first place moves", "%(number)s first places move", moves.firsts)
    ranks = ngettext("%(number)s rank changes", "%(number)s ranks change", moves.ranks)
    words = (firsts % {"number": f"{moves.firsts:,}"}, ranks % {"number": f"{moves.ranks:,}"})
    return _("%(firsts)s, %(ranks)s.") % {"firsts": words[0], "ranks": words[1]}


def _digest(action: PreviewedAction) -> str:
    """Hash the form's input and the previewed state, so that only what was shown is done."""
    form = action.form
    inputs = [f"{name}={form.data.get(form.add_prefix(name), '')}" for name in form.fields]
    return hashlib.sha256("\0".join([action.shown_state, *inputs]).encode()).hexdigest()
