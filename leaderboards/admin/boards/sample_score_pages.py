"""The page of a board that previews a test score, and then sends it."""

import secrets
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock
from foundation.errors import SunwiError
from foundation.http.client_address import signed_in
from foundation.messages import Message
from foundation.translate import translated
from leaderboards.admin.base.lookups import DeclaredLookupsAdmin
from leaderboards.admin.integrations.ready_curl import example_points
from leaderboards.admin.wording.decimals import trim_zeros
from leaderboards.core.input.entries import Entry, read_entry
from leaderboards.core.input.json_body import read_json
from leaderboards.core.submissions import Outcome, Status
from leaderboards.errors import BadPoints
from leaderboards.models import Board
from leaderboards.services.submit import sample_score as services

NEEDS = ("leaderboards.change_board", "leaderboards.change_submission")


class SampleScoreForm(forms.Form):
    """An entry as a game server would send it."""

    player = forms.CharField(label=_lazy("Player"), max_length=64, initial="test-player")
    competition = forms.IntegerField(label=_lazy("Competition"), min_value=1, help_text=_lazy("Its number."))
    worth = forms.CharField(label=_lazy("Points"), max_length=1000)
    token = forms.SlugField(max_length=20, widget=forms.HiddenInput)

    def __init__(self, board: Board, typed: Any = None, initial: Any = None) -> None:
        super().__init__(typed, initial={"token": secrets.token_hex(4), "worth": _example(board), **(initial or {})})
        self._board = board
        if board.rules.fields:
            self.fields["worth"].label = _("Fields as JSON")
        if not board.is_event:
            del self.fields["competition"]

    @property
    def entry(self) -> Entry:
        """Return the entry of the valid form. Raises the ``SunwiError`` that refuses it."""
        typed = self.cleaned_data
        try:
            worth = read_json(typed["worth"].encode())
        except ValueError as error:
            raise BadPoints(Message("Write a number, or fields as JSON.")) from error
        target = {"competition": typed["competition"]} if self._board.is_event else {"board": self._board.seq}
        value = {"fields": worth} if isinstance(worth, dict) else {"points": worth}
        return read_entry({**target, "player": typed["player"], **value, "id": f"test-{typed['token']}"}, 0)


class SampleScorePages(DeclaredLookupsAdmin[Board]):
    """The part of the boards' admin that sends test scores."""

    def get_urls(self) -> list[URLPattern]:
        """Add the page."""
        page = self.admin_site.admin_view(self.sample_score_view)
        return [path("<int:number>/test-score/", page, name="leaderboards_board_test_score"), *super().get_urls()]

    def sample_score_view(self, request: HttpRequest, number: int) -> HttpResponse:
        """Show the form, preview the score, or send it and show the result."""
        if not may_test(request):
            raise PermissionDenied
        board = get_object_or_404(Board, pk=number)
        form = SampleScoreForm(board, request.POST or None, request.GET.dict())
        lines: list[str] | None = None
        if request.method == "POST" and form.is_valid():
            try:
                entry = form.entry
                if "confirmed" in request.POST:
                    outcome = services.send(board, entry, clock.now(), signed_in(request))
                    _tell(request, outcome)
                    return redirect("admin:leaderboards_board_test_score", number)
                lines = _lines(services.rehearse(board, entry, clock.now()))
            except SunwiError as error:
                form.add_error(None, translated(error.detail))
        context = {
            **self.admin_site.each_context(request),
            "title": _("Test score"),
            "subtitle": board.name,
            "board": board,
            "form": form,
            "lines": lines,
            "sent": services.sent_to(board),
            "opts": self.opts,
        }
        return TemplateResponse(request, "admin/leaderboards/board/test_score.html", context)


def may_test(request: HttpRequest) -> bool:
    """Whether they may change boards and scores: a test score is both."""
    return all(request.user.has_perm(each) for each in NEEDS)


def _example(board: Board) -> str:
    """A value that the board takes, to begin with."""
    rules = board.rules
    if rules.fields:
        named = ", ".join(f'"{each.name}": 1' for each in rules.fields if not each.is_time)
        return f"{{{named}}}"
    return trim_zeros(example_points(board))


def _lines(outcome: Outcome) -> list[str]:
    """What would become of it."""
    return [_word(outcome.status), *_facts(outcome)]


def _tell(request: HttpRequest, outcome: Outcome) -> None:
    text = " ".join([_word(outcome.status), *_facts(outcome)])
    (messages.success if outcome.status.is_accepted else messages.warning)(request, text)


def _word(status: Status) -> str:
    return {
        Status.UPDATED: _("Accepted: the standing changes."),
        Status.UNCHANGED: _("Accepted: the standing stays as it is."),
        Status.DUPLICATE: _("This one was sent before."),
        Status.QUARANTINED: _("Quarantined: it breaks a limit of plausibility."),
        Status.REJECTED: _("Refused."),
        Status.UNKNOWN: _("Nobody knows whether it counts: a server was silent."),
    }[status]


def _facts(outcome: Outcome) -> list[str]:
    facts = []
    if outcome.period:
        facts.append(_("Period: %(period)s.") % {"period": outcome.period})
    if outcome.points is not None:
        facts.append(_("Points: %(points)s.") % {"points": outcome.points})
    if outcome.fields is not None:
        worth = ", ".join(f"{name} {value}" for name, value in outcome.fields.items())
        facts.append(_("Fields: %(fields)s.") % {"fields": worth})
    if outcome.rank is not None:
        facts.append(_("Rank: %(rank)s.") % {"rank": outcome.rank})
    if outcome.detail:
        facts.append(f"{outcome.code}: {translated(outcome.detail)}")
    return facts
