"""Players in the admin: found by id or name, linked to a user. How they are banned stands in
``bans.py``, how they are hidden or shadowed in ``restrictions.py``."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from leaderboards.admin.names import clean_name
from leaderboards.admin.paging import ShortPaginator
from leaderboards.admin.restrictions import RestrictionPages
from leaderboards.models import Player


@admin.register(Player)
class PlayerAdmin(RestrictionPages):
    """The game's players. They come with their first submission; nobody types them in."""

    audited_as = "player"
    list_display = ("external_id", "name", "country", "user", "banned_at", "created_at")
    list_select_related = ("user",)
    # From the beginning only: an index answers that, and there may be millions.
    search_fields = ("external_id__startswith", "name__istartswith")
    search_help_text = _lazy("The beginning of an id or a name.")
    ordering = ("-pk",)
    paginator = ShortPaginator
    show_full_result_count = False
    list_per_page = 50
    raw_id_fields = ("user",)
    fields = (
        "external_id",
        "name",
        "avatar_url",
        "country",
        "user",
        "banned_at",
        "record",
        "restrictions",
        "created_at",
        "scores",
    )
    readonly_fields = ("external_id", "banned_at", "record", "restrictions", "created_at", "scores")

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """A name is what the API takes as one; an avatar's address without a scheme is meant to be safe."""
        if db_field.name == "avatar_url":
            kwargs["assume_scheme"] = "https"
        if db_field.name == "name":
            kwargs["validators"] = [clean_name]
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    @admin.display(description=_lazy("scores"))
    def scores(self, player: Player) -> SafeString:
        """A way to their rows."""
        return format_html(
            '<a href="{}?player__id__exact={}">{}</a> · <a href="{}?player__id__exact={}">{}</a>',
            *(reverse("admin:leaderboards_standing_changelist"), player.pk, _("standings")),
            *(reverse("admin:leaderboards_submission_changelist"), player.pk, _("submissions")),
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        """They come with their first submission."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Player | None = None) -> bool:
        """Their scores would have nobody."""
        return False
