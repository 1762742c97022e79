"""The form of a competition: times in its time zone, a picture, and invitations as lines.

The services check the settings; the form shows their errors at the fields. Once the competition is published, settings
that participants rely on are no fields any more; only actions change them and notify the participants.
"""

from collections.abc import Callable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from competitions.admin.times import ClockField, as_typed, in_zone
from competitions.errors import BadCompetition
from competitions.models import Competition, NoticeKind
from competitions.models.competitions import default_alerts
from competitions.selectors.results.review import default_of
from competitions.services.lifecycle.publish import check, check_joining, check_times
from competitions.services.participants.invite import read_invited
from competitions.services.picture import LARGEST, as_webp
from foundation import clock
from foundation.generics import ModelForm
from foundation.translate import translated
from leaderboards.admin.base.validators import validate_name, validate_text
from leaderboards.admin.boards.form import TimezoneInput
from leaderboards.core.periods import zone_names
from leaderboards.errors import BadBoard, BadPlayer
from leaderboards.models import Board

TIMES = ("starts_at", "ends_at", "join_until")
JOINING = frozenset({"joining", "join_code", "join_until"})
ALERTS = (NoticeKind.FIRST_TAKEN, NoticeKind.FIRST_LOST, NoticeKind.TOP3_ENTERED, NoticeKind.TOP10_ENTERED)
# The settings that are fixed once the competition is published.
FIXED = (
    *("board", "starts_at", "ends_at", "timezone", "attempts", "freeze_minutes", "snapshot_minutes"),
    *("vacated_places", "team_score", "team_counts", "team_size"),
)


class CompetitionForm(ModelForm[Competition]):
    """The settings of a draft, or those that may still change after publishing."""

    starts_at = ClockField(label=_lazy("Starts"), help_text=_lazy("On the clock of its time zone."))
    ends_at = ClockField(label=_lazy("Ends"))
    join_until = ClockField(label=_lazy("Joining until"), required=False, help_text=_lazy("Empty: until the end."))
    upload = forms.FileField(
        label=_lazy("Picture"),
        required=False,
        help_text=_lazy("JPEG, PNG, WebP or GIF up to 5 MB; it is made to fit 1200×675, and its metadata is dropped."),
        widget=forms.FileInput(attrs={"accept": "image/jpeg,image/png,image/webp,image/gif"}),
    )
    no_picture = forms.BooleanField(label=_lazy("Take the picture away"), required=False)
    invited = forms.CharField(
        label=_lazy("The list"),
        required=False,
        help_text=_lazy("Players' ids, one a line. It counts where players on the list may join."),
        widget=forms.Textarea(attrs={"rows": 6, "cols": 40, "spellcheck": "false"}),
        strip=False,
    )
    alerts = forms.MultipleChoiceField(
        label=_lazy("Alerts"),
        required=False,
        choices=[(kind.value, kind.label) for kind in ALERTS],
        initial=default_alerts,
        widget=forms.CheckboxSelectMultiple,
        help_text=_lazy("What players hear in the last hours."),
    )

    class Meta:
        model = Competition
        fields = (
            *("name", "board", "starts_at", "ends_at", "timezone", "description", "joining", "join_code"),
            *("join_until", "most_participants", "attempts", "freeze_minutes", "review_hours"),
            *("snapshot_minutes", "alert_hours", "alerts", "vacated_places"),
            *("team_score", "team_counts", "team_size", "team_founding", "team_entry"),
        )
        help_texts = {
            "freeze_minutes": _lazy(
                "From then on the public sees the standings as they were, until you reveal the result. As long as the "
                "competition hides them from the start; longer is refused. Empty: no freeze."
            ),
            "team_score": _lazy("Empty: there are no teams. Scores stay of players; a team has what its members have."),
            "team_counts": _lazy("Empty: all who have a score."),
            "team_size": _lazy("Empty: no limit."),
            "team_founding": _lazy("Else those who run the competition make the teams."),
            "team_entry": _lazy(
                "Who founded a team sees its code and passes it on. Other teams are open to everybody."
            ),
        }
        widgets = {"timezone": TimezoneInput, "description": forms.Textarea(attrs={"rows": 5, "cols": 60})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        competition = self.instance
        for name, refuse in (("name", validate_name), ("description", validate_text)):
            if name in self.fields:
                self.fields[name].validators.append(refuse)
        for name in TIMES:
            if competition.pk and name in self.fields:
                self.initial[name] = as_typed(getattr(competition, name), competition.timezone)
        if competition.pk and "invited" in self.fields:
            self.initial["invited"] = "\n".join(competition.invitations.values_list("external_id", flat=True))
        if "review_hours" in self.fields:
            self.fields["review_hours"].help_text = _review_help(competition)
        board = self.fields.get("board")
        if isinstance(board, forms.ModelChoiceField):
            board.queryset = Board.objects.filter(period="event", retired_at=None)
            board.error_messages["invalid_choice"] = _("Take a board of period event that is in use.")

    def clean_timezone(self) -> str:
        """Refuse unknown time zones, since times cannot be read without a zone."""
        zone = str(self.cleaned_data["timezone"])
        if zone not in zone_names():
            raise ValidationError(_("“%(zone)s” is no time zone: take one such as Asia/Seoul.") % {"zone": zone})
        return zone

    def clean_upload(self) -> bytes:
        """Convert the picture for storage; empty without one."""
        file = self.cleaned_data["upload"]
        if not isinstance(file, UploadedFile):
            return b""
        try:
            return as_webp(file.read(LARGEST + 1) if file.size and file.size <= LARGEST else b"\0" * (LARGEST + 1))
        except BadCompetition as error:
            raise ValidationError(translated(error.detail)) from error

    def clean_invited(self) -> list[str]:
        """Parse the ids; the error names the invalid line."""
        try:
            return read_invited(self.cleaned_data["invited"])
        except BadPlayer as error:
            raise ValidationError(translated(error.detail)) from error

    def clean(self) -> dict[str, Any]:
        """Read times in the competition's time zone and check their order, before the database constraint does."""
        cleaned = super().clean() or self.cleaned_data
        zone = cleaned.get("timezone") or self.instance.timezone
        for name in TIMES:
            if name in cleaned:
                cleaned[name] = in_zone(cleaned[name], zone)
        if cleaned.get("starts_at") and cleaned.get("ends_at"):
            window = Competition(starts_at=cleaned["starts_at"], ends_at=cleaned["ends_at"])
            self._add_errors_of(lambda: check_times(window, clock.now()))
        return cleaned

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]  # Django keeps it private, and means it to be extended
        if not self.errors:
            self._add_errors_of(self._check)

    def _add_errors_of(self, rule: Callable[[], None]) -> None:
        """Show the error that ``rule`` raises at its field."""
        try:
            rule()
        except (BadCompetition, BadBoard) as error:
            self.add_error(error.field if error.field in self.fields else None, translated(error.detail))

    def _check(self) -> None:
        at = clock.now()
        if self.instance.published_at is None:
            check(self.instance, at)
        elif JOINING & set(self.changed_data):
            check_joining(self.instance, at)


def _review_help(competition: Competition) -> str:
    """Return the help text of the review, with the present default."""
    until = _("How long the result stays provisional after the closing; 0 makes it final at once.")
    hours = int(default_of(competition).total_seconds() // 3600)
    if hours:
        empty = _("Empty: %(hours)s hours, since there is a freeze, a reward or a series.") % {"hours": hours}
    else:
        empty = _("Empty: none, or 24 hours once there is a freeze, a reward or a series.")
    return f"{until} {empty}"
