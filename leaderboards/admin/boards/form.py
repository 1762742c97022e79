"""The form of a board: its fields, which of them are fixed and why, and errors at the field that causes them.

All rules are in ``services.boards.check_board``; the form shows its errors. The trap: a disabled field keeps its
stored value, whatever the browser sends.
"""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock
from foundation.generics import ModelForm
from foundation.translate import translated
from leaderboards.admin.boards.criteria_field import CriteriaField, as_stored_if_same
from leaderboards.admin.boards.preview_seal import SEAL_FIELD, matches_seal
from leaderboards.admin.wording.decimals import trim_zeros
from leaderboards.admin.wording.descriptions import on_the_boards_clock
from leaderboards.admin.wording.form_labels import with_labels
from leaderboards.choices import OPERATORS, Unit
from leaderboards.core.periods import PeriodKind, next_opening, zone_names
from leaderboards.core.ranking.board_settings import (
    IMMUTABLE_SETTINGS,
    NEXT_PERIOD_SETTINGS,
    SCHEDULE_SETTINGS,
    board_calendar,
    board_rules,
)
from leaderboards.errors import BadBoard
from leaderboards.formats import points
from leaderboards.models import Board, Storage
from leaderboards.selectors.previews.board_change import BoardChange, board_change
from leaderboards.services.boards import SETTINGS, check_board

BOUNDS = ("minimum", "maximum", "total_maximum")
LIMITS = ("plausible_least", "plausible_most", "points_per_minute", "own_jump", "field_jump")  # decimals or None
PLAUSIBILITY = (
    *("plausible_least", "plausible_most", "submissions_per_minute", "points_per_minute"),
    *("own_jump", "own_jump_against", "own_jump_last", "field_jump", "field_jump_players"),
)


class TimezoneInput(forms.TextInput):
    """A text input with a datalist of the IANA time zones, which works without JavaScript."""

    def render(self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None) -> SafeString:
        """Render the input and its datalist."""
        field = super().render(name, value, {**(attrs or {}), "list": "timezones", "autocomplete": "off"}, renderer)
        zones = sorted(zone_names())
        options = format_html_join("", '<option value="{}"></option>', ((zone,) for zone in zones))
        return format_html('{}<datalist id="timezones">{}</datalist>', field, options)


class HueRadios(forms.RadioSelect):
    """The hues as radios, each with its swatch, which works without JavaScript."""

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Add the swatch to the label; the hue of a board's number has none."""
        option = super().create_option(name, value, *args, **kwargs)
        if value:
            mark = format_html('<span class="hue-swatch is-{}" aria-hidden="true">A</span>', value)
            option["label"] = format_html("{} {}", mark, option["label"])
        return option


class BoardForm(ModelForm[Board]):
    """The settings of a board.

    ``replaces`` is the board that "Save as new" retires; it is set on a subclass for each request.
    With ``requires_preview`` the form is only valid once its effects were shown: ``unconfirmed_change`` holds effects
    to show, and ``preview_is_outdated`` says that other effects were shown before.
    """

    operators = forms.MultipleChoiceField(
        label=_lazy("Operators"), choices=OPERATORS, required=False, widget=forms.CheckboxSelectMultiple
    )
    criteria = CriteriaField(label=_lazy("Criteria"), required=False)
    replaces: Board | None = None
    requires_preview = False
    unconfirmed_change: BoardChange | None = None
    preview_is_outdated = False

    class Meta:
        model = Board
        fields = SETTINGS
        widgets = {
            "timezone": TimezoneInput,
            "schedule": forms.TextInput(attrs={"placeholder": "0 18 * * 5", "size": 20, "spellcheck": "false"}),
            "hue": HueRadios,
            "cutoff": forms.TextInput(attrs={"placeholder": "00:00", "size": 6}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in BOUNDS:
            self.initial[name] = trim_zeros(self.initial.get(name, getattr(self.instance, name)))
        for name in LIMITS:
            if (number := self.initial.get(name, getattr(self.instance, name))) is not None:
                self.initial[name] = trim_zeros(number)
        for name, text in HELP.items():
            if name in self.fields:
                self.fields[name].help_text = text
        self._spell_times()
        if self.instance.pk and self.instance.periods.exists():
            self._freeze()

    def _spell_times(self) -> None:
        """Say what the bounds of a board of times are as durations."""
        if not self.instance.pk or self.instance.unit not in (Unit.SECONDS, Unit.MILLISECONDS):
            return
        for name in BOUNDS:
            self._note(
                name, _("Stored now: %(duration)s.") % {"duration": points(self.instance, getattr(self.instance, name))}
            )

    def _freeze(self) -> None:
        """Disable settings that cannot change any more, and note when a change of the others takes effect."""
        board = self.instance
        for name in IMMUTABLE_SETTINGS:
            self._fix(
                name,
                _("Fixed since the first period opened. “Save as new” makes a new board without this one's history."),
            )
        if board.is_event:
            return
        next_at = next_opening(board.calendar, clock.now())
        is_scheduled = board.period == PeriodKind.SCHEDULE
        for name in SCHEDULE_SETTINGS:
            if not is_scheduled:
                self._fix(name, _("For boards whose period is “schedule”."))
        for name in (*NEXT_PERIOD_SETTINGS, *(SCHEDULE_SETTINGS if is_scheduled else ())):
            if next_at is None:
                self._fix(name, _("Fixed: the one period of an all-time board keeps the rules it opened with."))
            else:
                note = _("A change takes effect from %(when)s.") % {"when": on_the_boards_clock(next_at, board)}
                self._note(name, note)
        if board.storage == Storage.REDIS:
            self._fix("partitions", _("Fixed: the ids of a board that Redis decides stand in its partitions."))

    def _fix(self, name: str, reason: str) -> None:
        if name in self.fields:
            self.fields[name].disabled = True
            self.fields[name].help_text = reason

    def _note(self, name: str, note: str) -> None:
        if name in self.fields:
            field = self.fields[name]
            field.help_text = f"{field.help_text} {note}".strip()

    def clean_criteria(self) -> Any:
        """Return the criteria; what means the same as before stays as it was stored."""
        stored = Board.objects.filter(pk=self.instance.pk).values_list("criteria", flat=True).first()
        return as_stored_if_same(stored, self.cleaned_data["criteria"] or [])

    def clean_name(self) -> str:
        """Refuse the name of another board in use, except of the board that is being replaced."""
        name = str(self.cleaned_data["name"]).strip()
        others = Board.objects.filter(name=name, retired_at=None).exclude(pk=self.instance.pk)
        if self.replaces is not None:
            others = others.exclude(pk=self.replaces.pk)
        if taken := others.first():
            raise ValidationError(
                _("Board %(seq)s has this name. Take another, or retire that board first.") % {"seq": taken.seq}
            )
        return name

    def clean(self) -> dict[str, Any] | None:
        """Refuse while this machine's clock is wrong, since saving opens periods."""
        try:
            clock.trusted_now()
        except clock.ClockOff as error:
            raise ValidationError(translated(error.detail)) from error
        return super().clean()

    def validate_constraints(self) -> None:
        """Do nothing: ``clean_name`` checks the one constraint, with a better message."""

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]  # Django keeps it private, and means it to be extended
        if self.errors:
            return
        board = self._board_to_check()
        for check in (check_board, board_calendar, board_rules):  # the first stops at its first error
            try:
                check(board)
            except BadBoard as error:
                self._refuse(error)
        if not self.errors:
            self._require_seen_preview()

    def _refuse(self, error: BadBoard) -> None:
        """Add an error at its field, unless the field has one."""
        field = error.field if error.field in self.fields else None
        if field is None or field not in self.errors:
            self.add_error(field, with_labels(translated(error.detail), self))

    def is_valid(self) -> bool:
        """Return whether the form has no errors, and its effects were seen."""
        return super().is_valid() and self.unconfirmed_change is None

    def _require_seen_preview(self) -> None:
        if not self.requires_preview:
            return
        change, seal = board_change(self.instance, SETTINGS, clock.now()), self.data.get(SEAL_FIELD, "")
        if change.changes and not matches_seal(seal, change):
            self.unconfirmed_change, self.preview_is_outdated = change, bool(seal)

    def _board_to_check(self) -> Board:
        """Return the board to validate, under another name while the board that it replaces still has its name."""
        if self.replaces is None or self.instance.name != self.replaces.name:
            return self.instance
        settings = {field: getattr(self.instance, field) for field in SETTINGS}
        return Board(**settings | {"name": f"new {self.instance.name}"[:100]})


HELP = {
    "period": _lazy("How long a board counts before it starts again. Events take their windows from competitions."),
    "timezone": _lazy("Whose midnight counts. Type a few letters: Seoul, Berlin, New_York."),
    "order": _lazy("Which way is better."),
    "update": _lazy("What a further submission does to a standing."),
    "ties": _lazy("Who is ahead when points are equal."),
    "week_start": _lazy("The weekday on which weekly boards turn over."),
    "cutoff": _lazy("When a day turns over, on the board's own clock: 04:30 counts the small hours to the day before."),
    "schedule": _lazy(
        "For the period “schedule”: when windows start, as a cron expression (minute, hour, day of month, month, "
        "day of week). 0 18 * * 5 is every Friday at 18:00, 0 12 * * * every day at noon, on the board's own clock."
    ),
    "open_minutes": _lazy(
        "For the period “schedule”: how long each window takes scores. 120 is two hours; whole days (1440) end at the "
        "same time of the clock. Empty: until the next window starts."
    ),
    "criteria": _lazy(
        "None: the board ranks by points. Else what is compared, the first row first; equals are compared by the next "
        "row. A name is what the game sends, such as stage; when it was achieved is not sent."
    ),
    "decimals": _lazy("0 to 6 digits after the point, kept exactly."),
    "minimum": _lazy("The least that one submission may be."),
    "maximum": _lazy("The most that one submission may be."),
    "total_maximum": _lazy("The most that a standing may reach. It decides how many bits points take in a score."),
    "operators": _lazy(
        "What a submission may name to do instead of the policy above. None: the policy always applies."
    ),
    "tie_break": _lazy("Where the time that breaks ties is kept. Leave it to Sunwi unless memory is short."),
    "grace_seconds": _lazy("How long after its end a period still takes submissions that happened in it."),
    "retention_days": _lazy("How long a final period stays in Redis. SQL keeps it longer."),
    "keep_submissions_days": _lazy("How long single submissions are kept after their period is final; at least 2."),
    "keep_periods_days": _lazy(
        "How long after it is final a period is deleted, with all its places. Empty: it is kept for good."
    ),
    "storage": _lazy(
        "hybrid suits nearly all boards; redis takes bursts; sql needs no Redis; dynamodb ranks the best at AWS."
    ),
    "encoding": _lazy(
        "How Redis keeps the standings: compact takes a third of the memory, and more of the processor for each score. "
        "For boards of many millions of players that SQL decides."
    ),
    "partitions": _lazy(
        "Into how many parts Redis divides each period: 1 up to about 25 million players, or one server. Others spread "
        "a board over a cluster."
    ),
    "own_tables": _lazy(
        "PostgreSQL gets tables for each new period, which are dropped as a whole when the period is deleted. For "
        "boards of millions of players."
    ),
    "score_ranges": _lazy(
        "Keeps the standings of a divided board once more, cut by score, so that ranks and deep pages need not ask "
        "every part. Twice the memory, and more work for each score."
    ),
    "unit": _lazy("How points are shown."),
    "format": _lazy("Shown behind the number instead of the unit, such as kcal."),
    "hue": _lazy(
        "The colour of its page, mark and competitions. All ten are legible in light and dark; by its number is as "
        "before."
    ),
    "visibility": _lazy("Private boards are for staff and for keys with the scope boards:read."),
    "plausible_least": _lazy(
        "A submission with fewer points is not refused: it waits, unranked, until a moderator accepts or voids it. "
        "Empty is no limit, here and below."
    ),
    "plausible_most": _lazy("A submission with more points waits for a moderator."),
    "submissions_per_minute": _lazy("What a player sends beyond this in a minute, by the server's clock, waits."),
    "points_per_minute": _lazy("What brings the points of a player's last minute beyond this waits."),
    "own_jump": _lazy("A submission this many times better than what the player sent before waits, such as 3."),
    "own_jump_against": _lazy("What of the player's last submissions a jump is held against."),
    "own_jump_last": _lazy("How many of their last submissions; with fewer, nothing is held against them."),
    "field_jump": _lazy("A submission, or the sum that it makes, this many times better than the first place waits."),
    "field_jump_players": _lazy("How many players must have scored before anything is held against the first place."),
}
