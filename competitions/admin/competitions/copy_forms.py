"""The forms that copy a competition: once, or several times by a rhythm. Times are on the clock of its zone."""

import secrets
from datetime import datetime, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.utils.dateformat import format as spell
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import pgettext_lazy

from competitions.admin.times import ClockField, as_typed, in_zone
from competitions.core.rhythm import MOST_COPIES, Plan, Rhythm, starts_of, weeks_later
from competitions.models import Competition
from competitions.services.lifecycle.copies import Wanted
from leaderboards.admin.base.validators import validate_name

_WEEK = timedelta(weeks=1)
RHYTHMS = (
    (Rhythm.WEEKLY.value, pgettext_lazy("a rhythm", "each week, on the same weekday and time")),
    (Rhythm.MONTHLY.value, pgettext_lazy("a rhythm", "each month, on the same day and time")),
    (Rhythm.CRON.value, pgettext_lazy("a rhythm", "by a cron expression")),
)


class DuplicateForm(forms.Form):
    """A copy: its name and start."""

    title: ClassVar[Any] = _lazy("Duplicate")
    question: ClassVar[Any] = _lazy(
        "A draft that nobody sees, with all settings, rewards, divisions, the list, and teams that you made. "
        "All times move with the start. Nobody takes part in it yet, and nothing of any result is copied."
    )
    name = forms.CharField(label=_lazy("Name"), max_length=100, validators=[validate_name])
    starts_at = ClockField(label=_lazy("Starts"))
    token = forms.SlugField(max_length=40, widget=forms.HiddenInput)

    def __init__(self, competition: Competition, typed: Any, now: datetime) -> None:
        super().__init__(typed)
        self.competition, self.zone = competition, ZoneInfo(competition.timezone)
        self.initial = {
            "name": competition.name[:100],
            "starts_at": as_typed(_next_start(competition, now), competition.timezone),
            "token": secrets.token_hex(8),
        }
        self._describe_start(_("Starts"))

    def _describe_start(self, label: str) -> None:
        """Name the two fields of the start, for those who listen, and its clock."""
        field = self.fields["starts_at"]
        field.label, zone = label, self.competition.timezone
        field.help_text = _("On the clock of %(zone)s.") % {"zone": zone}
        parts = (_("%(field)s, date"), _("%(field)s, time of day"))
        for widget, words in zip(field.widget.widgets, parts, strict=True):
            widget.attrs["aria-label"] = words % {"field": label}

    def clean_starts_at(self) -> datetime | None:
        """Read the time in the competition's time zone."""
        return in_zone(self.cleaned_data["starts_at"], self.competition.timezone)

    def wanted(self) -> list[Wanted]:
        """Return what the valid form asks for. Raises ``BadCompetition``."""
        return [Wanted(self.cleaned_data["name"], self.cleaned_data["starts_at"])]


class RepeatForm(DuplicateForm):
    """Several copies by a rhythm."""

    title = _lazy("Make a series")
    question = _lazy(
        "Several drafts at once, by a rhythm: all of them, or none. Each has all settings of this competition; nothing "
        "of any result is copied. In weeks in which the clock changes they keep their times of the clock."
    )
    number = forms.IntegerField(label=_lazy("How many"), min_value=1, max_value=MOST_COPIES, initial=4)
    rhythm = forms.ChoiceField(label=_lazy("Rhythm"), choices=RHYTHMS, widget=forms.RadioSelect, initial="weekly")
    expression = forms.CharField(
        label=_lazy("Cron expression"),
        required=False,
        max_length=100,
        help_text=_lazy(
            "Minute, hour, day of month, month, day of week: 0 18 * * 5 is every Friday at 18:00. Only for the rhythm "
            "by a cron expression; the first one starts at the first such time from “First start” on."
        ),
        widget=forms.TextInput(attrs={"placeholder": "0 18 * * 5", "spellcheck": "false"}),
    )
    field_order = ("name", "starts_at", "number", "rhythm", "expression")

    def __init__(self, competition: Competition, typed: Any, now: datetime) -> None:
        super().__init__(competition, typed, now)
        self.initial["name"] = f"{competition.name[:90]} {{n}}"
        self._describe_start(_("First start"))
        self.fields["name"].help_text = _(
            "{n} stands for the number of each, {date} for the day on which it starts. Names may be equal."
        )

    def clean(self) -> dict[str, Any]:
        """Ask for an expression where the rhythm is one, and for none elsewhere."""
        cleaned = super().clean() or self.cleaned_data
        is_cron, expression = cleaned.get("rhythm") == Rhythm.CRON, cleaned.get("expression", "").strip()
        if is_cron and not expression and "expression" not in self.errors:
            self.add_error("expression", ValidationError(_("Write the expression, or choose another rhythm.")))
        if not is_cron and expression:
            self.add_error("expression", ValidationError(_("Choose the rhythm by a cron expression, or empty this.")))
        return cleaned

    def wanted(self) -> list[Wanted]:
        """Return the copies with their names. Raises ``BadCompetition``."""
        typed = self.cleaned_data
        plan = Plan(typed["starts_at"], typed["number"], Rhythm(typed["rhythm"]), typed["expression"].strip())
        starts = starts_of(plan, self.zone)
        return [Wanted(self._name(nth, start), start) for nth, start in enumerate(starts, 1)]

    def _name(self, nth: int, start: datetime) -> str:
        day = spell(start.astimezone(self.zone), "Y-m-d")
        name: str = self.cleaned_data["name"]
        return name.replace("{n}", str(nth)).replace("{date}", day)


def _next_start(competition: Competition, now: datetime) -> datetime:
    """Return the start a week later, or the first such start that lies ahead."""
    weeks = max(1, (now - competition.starts_at) // _WEEK + 1)
    return weeks_later(competition.starts_at, weeks, ZoneInfo(competition.timezone))
