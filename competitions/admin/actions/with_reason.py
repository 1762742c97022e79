"""Acts over chosen rows that need a reason: asked for first, kept on record, done to each by itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Model
from django.forms import Form
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

from competitions.admin.actions.preview_text import PreviewText
from competitions.refusals import translated
from foundation.errors import SunwiError
from foundation.http.client_address import signed_in
from foundation.reasons import is_reason
from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.confirm.reason_page import ActionPrompt, confirmed_reason, reason_page

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class ReasonRequest(ActionPrompt, Generic[Row]):
    """What is asked before ``apply`` is done to a row, how a row is called, and who reads the reason (empty: staff).

    ``foresee`` says what it comes to for all that are chosen: then only what was shown is done. With ``at_once`` that
    hangs on nothing that is typed.
    """

    apply: Callable[[Row, str, AbstractBaseUser], object]
    name: Callable[[Row], str]
    readers: str = ""
    foresee: Callable[[], PreviewText] | None = None
    at_once: bool = False


class WithReason(ReadOnlyAdmin[Row]):
    """Rows that nobody types in, and acts that want a reason."""

    def ask(
        self, request: HttpRequest, asked: ReasonRequest[Row], chosen: Sequence[Row], form: Form | None = None
    ) -> HttpResponseBase | None:
        """The reason first, and what else ``form`` asks for; without them, and unseen, nothing happens."""
        is_filled = form is None or form.is_valid()
        foreseen = asked.foresee() if asked.foresee and (is_filled or asked.at_once) else None
        typed = form.cleaned_data if form is not None and is_filled and not asked.at_once else {}
        seal = "" if foreseen is None else foreseen.seal(asked.action, [row.pk for row in chosen], typed)
        is_seen = asked.foresee is None or (seal != "" and request.POST.get("shown") == seal)
        wants = "confirmed" in request.POST and "look" not in request.POST
        if is_filled and is_seen and wants and (reason := confirmed_reason(request)):
            self.each(request, asked, chosen, reason)
            return None
        return reason_page(
            self,
            request,
            asked,
            chosen,
            rows=[asked.name(each) for each in chosen],
            form=form,
            readers=asked.readers,
            foreseen=foreseen,
            shown_seal=seal,
            to_look=asked.foresee is not None and foreseen is None,
            to_look_again=form is not None and foreseen is not None and not asked.at_once,
            is_other=wants and is_filled and not is_seen,
            missing=wants and not is_reason(request.POST.get("reason", "")),
            template="admin/competitions/foreseen_act.html",
        )

    def each(self, request: HttpRequest, asked: ReasonRequest[Row], chosen: Sequence[Row], reason: str = "") -> None:
        """Each by itself: one that is refused does not keep the others."""
        done = 0
        for row in chosen:
            try:
                asked.apply(row, reason, signed_in(request))
            except SunwiError as error:
                messages.error(request, f"{asked.name(row)}: {translated(error.detail)}")
            else:
                done += 1
                self.log_change(request, row, f"{asked.action}: {reason}" if reason else asked.action)
        messages.success(request, _("Done: %(number)s.") % {"number": done})
