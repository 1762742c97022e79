"""What is asked before a player is restricted or let go: which kind, and where; and a restriction in words."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from leaderboards.admin.sentences import in_utc
from leaderboards.models import Board, Restriction, RestrictionKind
from leaderboards.selectors.restrictions import running
from leaderboards.services.restrict import What

LARGEST_NUMBER = 2**31 - 1
MOST_CHOICES = 200


class RestrictForm(forms.Form):
    """A kind, and a board by its number, or none for all. Without input it means hiding on all boards."""

    kind = forms.ChoiceField(
        label=_lazy("What"),
        choices=(
            (RestrictionKind.HIDDEN, _lazy("Hide: nobody sees them, and they are told so")),
            (RestrictionKind.SHADOWED, _lazy("Shadow: they alone see themselves")),
            (RestrictionKind.BANNED, _lazy("Ban: nobody sees them, and their scores are refused")),
        ),
    )
    board = forms.IntegerField(
        label=_lazy("Number of the board"),
        help_text=_lazy("Empty for all boards."),
        required=False,
        min_value=1,
        max_value=LARGEST_NUMBER,
    )

    def clean_board(self) -> Board | None:
        """The board of the number."""
        number = self.cleaned_data["board"]
        if number is None:
            return None
        found = Board.objects.filter(seq=number).first()
        if found is None:
            raise ValidationError(_("There is no board %(number)s.") % {"number": number})
        return found

    def what(self) -> What | None:
        """What was chosen; None where that cannot be."""
        if not self.is_bound:
            return What(RestrictionKind.HIDDEN)
        if not self.is_valid():
            return None
        return What(RestrictionKind(self.cleaned_data["kind"]), self.cleaned_data["board"])


class LiftForm(forms.Form):
    """One of what these players are restricted by; the first of it without input."""

    what_runs = forms.ChoiceField(label=_lazy("What"))

    def __init__(self, *args: Any, players: Sequence[int], **more: Any) -> None:
        super().__init__(*args, **more)
        rows = running().filter(player__in=players).select_related("board").order_by("kind", "board")
        whats = dict.fromkeys(What(RestrictionKind(row.kind), row.board) for row in rows)
        self._whats = {what.mark: what for what in list(whats)[:MOST_CHOICES]}
        choices = [(mark, _of(what.kind, what.board)) for mark, what in self._whats.items()]
        self.fields["what_runs"].choices = choices  # type: ignore[attr-defined]  # it is a choice field

    def what(self) -> What | None:
        """What was chosen; None where that cannot be."""
        if not self.is_bound:
            return next(iter(self._whats.values()), None)
        return self._whats[self.cleaned_data["what_runs"]] if self.is_valid() else None


def on_in_words(row: Restriction) -> tuple[str, str, str, str, str]:
    """When, what and where, by whom, why, and how it ended."""
    ended = ""
    if row.lifted_at is not None:
        lifted = {"when": in_utc(row.lifted_at), "by": row.lifted_by or "-", "reason": row.lift_reason or "-"}
        ended = _(" · lifted %(when)s · %(by)s · %(reason)s") % lifted
    return in_utc(row.since), _of(row.kind, row.board), str(row.by or "-"), row.reason or "-", ended


def _of(kind: str, board: Board | None) -> str:
    where = (
        _("all boards")
        if board is None
        else _("board %(number)s, %(name)s")
        % {
            "number": board.seq,
            "name": board.name,
        }
    )
    return f"{RestrictionKind(kind).label}: {where}"
