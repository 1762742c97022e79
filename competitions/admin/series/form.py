"""The form of a series: points as text, and the services' errors at their fields."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from competitions.core.series import read_table, table_text
from competitions.errors import BadSeries
from competitions.models import Series
from foundation.generics import ModelForm
from foundation.translate import translated
from leaderboards.choices import Visibility
from leaderboards.models import Board


class SeriesForm(ModelForm[Series]):
    """The settings of a series; the visibility is its board's."""

    visibility = forms.ChoiceField(label=_lazy("Visibility"), choices=Visibility.choices, initial=Visibility.PUBLIC)
    points = forms.CharField(
        label=_lazy("Points by place"),
        help_text=_lazy("The first place first, with blanks between: 25 18 15 12 10. Further places earn 0."),
        widget=forms.TextInput(attrs={"size": 60}),
    )

    class Meta:
        model = Series
        fields = ("name", "description", "taking_part", "best")
        widgets = {"description": forms.Textarea(attrs={"rows": 4, "cols": 60})}
        help_texts = {
            "taking_part": _lazy("For everybody who is ranked, on top of what the place earns."),
            "best": _lazy("How many results of a player count, the best ones. Empty: all of them."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial["points"] = table_text(self.instance.table)
            self.initial["visibility"] = self.instance.board.visibility

    def clean_points(self) -> tuple[int, ...]:
        """Parse the table of points."""
        try:
            return read_table(self.cleaned_data["points"])
        except BadSeries as error:
            raise ValidationError(translated(error.detail)) from error

    def clean_name(self) -> str:
        """Refuse a name that another board in use has, since the board of the series gets it."""
        name: str = self.cleaned_data["name"]
        if Series.objects.filter(name=name).exclude(pk=self.instance.pk).exists():
            raise ValidationError(_("A series has this name already: take another name, or change that series."))
        others = Board.objects.filter(name=name, retired_at=None).exclude(pk=self.instance.board_id)
        if others.exists():
            raise ValidationError(
                _("A board in use has this name, and the board of the series bears it: take another.")
            )
        return name

    def _post_clean(self) -> None:
        if "points" in self.cleaned_data:
            self.instance.table = list(self.cleaned_data["points"])
        super()._post_clean()  # type: ignore[misc]  # Django keeps it private, and means it to be extended
