"""Reward tiers of competitions and of boards in the admin.

Tiers apply to results that become final later, never to earlier ones.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from competitions.models import Competition, RewardTier, TierKind
from foundation.generics import BaseInlineFormSet, ModelForm, TabularInline
from leaderboards.admin.base.lookups import DeclaredLookupsAdmin
from leaderboards.admin.wording.decimals import trim_zeros
from leaderboards.models import Board


class TierForm(ModelForm[RewardTier]):
    """A reward tier with valid limits."""

    def __init__(self, *args: Any, board: Board | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._board = board
        if self.instance.pk:
            self.initial["limit"] = trim_zeros(self.instance.limit)

    def clean(self) -> dict[str, Any]:
        """Check the limit: ranks are integers in order, a percentage is within 0 to 100."""
        cleaned = super().clean() or self.cleaned_data
        kind, limit, first = cleaned.get("kind"), cleaned.get("limit"), cleaned.get("from_rank")
        if limit is not None and (why := _wrong_limit(kind, limit, first or 1)):
            self.add_error("limit", why)
        board = cleaned.get("board") or self._board
        if kind == TierKind.POINTS and board is not None and board.criteria:
            self.add_error("kind", _("This board ranks by criteria and has no points: choose rank or percent."))
        return cleaned


def _wrong_limit(kind: str | None, limit: Decimal, first: int) -> str | None:
    if kind == TierKind.RANK and (limit != int(limit) or limit < max(1, first)):
        return _("By rank this is a whole number, and not below the rank that it begins with.")
    if kind == TierKind.PERCENT and not 0 < limit <= 100:
        return _("By percent this is more than 0 and at most 100.")
    return None


class TiersOfCompetition(BaseInlineFormSet[RewardTier, Competition, ModelForm[RewardTier]]):
    """Passes the competition's board to each form."""

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Add the board of the competition, which may be unsaved."""
        board = self.instance.board if self.instance.board_id else None
        return {**super().get_form_kwargs(index), "board": board}


class CompetitionTiers(TabularInline[RewardTier, Competition]):
    """The tiers of a competition; fixed once the competition is over."""

    model = RewardTier
    form = TierForm
    formset = TiersOfCompetition
    fields = ("name", "code", "kind", "from_rank", "limit")
    extra = 1

    def get_fields(self, request: HttpRequest, obj: Competition | None = None) -> Any:
        """Show a read-only limit without trailing zeros."""
        return _fields(self.fields, can_change=self.has_change_permission(request, obj))

    def get_readonly_fields(self, request: HttpRequest, obj: Competition | None = None) -> Any:
        """Return the read-only limit."""
        return () if self.has_change_permission(request, obj) else ("up_to",)

    @admin.display(description=_lazy("up to"))
    def up_to(self, tier: RewardTier) -> str:
        """Show the limit without trailing zeros."""
        return trim_zeros(tier.limit)

    def has_add_permission(self, request: HttpRequest, obj: Competition | None = None) -> bool:
        """Allow changes as long as rewards can be won."""
        return super().has_add_permission(request, obj) and _can_be_won(obj)

    def has_change_permission(self, request: HttpRequest, obj: Competition | None = None) -> bool:
        """Allow changes as long as rewards can be won."""
        return super().has_change_permission(request, obj) and _can_be_won(obj)

    def has_delete_permission(self, request: HttpRequest, obj: Competition | None = None) -> bool:
        """Allow deletion as long as rewards can be won."""
        return super().has_delete_permission(request, obj) and _can_be_won(obj)


def _fields(names: Sequence[str], *, can_change: bool) -> tuple[str, ...]:
    return tuple("up_to" if name == "limit" and not can_change else name for name in names)


def _can_be_won(competition: Competition | None) -> bool:
    """Whether it is not closed yet: afterwards staff may know who would win a changed tier."""
    if competition is None:
        return True
    return competition.closed_at is None and competition.final_at is None and competition.cancelled_at is None


class BoardTierForm(TierForm):
    """A tier of a board, for every period that closes."""

    board = forms.ModelChoiceField(label=_lazy("Board"), queryset=Board.objects.filter(retired_at=None))

    def clean_board(self) -> Board:
        """Refuse another board for an existing tier, since grants refer to it."""
        board: Board = self.cleaned_data["board"]
        if self.instance.pk and self.instance.board_id != board.pk:
            raise ValidationError(_("A reward stays with its board: make another one."))
        return board


@admin.register(RewardTier)
class BoardTierAdmin(DeclaredLookupsAdmin[RewardTier]):
    """The reward tiers of boards, for each period that closes; those of a competition are in its form."""

    form = BoardTierForm
    fields = ("board", "name", "code", "kind", "from_rank", "limit")
    list_display = ("name", "board", "kind", "from_rank", "up_to")
    list_filter = (("board", admin.RelatedOnlyFieldListFilter),)
    list_select_related = ("board",)
    list_per_page = 50
    search_fields = ("name", "board__name")

    def get_fields(self, request: HttpRequest, obj: RewardTier | None = None) -> Any:
        """A limit that is looked at has no zeros that say nothing."""
        may_type = self.has_change_permission(request, obj) if obj else self.has_add_permission(request)
        return _fields(self.fields, can_change=may_type)

    def get_queryset(self, request: HttpRequest) -> QuerySet[RewardTier]:
        """Those of boards."""
        return super().get_queryset(request).filter(board__isnull=False)

    @admin.display(description=_lazy("up to"))
    def up_to(self, tier: RewardTier) -> str:
        """Without zeros that say nothing."""
        return trim_zeros(tier.limit)
