"""Leagues in the admin: their tiers and settings, and the members of their groups with outcomes.

Changes apply from the next period on; a running season keeps its rules.
"""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import pgettext_lazy

from competitions.core.leagues import FEWEST_TIERS, MOST_TIERS
from competitions.models import League, LeagueMember, LeagueTier
from competitions.selectors.leagues import CALENDAR
from foundation.generics import BaseInlineFormSet, ModelForm, TabularInline
from leaderboards.admin.base.bulk_deletion import NoBulkDeletion
from leaderboards.admin.base.lookups import DeclaredLookupsAdmin
from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.models import Board, Storage

_NAMES = (_lazy("Bronze"), _lazy("Silver"), _lazy("Gold"), _lazy("Platinum"), _lazy("Diamond"))


class LeagueForm(ModelForm[League]):
    """The settings of a league on a calendar board."""

    board = forms.ModelChoiceField(
        label=_lazy("Board"),
        queryset=Board.objects.filter(retired_at=None, period__in=CALENDAR),
        help_text=_lazy("A board of days, weeks, months, years or a schedule: players move when a period is over."),
    )

    class Meta:
        model = League
        fields = ("board", "enabled", "group_size", "promoted", "demoted")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk and "board" in self.fields:  # it may be retired by now
            self.fields["board"].queryset = Board.objects.filter(pk=self.instance.board_id)  # type: ignore[attr-defined]  # a choice of rows has one

    def clean_board(self) -> Board:
        """Refuse a board that has a league already."""
        board: Board = self.cleaned_data["board"]
        if League.objects.filter(board=board).exclude(pk=self.instance.pk).exists():
            raise ValidationError(
                _("Board %(seq)s, “%(board)s”, has a league already: change that one, or take another board.")
                % {"seq": board.seq, "board": board.name}
            )
        if board.storage == Storage.DYNAMODB:
            raise ValidationError(_("DynamoDB does not rank a group of players: take a board in SQL or Redis."))
        return board

    def clean(self) -> dict[str, Any]:
        """Check that the players who move up and down fit into a group."""
        cleaned = super().clean() or self.cleaned_data
        size, up, down = (cleaned.get(name) for name in ("group_size", "promoted", "demoted"))
        if size is not None and up is not None and down is not None and up + down > size:
            numbers = {"moving": up + down, "size": size}
            why = (
                _("%(moving)s players move, and a group has %(size)s: let fewer move, or make groups larger.") % numbers
            )
            self.add_error("group_size", why)
        return cleaned


class TiersOfLeague(BaseInlineFormSet[LeagueTier, League, ModelForm[LeagueTier]]):
    """The tiers of a league: at least two, with different names and positions."""

    def get_unique_error_message(self, unique_check: Sequence[str]) -> str:
        """Say which value is repeated, and what to do."""
        if "name" in unique_check:
            return _("Two tiers have the same name: change one of them.")
        return _("Two tiers have the same position: give each step of the ladder its own.")

    def get_form_error(self) -> str:
        """Return the error at a tier that repeats another."""
        return _("It is there already, in a tier above.")

    def clean(self) -> None:
        """Require at least two tiers."""
        super().clean()
        kept = [each for each in self.forms if each.cleaned_data.get("name") and not each.cleaned_data.get("DELETE")]
        if not any(self.errors) and len(kept) < FEWEST_TIERS:
            raise ValidationError(_("A league needs at least two tiers."))


class LeagueTiers(TabularInline[LeagueTier, League]):
    """The tiers of a league, lowest first."""

    model = LeagueTier
    formset = TiersOfLeague
    fields = ("position", "name")
    ordering = ("position",)
    extra = 0
    max_num = MOST_TIERS

    def get_extra(self, request: HttpRequest, obj: League | None = None, **_: Any) -> int:
        """Offer example tiers for a new league."""
        return len(_NAMES) if obj is None else 1


@admin.register(League)
class LeagueAdmin(NoBulkDeletion, DeclaredLookupsAdmin[League]):
    """Leagues, at most one for each board."""

    form = LeagueForm
    inlines = (LeagueTiers,)
    list_display = ("board", "enabled", "group_size", "promoted", "demoted")
    list_filter = ("enabled",)
    list_select_related = ("board",)
    search_fields = ("board__name",)
    fieldsets = (
        (None, {"fields": ("board", "enabled")}),
        (
            pgettext_lazy("of a league", "Groups"),
            {
                "fields": ("group_size", "promoted", "demoted"),
                "description": _lazy(
                    "Changes count for periods that begin afterwards. The lowest tier is where everybody begins; "
                    "players keep the number of their tier."
                ),
            },
        ),
    )

    def get_formset_kwargs(self, request: HttpRequest, obj: League, inline: Any, prefix: str) -> dict[str, Any]:
        """Fill a new form with example tiers; a submitted form is checked as it is."""
        given = super().get_formset_kwargs(request, obj, inline, prefix)
        if not obj.pk and request.method == "GET":
            given["initial"] = [{"position": nth, "name": name} for nth, name in enumerate(_NAMES, start=1)]
        return given

    def get_readonly_fields(self, request: HttpRequest, obj: League | None = None) -> Any:
        """Make the board of an existing league read-only: its players' tiers belong to it."""
        return ("board",) if obj else ()

    def has_delete_permission(self, request: HttpRequest, obj: League | None = None) -> bool:
        """Allow to delete a league without members only: their tiers would be lost. Disabling it keeps them."""
        is_empty = obj is None or not LeagueMember.objects.filter(season__league=obj).exists()
        return super().has_delete_permission(request, obj) and is_empty


@admin.register(LeagueMember)
class LeagueMemberAdmin(ReadOnlyAdmin[LeagueMember]):
    """The members of groups, with their outcomes."""

    list_display = ("player", "board", "season", "group", "place", "outcome")
    list_filter = ("outcome", ("season__league", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("player", "season__period__board", "group__season")
    search_fields = ("player__external_id__exact",)
    search_help_text = _lazy("A player's whole id, or the beginning of a name.")
    ordering = ("-pk",)
    fields = ("player", "board", "season", "group", "place", "outcome")

    @admin.display(description=_lazy("board"))
    def board(self, member: LeagueMember) -> str:
        """Show the board's name."""
        return member.season.period.board.name
