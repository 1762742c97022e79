"""What is asked before a player is restricted or let go: which kind, and where; and a restriction in words."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.models import Board, Restriction, RestrictionKind
from leaderboards.selectors.visibility.restrictions import active_restrictions
from leaderboards.services.moderation.ban import can_be_unbanned
from leaderboards.services.moderation.restrict import RestrictionScope, scope_of

MOST_CHOICES = 200
ALL_BOARDS = "all"
NOT_CHOSEN = ("", _lazy("Choose…"))


class RestrictForm(forms.Form):
    """A kind, and a board by its name, or all of them. Both have to be chosen: nothing stands there by itself."""

    kind = forms.ChoiceField(
        label=_lazy("What"),
        choices=(
            NOT_CHOSEN,
            (RestrictionKind.HIDDEN, _lazy("Hide: nobody sees them, and they are told so")),
            (RestrictionKind.SHADOWED, _lazy("Shadow: they alone see themselves")),
            (RestrictionKind.BANNED, _lazy("Ban: nobody sees them, and their scores are refused")),
        ),
    )
    board = forms.ChoiceField(
        label=_lazy("Where"), error_messages={"invalid_choice": _lazy("There is no board %(value)s.")}
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._boards = {str(board.pk): board for board in Board.objects.order_by("name", "pk")}
        named = [(number, f"{board.name} ({number})") for number, board in self._boards.items()]
        choices = [NOT_CHOSEN, (ALL_BOARDS, _("All boards")), *named]
        self.fields["board"].choices = choices  # type: ignore[attr-defined]  # it is a choice field

    def what(self) -> RestrictionScope | None:
        """What was chosen; None where nothing was, or it cannot be."""
        if not self.is_bound or not self.is_valid():
            return None
        return RestrictionScope(
            RestrictionKind(self.cleaned_data["kind"]), self._boards.get(self.cleaned_data["board"])
        )


class StandingForm(forms.Form):
    """Nothing to choose: one standing is hidden, in the period that the page was opened for."""

    def __init__(self, what: RestrictionScope) -> None:
        super().__init__()
        self._what = what

    def what(self) -> RestrictionScope:
        """Hiding in this period."""
        return self._what


class LiftForm(forms.Form):
    """One of what these players are restricted by; the only one of it without input, if there is but one."""

    what_runs = forms.ChoiceField(label=_lazy("What"))

    def __init__(self, *args: Any, players: Sequence[int], **more: Any) -> None:
        super().__init__(*args, **more)
        rows = active_restrictions().filter(player__in=players).select_related("board", "period")
        whats = dict.fromkeys(scope_of(row) for row in rows.order_by("kind", "board", "period"))
        if can_be_unbanned().filter(pk__in=players).exists():
            whats = {RestrictionScope(RestrictionKind.BANNED, None): None, **whats}
        self._whats = {what.key: what for what in list(whats)[:MOST_CHOICES]}
        named = [(key, describe_restriction(what)) for key, what in self._whats.items()]
        choices = named if len(named) == 1 else [NOT_CHOSEN, *named]
        self.fields["what_runs"].choices = choices  # type: ignore[attr-defined]  # it is a choice field

    @property
    def is_empty(self) -> bool:
        """Whether none of them is restricted, nor banned."""
        return not self._whats

    def what(self) -> RestrictionScope | None:
        """What was chosen; None where that cannot be."""
        if not self.is_bound:
            return next(iter(self._whats.values())) if len(self._whats) == 1 else None
        return self._whats[self.cleaned_data["what_runs"]] if self.is_valid() else None


def restriction_cells(row: Restriction) -> tuple[str, str, str, str, str]:
    """When, what and where, by whom, why, and how it ended."""
    ended = ""
    if row.lifted_at is not None:
        lifted = {"when": in_utc(row.lifted_at), "by": row.lifted_by or "-", "reason": row.lift_reason or "-"}
        ended = _(" · lifted %(when)s · %(by)s · %(reason)s") % lifted
    what = describe_restriction(scope_of(row))
    return in_utc(row.since), what, str(row.by or "-"), row.reason or "-", ended


def describe_restriction(what: RestrictionScope) -> str:
    """The kind, and where; the board with its number, since names come back once a board is retired."""
    if what.board is not None and what.period is not None:
        words = {"number": what.board.seq, "name": what.board.name, "period": what.period.label}
        return _("one standing hidden: board %(number)s, %(name)s, period %(period)s") % words
    if what.is_ban_from_all:
        return _("banned from everything")
    where = _("all boards")
    if what.board is not None:
        where = _("board %(number)s, %(name)s") % {"number": what.board.seq, "name": what.board.name}
    return f"{what.kind.label}: {where}"


def restrict_title(what: RestrictionScope, whom: str) -> str:
    """What is going to be done to whom, as a heading and a button say it."""
    return {
        RestrictionKind.HIDDEN: _("Hide %(whom)s on %(board)s"),
        RestrictionKind.SHADOWED: _("Shadow %(whom)s on %(board)s"),
        RestrictionKind.BANNED: _("Ban %(whom)s from %(board)s"),
    }[what.kind] % _whom_and_where(what, whom)


def restricted_message(what: RestrictionScope, whom: str) -> str:
    """What was done to whom."""
    return {
        RestrictionKind.HIDDEN: _("Hidden on %(board)s: %(whom)s."),
        RestrictionKind.SHADOWED: _("Shadowed on %(board)s: %(whom)s."),
        RestrictionKind.BANNED: _("Banned from %(board)s: %(whom)s."),
    }[what.kind] % _whom_and_where(what, whom)


def lift_title(what: RestrictionScope, whom: str) -> str:
    """Which restriction of whom is going to be lifted."""
    return _("Lift “%(what)s” of %(whom)s") % {"what": describe_restriction(what), "whom": whom}


def lifted_message(what: RestrictionScope, whom: str) -> str:
    """Which restriction of whom was lifted."""
    return _("Lifted “%(what)s”: %(whom)s.") % {"what": describe_restriction(what), "whom": whom}


def _whom_and_where(what: RestrictionScope, whom: str) -> dict[str, str]:
    where = what.board.name if what.board else _("all boards")
    return {"whom": whom, "board": f"{where} ({what.period.label})" if what.period else where}
