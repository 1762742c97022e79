"""From a page that everybody sees to its page in the admin, for who may open that."""

from typing import Any

from django import template
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboards.models import Player

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
    request: HttpRequest | None = context.get("request")
    match = request.resolver_match if request is not None else None
    if request is None or match is None or match.url_name not in MANAGED or not request.user.is_staff:
        return ""
    model, part = MANAGED[match.url_name]
    app, _point, name = model.partition(".")
    if not any(request.user.has_perm(f"{app}.{verb}_{name}") for verb in ("view", "change")):
        return ""
    try:
        row = match.kwargs[part]
        if name == "player":
            row = Player.objects.values_list("pk", flat=True).get(external_id=row)
        address = reverse(f"admin:{app}_{name}_change", args=[row])
    except (KeyError, NoReverseMatch, Player.DoesNotExist):
        return ""
    return format_html('<a class="quiet-link" href="{}">{}</a>', address, _("Manage"))
