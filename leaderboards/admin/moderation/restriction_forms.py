"""Forms to restrict players and to lift restrictions (kind and board), and restrictions as text."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.admin.wording.periods import period_in_words
from leaderboards.models import Board, Restriction, RestrictionKind
from leaderboards.selectors.visibility.restrictions import active_restrictions
from leaderboards.services.moderation.ban import can_be_unbanned
from leaderboards.services.moderation.restrict import RestrictionScope, scope_of

MOST_CHOICES = 200
ALL_BOARDS = "all"
NOT_CHOSEN = ("", _lazy("Choose…"))


class RestrictForm(forms.Form):
    """A kind of restriction, and one board or all. Both have to be chosen: there is no default."""

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

    def scope(self) -> RestrictionScope | None:
        """Return the chosen restriction; None if the form is unbound or invalid."""
        if not self.is_bound or not self.is_valid():
            return None
        return RestrictionScope(
            RestrictionKind(self.cleaned_data["kind"]), self._boards.get(self.cleaned_data["board"])
        )


class StandingForm(forms.Form):
    """Hide one standing: the restriction is given by the page, so the form has no fields."""

    def __init__(self, scope: RestrictionScope) -> None:
        super().__init__()
        self._scope = scope

    def scope(self) -> RestrictionScope:
        """Return the restriction of this period."""
        return self._scope


class LiftForm(forms.Form):
    """One of the active restrictions of these players; if there is only one, it is chosen without input."""

    what_runs = forms.ChoiceField(label=_lazy("What"))

    def __init__(self, *args: Any, players: Sequence[int], **more: Any) -> None:
        super().__init__(*args, **more)
        rows = active_restrictions().filter(player__in=players).select_related("board", "period")
        scopes = dict.fromkeys(scope_of(row) for row in rows.order_by("kind", "board", "period"))
        if can_be_unbanned().filter(pk__in=players).exists():
            scopes = {RestrictionScope(RestrictionKind.BANNED, None): None, **scopes}
        self._scopes = {scope.key: scope for scope in list(scopes)[:MOST_CHOICES]}
        named = [(key, describe_restriction(scope)) for key, scope in self._scopes.items()]
        choices = named if len(named) == 1 else [NOT_CHOSEN, *named]
        self.fields["what_runs"].choices = choices  # type: ignore[attr-defined]  # it is a choice field

    @property
    def is_empty(self) -> bool:
        """Return whether none of the players is restricted or banned."""
        return not self._scopes

    def scope(self) -> RestrictionScope | None:
        """Return the chosen restriction; None if none is chosen, or the choice is invalid."""
        if not self.is_bound:
            return next(iter(self._scopes.values())) if len(self._scopes) == 1 else None
        return self._scopes[self.cleaned_data["what_runs"]] if self.is_valid() else None


def restriction_cells(row: Restriction) -> tuple[str, str, str, str, str]:
    """Return the time, the restriction, the user, the reason and the end of a restriction as text."""
    ended = ""
    if row.lifted_at is not None:
        lifted = {"when": in_utc(row.lifted_at), "by": row.lifted_by or "-", "reason": row.lift_reason or "-"}
        ended = _(" · lifted %(when)s · %(by)s · %(reason)s") % lifted
    restriction = describe_restriction(scope_of(row))
    return in_utc(row.since), restriction, str(row.by or "-"), row.reason or "-", ended


def describe_restriction(scope: RestrictionScope) -> str:
    """Describe the kind and the scope; boards with their number, since names are reused after a board is retired."""
    if scope.board is not None and scope.period is not None:
        words = {"number": scope.board.seq, "name": scope.board.name, "period": period_in_words(scope.period)}
        return _("one standing hidden: board %(number)s, %(name)s, %(period)s") % words
    if scope.is_ban_from_all:
        return _("banned from everything")
    where = _("all boards")
    if scope.board is not None:
        where = _("board %(number)s, %(name)s") % {"number": scope.board.seq, "name": scope.board.name}
    return f"{scope.kind.label}: {where}"


def restrict_title(scope: RestrictionScope, whom: str) -> str:
    """Return the title of the page, and of its button: "Hide ann on Weekly"."""
    return {
        RestrictionKind.HIDDEN: _("Hide %(whom)s on %(board)s"),
        RestrictionKind.SHADOWED: _("Shadow %(whom)s on %(board)s"),
        RestrictionKind.BANNED: _("Ban %(whom)s from %(board)s"),
    }[scope.kind] % _title_words(scope, whom)


def restricted_message(scope: RestrictionScope, whom: str) -> str:
    """Return the message after restricting: "Hidden on Weekly: ann."."""
    return {
        RestrictionKind.HIDDEN: _("Hidden on %(board)s: %(whom)s."),
        RestrictionKind.SHADOWED: _("Shadowed on %(board)s: %(whom)s."),
        RestrictionKind.BANNED: _("Banned from %(board)s: %(whom)s."),
    }[scope.kind] % _title_words(scope, whom)


def lift_title(scope: RestrictionScope, whom: str) -> str:
    """Return the title of the page that lifts a restriction."""
    return _("Lift “%(what)s” of %(whom)s") % {"what": describe_restriction(scope), "whom": whom}


def lifted_message(scope: RestrictionScope, whom: str) -> str:
    """Return the message after lifting a restriction."""
    return _("Lifted “%(what)s”: %(whom)s.") % {"what": describe_restriction(scope), "whom": whom}


def _title_words(scope: RestrictionScope, whom: str) -> dict[str, str]:
    where = scope.board.name if scope.board else _("all boards")
    return {"whom": whom, "board": f"{where} ({scope.period.label})" if scope.period else where}
