"""The admin of players, found by id or name.

Its pages are in ``moderation/ban_pages.py`` (ban), ``moderation/restriction_pages.py`` (hide, shadow),
``account_link_pages.py`` (link an account) and ``erase_pages.py``.
"""

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from leaderboards.admin.base.paging import CappedPaginator
from leaderboards.admin.base.player_search import players_beginning_with
from leaderboards.admin.base.validators import validate_name
from leaderboards.admin.moderation.exclusions import ExclusionFilter, exclusion_lines, prefetch_restrictions
from leaderboards.admin.moderation.restriction_pages import RestrictionPages
from leaderboards.admin.players.account_link_pages import LinkPages
from leaderboards.admin.players.erase_pages import ErasePages
from leaderboards.admin.players.overview import overview
from leaderboards.countries import country_name
from leaderboards.models import Player


@admin.register(Player)
class PlayerAdmin(LinkPages, ErasePages, RestrictionPages):
    """Players; a player is created by their first submission, never by a form."""

    audited_as = "player"
    list_display = ("shown_name", "id_shown", "country_shown", "user", "kept_out", "created_at")
    list_filter = (ExclusionFilter,)
    list_select_related = ("user",)
    search_fields = ("external_id__startswith",)
    search_help_text = _lazy("The beginning of an id or a name.")
    ordering = ("-pk",)
    paginator = CappedPaginator
    show_full_result_count = False
    list_per_page = 50
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
    readonly_fields = ("external_id", "user", "banned_at", "record", "restrictions", "created_at", "scores")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Player]:
        """Query the players with their active restrictions."""
        return prefetch_restrictions(super().get_queryset(request))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Player], search_term: str
    ) -> tuple[QuerySet[Player], bool]:
        """Search by the beginning of an id or of a name, without case and accents: an index answers each."""
        if not search_term:
            return queryset, False
        return queryset.filter(
            Q(external_id__startswith=search_term) | Q(pk__in=players_beginning_with(search_term))
        ), False

    class Media:
        css = {"all": ["css/admin-lists.css"]}

    @admin.display(description=_lazy("player"), ordering="name")
    def shown_name(self, player: Player) -> str:
        """Return the name that others see: that of a player without one is the id."""
        return str(player)

    @admin.display(description=_lazy("id"), ordering="external_id")
    def id_shown(self, player: Player) -> str:
        """Return the id that game servers send."""
        return player.external_id

    @admin.display(description=_lazy("country"), ordering="country")
    def country_shown(self, player: Player) -> str:
        """Return the country's name; a dash for a player without one."""
        return country_name(player.country, get_language() or "en") or player.country or "–"

    @admin.display(description=_lazy("kept out"))
    def kept_out(self, player: Player) -> SafeString | str:
        """Return where the player is banned, hidden or shadowed; "-" if nowhere."""
        return format_html_join("", "{}<br>", ((each,) for each in exclusion_lines(player))) or "-"

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Validate names as the API does, and complete an avatar URL without a scheme with https."""
        if db_field.name == "avatar_url":
            kwargs["assume_scheme"] = "https"
        if db_field.name == "name":
            kwargs["validators"] = [validate_name]
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    @admin.display(description=_lazy("scores"))
    def scores(self, player: Player) -> SafeString:
        """Return links to the player's standings, submissions and quarantined entries."""
        return format_html(
            '<a href="{}?player__id__exact={}">{}</a> · <a href="{}?player__id__exact={}">{}</a>'
            ' · <a href="{}?player__id__exact={}&amp;decided=all">{}</a>',
            *(reverse("admin:leaderboards_standing_changelist"), player.pk, _("standings")),
            *(reverse("admin:leaderboards_submission_changelist"), player.pk, _("submissions")),
            *(reverse("admin:leaderboards_quarantinedentry_changelist"), player.pk, _("quarantined")),
        )

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Add what is shown above the form."""
        player = kwargs.get("obj")
        context["parts"] = overview(request, player) if player is not None else []
        return super().render_change_form(request, context, *args, **kwargs)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Deny: players are created by their first submission."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Player | None = None) -> bool:
        """Deny: scores need their player; use the page that erases."""
        return False
