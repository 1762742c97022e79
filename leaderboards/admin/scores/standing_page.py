"""The page of one standing in the admin: whose, where and which rank, whether it is shown, and what can be done there.

The trap: who may look at standings may not look at players, and then is not told who hides whom, and why.
"""

from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock
from leaderboards import formats
from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.moderation.restriction_forms import restriction_cells
from leaderboards.admin.players.action_pages import name_and_id
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.admin.wording.places import place_text
from leaderboards.models import Board, Period, Restriction, Standing
from leaderboards.selectors.catalog.periods import period_info
from leaderboards.selectors.previews.submissions import place_now
from leaderboards.selectors.visibility.hidden import hidden_now
from leaderboards.selectors.visibility.restrictions import active_restrictions
from leaderboards.services import events
from leaderboards.services.moderation.restriction_actions import CHANGE_PLAYER

_SHOWN = ("whose", "on_board", "in_period", "rank_now", "value", "at")
_STORED = ("member", "score", "version", "is_put")


class StandingPage(ReadOnlyAdmin[Standing]):
    """The part of the standings' admin that shows one."""

    def get_fieldsets(self, request: HttpRequest, obj: Standing | None = None) -> Any:
        """What people ask first; how it is stored stands apart."""
        return (
            (None, {"fields": _SHOWN}),
            (_("How it is stored"), {"fields": _STORED, "classes": ("collapse",)}),
        )

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Hiding this standing is offered, or the end of it; in a competition participants are disqualified instead."""
        row = self.get_object(request, object_id)
        more = {} if row is None or not self.has_view_permission(request, row) else _context(request, row)
        return super().change_view(request, object_id, form_url, more | (extra_context or {}))

    @admin.display(description=_lazy("player"))
    def whose(self, row: Standing) -> SafeString:
        """Ways to their page here, and to the one that everybody sees."""
        own = reverse("admin:leaderboards_player_change", args=[row.player_id])
        public = reverse("player", args=[row.player.external_id])
        words = '<a href="{}">{}</a> · <a href="{}">{}</a>'
        return format_html(words, own, name_and_id(row.player), public, _("public page"))

    @admin.display(description=_lazy("board"))
    def on_board(self, row: Standing) -> SafeString:
        """Likewise; the public page opens at the period."""
        board = row.period.board
        own = reverse("admin:leaderboards_board_change", args=[board.pk])
        asked = "" if board.is_event else f"?period={row.period.label}"
        public = f"{reverse('board', args=[board.seq])}{asked}"
        return format_html('<a href="{}">{}</a> · <a href="{}">{}</a>', own, board, public, _("public page"))

    @admin.display(description=_lazy("period"))
    def in_period(self, row: Standing) -> str:
        """In words, with its label."""
        return f"{period_in_words(row.period)} ({row.period.label})"

    @admin.display(description=_lazy("rank now"))
    def rank_now(self, row: Standing) -> str:
        """As everybody sees it, and for what."""
        if row.score is not None and row.player_id in hidden_now(row.period):
            return _("not shown")
        return place_text(row.period, place_now(row.period, row.player))


def period_in_words(period: Period) -> str:
    """Its days on the board's clock; the name of its competition; all time."""
    board = period.board
    if board.is_event:
        number = _event_of(period)
        return events.source().names([number]).get(number, "-")
    today = clock.now().astimezone(ZoneInfo(board.timezone)).date()
    return formats.period_dates(board, period_info(period), today) or formats.period_name(board, running=True)


def _context(request: HttpRequest, row: Standing) -> dict[str, Any]:
    period, board = row.period, row.period.board
    words = {"player": name_and_id(row.player), "board": board.name, "period": period_in_words(period)}
    context = {
        "title": _("Standing of %(player)s: %(board)s, %(period)s") % words,
        "subtitle": None,
        "kept_out": _kept_out(request, row, board),
    }
    if board.is_event:
        return context | {"event": {"number": _event_of(period), "name": words["period"]}}
    if not request.user.has_perm(CHANGE_PLAYER):
        return context
    is_hidden = active_restrictions().filter(player=row.player_id, period=row.period_id).exists()
    return context | {"is_hideable": row.score is not None and not is_hidden, "is_hidden": is_hidden}


def _kept_out(request: HttpRequest, row: Standing, board: Board) -> list[SafeString | str]:
    """What keeps the player out here: since when, by whom and why, for who may look at players."""
    here = Q(board=None) | Q(board=board, period=None) | Q(period=row.period_id)
    found = list(
        active_restrictions().filter(here, player=row.player_id).select_related("board", "period", "by").order_by("pk")
    )
    if not (found or row.player.banned_at):
        return []
    if not any(request.user.has_perm(f"leaderboards.{verb}_player") for verb in ("view", "change")):
        return [_("Moderators keep the player out here.")]
    return [*_banned(row), *map(_restricted, found)]


def _banned(row: Standing) -> list[SafeString]:
    if row.player.banned_at is None:
        return []
    page = reverse("admin:leaderboards_player_change", args=[row.player_id])
    words = _("banned from everything since %(when)s") % {"when": in_utc(row.player.banned_at)}
    return [format_html('<a href="{}">{}</a>', page, words)]


def _restricted(row: Restriction) -> SafeString:
    since, what, by, why, _end = restriction_cells(row)
    page = reverse("admin:leaderboards_restriction_change", args=[row.pk])
    return format_html('<a href="{}">{}</a> · {} · {} · {}', page, what, since, by, why)


def _event_of(period: Period) -> int:
    """The number of a competition, by the label of its period or of the copy of its freeze."""
    return int(period.label.removeprefix("c").partition("-")[0])
