"""From a page that everybody sees to its page in the admin, for who may open that."""

from typing import Any

from django import template
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboards.models import Board, Player

register = template.Library()

# The address of a page, and what of it the admin shows: a model, and the part of the address that names the row.
MANAGED = {
    "board": ("leaderboards.board", "seq"),
    "board-periods": ("leaderboards.board", "seq"),
    "competition": ("competitions.competition", "number"),
    "series": ("competitions.series", "number"),
    "player": ("leaderboards.player", "player"),
}


@register.simple_tag(takes_context=True)
def manage_link(context: dict[str, Any]) -> SafeString | str:
    """The link; empty for who may not, and where there is no such page or row."""
    user, (model, row) = context.get("user"), _shown(context)
    if not model or not getattr(user, "is_staff", False):
        return ""
    app, _point, name = model.partition(".")
    if not any(user.has_perm(f"{app}.{verb}_{name}") for verb in ("view", "change")):  # type: ignore[union-attr]
        return ""
    try:
        if name == "player":
            row = Player.objects.values_list("pk", flat=True).get(external_id=row)
        address = reverse(f"admin:{app}_{name}_change", args=[row])
    except (NoReverseMatch, Player.DoesNotExist):
        return ""
    return format_html('<a class="quiet-link" href="{}">{}</a>', address, _("Manage"))


def _shown(context: dict[str, Any]) -> tuple[str, Any]:
    """The model and what names its row. The trap: a board's page is made once for many who look, without a request."""
    match = getattr(context.get("request"), "resolver_match", None)
    if match is None:
        board = context.get("board")
        return ("leaderboards.board", board.pk) if isinstance(board, Board) else ("", None)
    model, part = MANAGED.get(match.url_name or "", ("", ""))
    return model, match.kwargs.get(part)
