"""The form for a standing that is set aside: filled with what Redis has, read as a submitted entry is read.

The score that was seen travels with it, so that a standing which moved meanwhile is not overwritten.
"""

import json
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _lazy

from foundation.errors import SunwiError
from foundation.models import DeadLetter
from leaderboards.core.input.entries import read_time
from leaderboards.core.instants import from_milliseconds
from leaderboards.core.ranking.policies import StandingState
from leaderboards.models import Period
from leaderboards.refusals import translated
from leaderboards.services.sync.amend_dead_letter import RedisStanding, read_state


def value_as_typed(period: Period, state: StandingState) -> str:
    """Points, or fields as JSON."""
    points, fields = period.rules.shown(state.value)
    return str(points) if fields is None else json.dumps(fields, ensure_ascii=False)


def describe_standing(period: Period, state: StandingState | None) -> str:
    """A standing in one line, as the log of changes keeps it."""
    return "not ranked" if state is None else f"{value_as_typed(period, state)} at {_when(state)}"


class AmendForm(forms.Form):
    """``state`` is what was written, once the form is valid; ``before`` what Redis had, in words."""

    worth = forms.CharField(label=_lazy("points, or fields as JSON"), max_length=1000)
    at = forms.CharField(label=_lazy("at"), max_length=40, help_text=_lazy("Within the period; RFC 3339."))
    score = forms.CharField(widget=forms.HiddenInput, required=False)
    state: StandingState

    def __init__(self, letter: DeadLetter, period: Period, found: RedisStanding, typed: Any = None) -> None:
        initial = {"score": "" if found.score is None else repr(found.score)}
        if found.state is not None:
            initial |= {"worth": value_as_typed(period, found.state), "at": _when(found.state)}
        super().__init__(typed, initial=initial)
        self.before = describe_standing(period, found.state)
        self._letter, self._period = letter, period

    @property
    def seen(self) -> float | None:
        """The score that the person saw."""
        text = self.cleaned_data["score"]
        return float(text) if text else None

    def clean_score(self) -> str:
        """It comes from our own page; anything else is nobody's business."""
        text: str = self.cleaned_data["score"]
        try:
            float(text or 0)
        except ValueError as error:
            raise ValidationError("?") from error
        return text

    def clean_at(self) -> datetime:
        """An RFC 3339 time."""
        try:
            return read_time(self.cleaned_data["at"])
        except SunwiError as error:
            raise ValidationError(translated(error.detail)) from error

    def clean(self) -> dict[str, Any]:
        """Whatever an entry would be refused for."""
        if {"worth", "at"} <= self.cleaned_data.keys():
            player = self._letter.payload["player"]
            try:
                self.state = read_state(self._period, player, self.cleaned_data["worth"], self.cleaned_data["at"])
            except SunwiError as error:
                raise ValidationError(translated(error.detail)) from error
        return self.cleaned_data


def _when(state: StandingState) -> str:
    return from_milliseconds(state.at_ms).isoformat().replace("+00:00", "Z")
