"""The page of one standing in the admin: player, board, period, rank, visibility, and links to actions.

The trap: users who may view standings but not players must not see who restricted the player, and why.
"""

from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.moderation.restriction_forms import restriction_cells
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.admin.wording.names import name_and_id
from leaderboards.admin.wording.periods import competition_of, period_in_words
from leaderboards.admin.wording.places import place_text
from leaderboards.models import Board, Restriction, Standing
from leaderboards.selectors.previews.submissions import place_now
from leaderboards.selectors.visibility.hidden import hidden_now
from leaderboards.selectors.visibility.restrictions import active_restrictions
from leaderboards.services.moderation.restriction_actions import CHANGE_PLAYER

_SHOWN = ("whose", "on_board", "in_period", "rank_now", "value", "at")
_STORED = ("member", "score", "version", "is_put")


class StandingPage(ReadOnlyAdmin[Standing]):
    """The part of the standings' admin that shows one standing."""

    def get_fieldsets(self, request: HttpRequest, obj: Standing | None = None) -> Any:
        """Show the main fields first, and the stored form in a collapsed section."""
        return (
            (None, {"fields": _SHOWN}),
            (_("How it is stored"), {"fields": _STORED, "classes": ("collapse",)}),
        )

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Offer to hide the standing, or to lift that; in a competition participants are disqualified instead."""
        row = self.get_object(request, object_id)
        more = {} if row is None or not self.has_view_permission(request, row) else _context(request, row)
        return super().change_view(request, object_id, form_url, more | (extra_context or {}))

    @admin.display(description=_lazy("player"))
    def whose(self, row: Standing) -> SafeString:
        """Return links to the player in the admin and to the public page."""
        admin_page = reverse("admin:leaderboards_player_change", args=[row.player_id])
        public_page = reverse("player", args=[row.player.external_id])
        links = '<a href="{}">{}</a> · <a href="{}">{}</a>'
        return format_html(links, admin_page, name_and_id(row.player), public_page, _("public page"))

    @admin.display(description=_lazy("board"))
    def on_board(self, row: Standing) -> SafeString:
        """Return links to the board in the admin, and to the period on the public page."""
        board = row.period.board
        admin_page = reverse("admin:leaderboards_board_change", args=[board.pk])
        query = "" if board.is_event else f"?period={row.period.label}"
        public_page = f"{reverse('board', args=[board.seq])}{query}"
        links = '<a href="{}">{}</a> · <a href="{}">{}</a>'
        return format_html(links, admin_page, board, public_page, _("public page"))

    @admin.display(description=_lazy("period"))
    def in_period(self, row: Standing) -> str:
        """Return the period's dates or name, and its label."""
        return f"{period_in_words(row.period)} ({row.period.label})"

    @admin.display(description=_lazy("rank now"))
    def rank_now(self, row: Standing) -> str:
        """Return the public rank and the value, or that the player is hidden."""
        if row.score is not None and row.player_id in hidden_now(row.period):
            return _("not shown")
        return place_text(row.period, place_now(row.period, row.player))


def _context(request: HttpRequest, row: Standing) -> dict[str, Any]:
    period, board = row.period, row.period.board
    words = {"player": name_and_id(row.player), "board": board.name, "period": period_in_words(period)}
    context = {
        "title": _("Standing of %(player)s: %(board)s, %(period)s") % words,
        "subtitle": None,
        "kept_out": _exclusion_lines(request, row, board),
    }
    if board.is_event:
        return context | {"event": {"number": competition_of(period.label), "name": words["period"]}}
    if not request.user.has_perm(CHANGE_PLAYER):
        return context
    is_hidden = active_restrictions().filter(player=row.player_id, period=row.period_id).exists()
    return context | {"is_hideable": row.score is not None and not is_hidden, "is_hidden": is_hidden}


def _exclusion_lines(request: HttpRequest, row: Standing, board: Board) -> list[SafeString | str]:
    """List the player's restrictions that apply here: since when, by whom and why, if the user may view players."""
    here = Q(board=None) | Q(board=board, period=None) | Q(period=row.period_id)
    applying = active_restrictions().filter(here, player=row.player_id)
    restrictions = list(applying.select_related("board", "period", "by").order_by("pk"))
    if not (restrictions or row.player.banned_at):
        return []
    if not any(request.user.has_perm(f"leaderboards.{verb}_player") for verb in ("view", "change")):
        return [_("Moderators keep the player out here.")]
    return [*_ban_lines(row), *map(_restriction_line, restrictions)]


def _ban_lines(row: Standing) -> list[SafeString]:
    if row.player.banned_at is None:
        return []
    page = reverse("admin:leaderboards_player_change", args=[row.player_id])
    words = _("banned from everything since %(when)s") % {"when": in_utc(row.player.banned_at)}
    return [format_html('<a href="{}">{}</a>', page, words)]


def _restriction_line(row: Restriction) -> SafeString:
    since, restriction, by, reason, _end = restriction_cells(row)
    page = reverse("admin:leaderboards_restriction_change", args=[row.pk])
    return format_html('<a href="{}">{}</a> · {} · {} · {}', page, restriction, since, by, reason)
