"""The list of boards: how each runs, who decides it, its players, and when its period turns over."""

from collections.abc import Collection, Mapping
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock
from foundation.db.resilience import CONNECTION_ERRORS
from foundation.errors import Unavailable
from leaderboards import formats
from leaderboards.admin.boards.first_steps import FirstSteps
from leaderboards.admin.boards.pending_changes import period_end_text
from leaderboards.core.periods import PeriodKind
from leaderboards.errors import BadBoard
from leaderboards.models import Board, Storage
from leaderboards.selectors.catalog.running import running_periods
from leaderboards.services import boards as services

KINDS = {
    PeriodKind.DAY.value: _lazy("daily"),
    PeriodKind.WEEK.value: _lazy("weekly"),
    PeriodKind.MONTH.value: _lazy("monthly"),
    PeriodKind.YEAR.value: _lazy("yearly"),
    PeriodKind.ALL_TIME.value: _lazy("for all time"),
    PeriodKind.EVENT.value: _lazy("in competitions"),
    PeriodKind.SCHEDULE.value: _lazy("by a schedule"),
}
DECIDED_BY = {
    Storage.HYBRID.value: _lazy("SQL, shown by Redis"),
    Storage.REDIS.value: "Redis",
    Storage.SQL.value: _lazy("SQL alone"),
    Storage.DYNAMODB.value: "DynamoDB",
}


class _OfField(admin.SimpleListFilter):
    """Filter by a setting, with its values in words."""

    words: Mapping[str, Any]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer the values."""
        return list(self.words.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Board]) -> QuerySet[Board]:
        """Filter by the chosen value."""
        chosen = self.value()
        return queryset.filter(**{str(self.parameter_name): chosen}) if chosen in self.words else queryset


class KindFilter(_OfField):
    """Filter by how often players start again."""

    title, parameter_name, words = _lazy("runs"), "period", KINDS


class DecidedByFilter(_OfField):
    """Filter by what decides."""

    title, parameter_name, words = _lazy("decided by"), "storage", DECIDED_BY


class InUseFilter(admin.SimpleListFilter):
    """Filter by whether boards take scores."""

    title = _lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Offer the two states."""
        return [("used", _lazy("in use")), ("retired", _lazy("retired"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Board]) -> QuerySet[Board]:
        """Filter by the chosen state; a board that retires with its running period is in use until then."""
        used = Q(retired_at=None) | Q(retired_at__gt=clock.now())
        wanted = {"used": used, "retired": ~used}.get(self.value() or "")
        return queryset if wanted is None else queryset.filter(wanted)


class BoardList(FirstSteps):
    """The part of the boards' admin that lists them."""

    list_display = ("name", "runs", "players", "boundary", "decided_by", "state", "number")
    list_display_links = ("name",)
    list_filter = (InUseFilter, KindFilter, DecidedByFilter)
    list_per_page = 50
    search_fields = ("name",)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Attach to each row its players: one question for all rows."""
        changelist = super().get_changelist_instance(request)
        rows: list[Any] = list(changelist.result_list)
        totals = _players(rows)
        for row in rows:
            row.shown_players = formats.number(totals[row.pk]) if row.pk in totals else "–"
        changelist.result_list = rows
        return changelist

    @admin.display(description=_lazy("runs"), ordering="period")
    def runs(self, board: Board) -> str:
        """Return how often players start again."""
        return str(KINDS.get(board.period, board.period))

    @admin.display(description=_lazy("decided by"), ordering="storage")
    def decided_by(self, board: Board) -> str:
        """Return what decides the board, in a word."""
        return str(DECIDED_BY.get(board.storage, board.storage))

    @admin.display(description=_lazy("players"))
    def players(self, board: Board) -> str:
        """Return the number of players in the running period."""
        return str(getattr(board, "shown_players", ""))

    @admin.display(description=_lazy("next boundary"))
    def boundary(self, board: Board) -> str:
        """Return the end of the running period in the board's time zone."""
        return period_end_text(board) or "–"

    @admin.display(description=_lazy("state"))
    def state(self, board: Board) -> str:
        """Return whether the board is in use, changes with the next period, or is retired."""
        at = clock.now()
        if board.retired_at:
            ended = board.retired_at <= at
            return _("retired") if ended else _("retires with this period")
        return _("changes with the next period") if services.pending_changes(board, at) else _("in use")

    @admin.display(description=_lazy("number"), ordering="seq")
    def number(self, board: Board) -> int:
        """Return its number, its id in the API."""
        return board.seq


def _players(boards: Collection[Board]) -> Mapping[int, int]:
    """Return the players of the running periods by board number; without those that no store can count now."""
    try:
        running = running_periods(boards)
        return {seq: each.total for seq, each in running.items() if each.total is not None}
    except (BadBoard, Unavailable, *CONNECTION_ERRORS):
        return {}
