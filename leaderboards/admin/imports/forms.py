"""The forms that upload a file to import, for each kind of import."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation.sunwi_settings import sunwi_settings
from leaderboards.core.periods import PeriodKind
from leaderboards.models import Board, ImportKind
from leaderboards.services.imports.upload import Upload

PARTS = ("player", "points", "at", "id", "metadata")
_COLUMN = {"autocomplete": "off", "spellcheck": "false"}


class FileForm(forms.Form):
    """An uploaded file of one ``kind`` of import; this class is for players, its subclasses for the others."""

    kind = ImportKind.PLAYERS
    accept = ".csv,text/csv"
    file = forms.FileField(label=_lazy("File"), allow_empty_file=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].widget.attrs["accept"] = self.accept
        self.fields["file"].help_text = self.file_help()

    def file_help(self) -> str:
        """Describe the format of the file."""
        return _(
            "CSV in UTF-8 with a first line that names the columns: player, and any of name, avatar_url, country. "
            "An empty cell empties what it stands for. Up to 100,000 rows."
        )

    def clean_file(self) -> Any:
        """Refuse a file that is too long."""
        file = self.cleaned_data["file"]
        if file.size > sunwi_settings.LARGEST_UPLOAD:
            raise ValidationError(_("The file is too long: up to 8 MiB are taken. Split it."))
        return file

    def upload(self, by: Any) -> Upload:
        """Return the upload of the valid form."""
        file = self.cleaned_data["file"]
        return Upload(self.kind, file.name, file.read(), by, self.cleaned_data.get("board"), self.columns())

    def columns(self) -> dict[str, str]:
        """Return the name of each needed column; empty if the file's own header decides."""
        return {}


class ScoresForm(FileForm):
    """Scores for one board. The columns of a board's criteria have the names of the criteria."""

    kind = ImportKind.SCORES
    board = forms.ModelChoiceField(
        Board.objects.none(),
        label=_lazy("Board"),
        help_text=_lazy(
            "Boards in use. Competitions take no tables. On a board with criteria, columns are named like the criteria."
        ),
    )
    player = forms.CharField(label=_lazy("Column of the player"), initial="player", widget=forms.TextInput(_COLUMN))
    points = forms.CharField(
        label=_lazy("Column of the points"),
        initial="points",
        widget=forms.TextInput(_COLUMN),
        required=False,
        help_text=_lazy("Or a number that every row brings, such as 1. Not for boards with criteria."),
    )
    at = forms.CharField(
        label=_lazy("Column of the time"),
        required=False,
        widget=forms.TextInput(_COLUMN),
        help_text=_lazy("RFC 3339, or a date on the board's calendar. Without it, rows count when you confirm."),
    )
    id = forms.CharField(
        label=_lazy("Column of the id"),
        required=False,
        widget=forms.TextInput(_COLUMN),
        help_text=_lazy("An id counts once, in this file and in later ones. Without it, each row counts."),
    )
    metadata = forms.CharField(
        label=_lazy("Column of the metadata"),
        required=False,
        widget=forms.TextInput(_COLUMN),
        help_text=_lazy("A JSON object in each cell, or nothing. Boards that Redis decides keep none."),
    )
    field_order = ("file", "board", "player", "points", "at", "id", "metadata")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        boards = Board.objects.filter(retired_at=None).exclude(period=PeriodKind.EVENT)
        self.fields["board"].queryset = boards  # type: ignore[attr-defined]  # it is a choice of rows

    def file_help(self) -> str:
        """Describe the format of the file."""
        return _("CSV in UTF-8 with a first line that names the columns. Up to 8 MiB and 100,000 rows.")

    def clean(self) -> dict[str, Any]:
        """Ask for the column of the points where the board ranks by points."""
        given: dict[str, Any] = super().clean() or self.cleaned_data
        board = given.get("board")
        if board is not None and not board.criteria and not given.get("points"):
            self.add_error("points", _("This board ranks by points: which column has them?"))
        return given

    def columns(self) -> dict[str, str]:
        """Return the names of the columns from the form."""
        return {name: self.cleaned_data[name].strip() for name in PARTS}


class BoardsForm(FileForm):
    """Settings of boards, as JSON."""

    kind = ImportKind.BOARDS
    accept = ".json,application/json"

    def file_help(self) -> str:
        """Describe the format of the file."""
        return _('JSON: {"boards": [{"name": …, settings}, …]}, by name, all or none.')


FORMS: dict[str, type[FileForm]] = {
    ImportKind.SCORES: ScoresForm,
    ImportKind.PLAYERS: FileForm,
    ImportKind.BOARDS: BoardsForm,
}
