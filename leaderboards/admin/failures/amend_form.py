"""The form that edits a standing of a dead letter: filled from Redis, and validated like a submitted entry.

It carries the score that the user saw, so that a standing that changed since is not overwritten.
"""

import json
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _lazy

from foundation.errors import SunwiError
from foundation.models import DeadLetter
from foundation.translate import translated
from leaderboards.core.input.entries import read_time
from leaderboards.core.instants import from_milliseconds
from leaderboards.core.ranking.policies import StandingState
from leaderboards.models import Period
from leaderboards.services.sync.amend_dead_letter import RedisStanding, read_state


def value_as_typed(period: Period, state: StandingState) -> str:
    """Format the points, or the fields as JSON."""
    points, fields = period.rules.shown(state.value)
    return str(points) if fields is None else json.dumps(fields, ensure_ascii=False)


def describe_standing(period: Period, state: StandingState | None) -> str:
    """Describe a standing in one line, for the audit log."""
    return "not ranked" if state is None else f"{value_as_typed(period, state)} at {_format_time(state)}"


class AmendForm(forms.Form):
    """``state`` is the new state, once the form is valid; ``before`` describes what Redis has."""

    worth = forms.CharField(label=_lazy("Points, or fields as JSON"), max_length=1000)
    at = forms.CharField(label=_lazy("at"), max_length=40, help_text=_lazy("Within the period; RFC 3339."))
    score = forms.CharField(widget=forms.HiddenInput, required=False)
    state: StandingState

    def __init__(self, letter: DeadLetter, period: Period, current: RedisStanding, data: Any = None) -> None:
        initial = {"score": "" if current.score is None else repr(current.score)}
        if current.state is not None:
            initial |= {"worth": value_as_typed(period, current.state), "at": _format_time(current.state)}
        super().__init__(data, initial=initial)
        self.before = describe_standing(period, current.state)
        self._letter, self._period = letter, period

    @property
    def seen(self) -> float | None:
        """Return the score that the user saw."""
        text = self.cleaned_data["score"]
        return float(text) if text else None

    def clean_score(self) -> str:
        """Refuse anything but a number: only our own page fills this hidden field."""
        text: str = self.cleaned_data["score"]
        try:
            float(text or 0)
        except ValueError as error:
            raise ValidationError("?") from error
        return text

    def clean_at(self) -> datetime:
        """Parse an RFC 3339 time."""
        try:
            return read_time(self.cleaned_data["at"])
        except SunwiError as error:
            raise ValidationError(translated(error.detail)) from error

    def clean(self) -> dict[str, Any]:
        """Refuse what a submitted entry would be refused for."""
        if {"worth", "at"} <= self.cleaned_data.keys():
            player = self._letter.payload["player"]
            try:
                self.state = read_state(self._period, player, self.cleaned_data["worth"], self.cleaned_data["at"])
            except SunwiError as error:
                raise ValidationError(translated(error.detail)) from error
        return self.cleaned_data


def _format_time(state: StandingState) -> str:
    return from_milliseconds(state.at_ms).isoformat().replace("+00:00", "Z")
