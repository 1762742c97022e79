"""Admin actions on chosen rows that need a reason; each row is changed and recorded by itself."""

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
from foundation.errors import SunwiError
from foundation.http.client_address import signed_in
from foundation.reasons import is_reason
from foundation.translate import translated
from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.confirm.reason_page import ActionPrompt, confirmed_reason, reason_page
from leaderboards.admin.confirm.undo_link import with_undo_link
from leaderboards.admin.wording.names import first_names

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class ReasonRequest(ActionPrompt, Generic[Row]):
    """An action: ``apply`` changes a row, ``name`` labels it, ``readers`` says who reads the reason (empty: staff).

    ``foresee`` previews the action for all chosen rows: then it runs only if the present preview was shown. With
    ``at_once`` the preview does not depend on the form.
    """

    apply: Callable[[Row, str, AbstractBaseUser], object]
    name: Callable[[Row], str]
    readers: str = ""
    foresee: Callable[[], PreviewText] | None = None
    at_once: bool = False


class WithReason(ReadOnlyAdmin[Row]):
    """A read-only admin whose actions need a reason."""

    def ask(
        self, request: HttpRequest, asked: ReasonRequest[Row], chosen: Sequence[Row], form: Form | None = None
    ) -> HttpResponseBase | None:
        """Show the page with the reason and ``form``, or run the action once all is given and was previewed."""
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
        """Apply the action to each row; an error on one row does not stop the others."""
        done = list[str]()
        for row in chosen:
            name = asked.name(row)
            try:
                asked.apply(row, reason, signed_in(request))
            except SunwiError as error:
                messages.error(request, f"{name}: {translated(error.detail)}")
            else:
                done.append(name)
                self.log_change(request, row, f"{asked.action}: {reason}" if reason else asked.action)
        said = _("Done: %(number)s.") % {"number": len(done)}
        text = f"{said} {first_names(done)}".rstrip()
        messages.success(request, with_undo_link(request, text) if done else text)
