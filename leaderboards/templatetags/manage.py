"""Link a public page to its page in the admin, for users who may open it."""

from typing import Any

from django import template
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboards.models import Board, Player

register = template.Library()

# URL name of a page → its model in the admin, and the URL parameter that identifies the row.
MANAGED = {
    "board": ("leaderboards.board", "seq"),
    "board-periods": ("leaderboards.board", "seq"),
    "competition": ("competitions.competition", "number"),
    "series": ("competitions.series", "number"),
    "player": ("leaderboards.player", "player"),
    **dict.fromkeys(
        ("comments", *(f"competition-{page}" for page in ("leave", "own-team", "teams", "division", "reveal"))),
        ("competitions.competition", "number"),
    ),
    "competition-team": ("competitions.team", "team"),
    **dict.fromkeys(
        (f"comment-{act}" for act in ("edit", "delete", "hide", "report", "dismiss", "likes")),
        ("competitions.comment", "comment"),
    ),
}
# URL name of a page that lists rows → their model in the admin.
LISTED = {
    "home": "leaderboards.board",
    "boards": "leaderboards.board",
    "competitions": "competitions.competition",
    "series-list": "competitions.series",
    "inbox": "competitions.notice",
}


_ICON = SafeString(
    '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 20v-4L15.5 4.5l4 4L8 20zM13 7l4 4"/></svg>'
)


@register.simple_tag(takes_context=True)
def manage_link(context: dict[str, Any]) -> SafeString | str:
    """Return the link; empty without permission, or if there is no such page or row."""
    user, (model, row) = context.get("user"), _managed_object(context)
    if not model or not getattr(user, "is_staff", False):
        return ""
    app, _point, name = model.partition(".")
    if not any(user.has_perm(f"{app}.{verb}_{name}") for verb in ("view", "change")):  # type: ignore[union-attr]  # only users who are signed in get here
        return ""
    try:
        if name == "player":
            row = Player.objects.values_list("pk", flat=True).get(external_id=row)
        address = reverse(f"admin:{app}_{name}_{'changelist' if row is None else 'change'}", args=row and [row])
    except (NoReverseMatch, Player.DoesNotExist):
        return ""
    return format_html('<a class="tab" href="{}">{}<span>{}</span></a>', address, _ICON, _("Manage"))


def _managed_object(context: dict[str, Any]) -> tuple[str, Any]:
    """Return the model and the key of its row, None for a list. The trap: a board's shared page has no request."""
    match = getattr(context.get("request"), "resolver_match", None)
    if match is None:
        board = context.get("board")
        return ("leaderboards.board", board.pk) if isinstance(board, Board) else ("", None)
    if match.url_name in LISTED:
        return LISTED[match.url_name], None
    model, part = MANAGED.get(match.url_name or "", ("", ""))
    return model, match.kwargs.get(part)
