"""Players in the admin: found by id or name, banned and let in again, linked to a user."""

from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock
from leaderboards.admin.names import clean_name
from leaderboards.admin.paging import PhraseSearch, ShortPaginator
from leaderboards.models import Player
from leaderboards.services.decide_redis import forget_bans


@admin.register(Player)
class PlayerAdmin(PhraseSearch[Player]):
    """The game's players. They come with their first submission; nobody types them in."""

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
    fields = ("external_id", "name", "avatar_url", "country", "user", "banned_at", "created_at", "scores")
    readonly_fields = ("external_id", "banned_at", "created_at", "scores")
    actions = ("ban", "unban")

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """A name is what the API takes as one; an avatar's address without a scheme is meant to be safe."""
        if db_field.name == "avatar_url":
            kwargs["assume_scheme"] = "https"
        if db_field.name == "name":
            kwargs["validators"] = [clean_name]
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    @admin.display(description=_lazy("scores"))
    def scores(self, player: Player) -> SafeString:
        """A way to his rows."""
        return format_html(
            '<a href="{}?player__id__exact={}">{}</a> · <a href="{}?player__id__exact={}">{}</a>',
            *(reverse("admin:leaderboards_standing_changelist"), player.pk, _("standings")),
            *(reverse("admin:leaderboards_submission_changelist"), player.pk, _("submissions")),
        )

    @admin.action(description=_lazy("Ban the selected players"), permissions=["change"])
    def ban(self, request: HttpRequest, players: QuerySet[Player]) -> None:
        """They are shown nowhere, and what they submit from now on is refused."""
        of_erasures = Q(banned_at=F("erasing_since"))  # it would end with the erasure
        self._set(request, players.filter(Q(banned_at=None) | of_erasures), banned=True)

    @admin.action(description=_lazy("Let the selected players in again"), permissions=["change"])
    def unban(self, request: HttpRequest, players: QuerySet[Player]) -> None:
        """They have their places back, and submissions are taken again."""
        self._set(request, players.exclude(banned_at=None), banned=False)

    def _set(self, request: HttpRequest, players: QuerySet[Player], *, banned: bool) -> None:
        chosen = list(players)
        Player.objects.filter(pk__in=[player.pk for player in chosen]).update(banned_at=clock.now() if banned else None)
        transaction.on_commit(forget_bans)
        for player in chosen:
            self.log_change(request, player, "Banned." if banned else "Let in again.")
        said = _("Banned: %(names)s.") if banned else _("Let in again: %(names)s.")
        messages.success(request, said % {"names": ", ".join(player.external_id for player in chosen) or "-"})

    def has_add_permission(self, request: HttpRequest) -> bool:
        """They come with their first submission."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Player | None = None) -> bool:
        """Their scores would have nobody."""
        return False
