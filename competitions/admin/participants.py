"""Participants in the admin: found by id or name, removed or disqualified with a reason that stays on record."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from competitions.models import Competition, Participant
from competitions.services.changes import LONGEST_REASON
from competitions.services.disqualify import disqualify, remove
from foundation import clock
from foundation.errors import SunwiError
from leaderboards.admin.paging import ReadOnlyAdmin


@admin.register(Participant)
class ParticipantAdmin(ReadOnlyAdmin[Participant]):
    """Who takes part, who has gone, who was disqualified and why."""

    list_display = ("player_id_shown", "player", "competition", "joined_at", "left_at", "disqualified_at", "reason")
    list_filter = (("competition", admin.RelatedOnlyFieldListFilter), ("disqualified_at", admin.EmptyFieldListFilter))
    list_select_related = ("player", "competition")
    search_fields = ("player__external_id__startswith", "player__name__istartswith")
    search_help_text = _lazy("The beginning of an id or a name.")
    ordering = ("-pk",)
    actions = ("remove", "disqualify")
    fields = ("competition", "player", "joined_at", "left_at", "disqualified_at", "reason")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Participant]:
        """Without the competitions' pictures."""
        return super().get_queryset(request).defer("competition__picture")

    @admin.display(description=_lazy("id"))
    def player_id_shown(self, participant: Participant) -> str:
        """The game's own."""
        return participant.player.external_id

    @admin.action(description=_lazy("Remove the selected participants"), permissions=["act"])
    def remove(self, request: HttpRequest, participants: QuerySet[Participant]) -> HttpResponseBase | None:
        """They may join again."""
        question = _("They leave the ranking, and everybody below moves up. They may join again.")
        return self._ask(request, participants, "remove", (_("Remove participants"), question))

    @admin.action(description=_lazy("Disqualify the selected participants"), permissions=["act"])
    def disqualify(self, request: HttpRequest, participants: QuerySet[Participant]) -> HttpResponseBase | None:
        """For good."""
        question = _(
            "They leave the ranking for good, and everybody below moves up. Where the result is final already, "
            "their row stays and is marked."
        )
        return self._ask(request, participants, "disqualify", (_("Disqualify participants"), question))

    def _ask(
        self, request: HttpRequest, participants: QuerySet[Participant], action: str, asked: tuple[str, str]
    ) -> HttpResponseBase | None:
        """The reason first; without one nothing happens."""
        (title, question), chosen = asked, list(participants)
        reason = request.POST.get("reason", "").strip()
        if "confirmed" in request.POST and 1 <= len(reason) <= LONGEST_REASON:
            self._each(request, chosen, _SERVICES[action], reason)
            return None
        context = {
            **self.admin_site.each_context(request),
            "title": title,
            "question": question,
            "rows": [f"{each.player.external_id}: {each.competition}" for each in chosen],
            "chosen": chosen,
            "action": action,
            "confirm": _("Yes"),
            "longest": LONGEST_REASON,
            "missing": "confirmed" in request.POST,
            "opts": self.opts,
        }
        return TemplateResponse(request, "admin/competitions/reason.html", context)

    def _each(self, request: HttpRequest, chosen: list[Participant], service: "Service", reason: str) -> None:
        """Each by itself: one that is refused does not keep the others."""
        assert isinstance(request.user, AbstractBaseUser)  # noqa: S101 - for the type checker: staff only
        done = 0
        for participant in chosen:
            try:
                service(participant.competition, participant.player, reason, clock.now(), request.user)
            except SunwiError as error:
                messages.error(request, f"{participant.player.external_id}: {error.detail}")
            else:
                done += 1
                self.log_change(request, participant, f"{service.__name__}: {reason}")
        messages.success(request, _("Done: %(number)s.") % {"number": done})

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whoever may change participants; nobody types in them."""
        return request.user.has_perm("competitions.change_participant")


Service = Callable[[Competition, Any, str, Any, AbstractBaseUser | None], Participant]
_SERVICES: dict[str, Service] = {"remove": remove, "disqualify": disqualify}
