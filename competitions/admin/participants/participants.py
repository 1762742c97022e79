"""Participants in the admin: search, move, remove, disqualify, reinstate, bring back; each with a recorded reason."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from django.contrib import admin, messages
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from competitions.admin.actions.preview_text import PreviewText, may_see_ranks, preview_of
from competitions.admin.actions.with_reason import ReasonRequest, WithReason
from competitions.admin.participants.move_form import DivisionFilter, MoveForm, TeamFilter
from competitions.models import Competition, Participant
from competitions.selectors.previews.effects import (
    ActionEffect,
    bringing_back,
    disqualifying,
    moving,
    reinstating,
    removing,
)
from competitions.services.participants.bring_back import bring_back
from competitions.services.participants.disqualify import disqualify, reinstate, remove
from foundation import clock
from leaderboards.admin.base.filters import DoneFilter
from leaderboards.admin.scores.submission_admin import REASON_FOR_EVERYBODY
from leaderboards.admin.wording.names import name_and_id
from leaderboards.models import Player

Service = Callable[[Competition, Player, str, datetime, AbstractBaseUser | None], Participant]


@admin.register(Participant)
class ParticipantAdmin(WithReason[Participant]):
    """Participants, also those who have left or were disqualified."""

    list_display = (
        *("player_id_shown", "player", "competition", "team", "division"),
        *("joined_at", "left_at", "disqualified_at", "reason"),
    )
    list_filter = (
        *(("competition", admin.RelatedOnlyFieldListFilter), TeamFilter, DivisionFilter),
        ("disqualified_at", DoneFilter),
    )
    list_select_related = ("player", "competition", "team", "division")
    search_fields = ("player__external_id__startswith", "player__name__istartswith")
    search_help_text = _lazy("The beginning of an id or a name.")
    ordering = ("-pk",)
    actions = ("move", "remove", "disqualify", "reinstate", "bring_back")
    fields = ("competition", "player", "team", "division", "joined_at", "left_at", "disqualified_at", "reason")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Participant]:
        """Without the competitions' pictures."""
        return super().get_queryset(request).defer("competition__picture")

    def row_name(self, row: Participant) -> str:
        """Return the player with the competition."""
        return _name(row)

    def entry_acts(self, request: HttpRequest, row: Participant) -> Sequence[tuple[str, str]]:
        """Return what may be done with participants who take part, were disqualified, or left."""
        if not self.has_act_permission(request):
            return ()
        if row.disqualified_at is not None:
            return [("reinstate", _("Reinstate…"))]
        if row.left_at is not None:
            return [("bring_back", _("Bring back…"))]
        return [("move", _("Move…")), ("remove", _("Remove…")), ("disqualify", _("Disqualify…"))]

    @admin.display(description=_lazy("id"))
    def player_id_shown(self, participant: Participant) -> str:
        """Show the player's external id."""
        return participant.player.external_id

    @admin.action(description=_lazy("Move the selected participants"), permissions=["act"])
    def move(self, request: HttpRequest, participants: QuerySet[Participant]) -> HttpResponseBase | None:
        """Move participants to another team or division of their competition."""
        chosen = list(participants)
        if len({each.competition_id for each in chosen}) != 1:
            messages.error(request, _("Choose participants of one competition: teams and divisions are its own."))
            return None
        form = MoveForm(chosen[0].competition, request.POST if "confirmed" in request.POST else None)
        preview = _make_preview(request, chosen, partial(moving, goals=form.goal))
        question = _("Their points count in the new team and division from now on, and the move stays on record.")
        readers = _("Only those who run the competition read it.")
        action = ReasonRequest("move", _("Move participants"), question, form.run, _name, readers, preview)
        return self.ask(request, action, chosen, form)

    @admin.action(description=_lazy("Remove the selected participants"), permissions=["act"])
    def remove(self, request: HttpRequest, participants: QuerySet[Participant]) -> HttpResponseBase | None:
        """Remove participants; they may join again."""
        question, chosen = _("They leave the ranking. They may join again."), list(participants)
        preview = _make_preview(request, chosen, removing)
        action = ReasonRequest(
            "remove", _("Remove participants"), question, _by(remove), _name, _readers_notified(), preview
        )
        return self.ask(request, action, chosen)

    @admin.action(description=_lazy("Disqualify the selected participants"), permissions=["act"])
    def disqualify(self, request: HttpRequest, participants: QuerySet[Participant]) -> HttpResponseBase | None:
        """Disqualify participants."""
        question = _(
            "They are shown nowhere any more, also where the result is final already. Who is reinstated has their "
            "scores and their place back."
        )
        chosen = list(participants)
        preview = _make_preview(request, chosen, lambda _competition, rows: disqualifying(rows))
        readers = _readers_notified_and_public()
        action = ReasonRequest(
            "disqualify", _("Disqualify participants"), question, _by(disqualify), _name, readers, preview
        )
        return self.ask(request, action, chosen)

    @admin.action(description=_lazy("Reinstate the selected participants"), permissions=["act"])
    def reinstate(self, request: HttpRequest, participants: QuerySet[Participant]) -> HttpResponseBase | None:
        """Reinstate disqualified participants."""
        question = _("Disqualified players get their scores and their places back.")
        chosen = list(participants)
        preview = _make_preview(request, chosen, lambda _competition, rows: reinstating(rows))
        readers = _readers_notified_and_public()
        action = ReasonRequest(
            "reinstate", _("Reinstate participants"), question, _by(reinstate), _name, readers, preview
        )
        return self.ask(request, action, chosen)

    @admin.action(description=_lazy("Bring back the selected participants"), permissions=["act"])
    def bring_back(self, request: HttpRequest, participants: QuerySet[Participant]) -> HttpResponseBase | None:
        """Bring back participants who left or were removed by mistake."""
        question = _(
            "Players who left or were removed take part again, with the scores that they had then and the place that "
            "these earn. Boards that Redis decides over keep no scores: there, accept theirs as late ones after the "
            "closing."
        )
        chosen = list(participants)
        question = " ".join(
            filter(None, (question, _former_teams_in_words(chosen), _still_disqualified_in_words(chosen)))
        )
        preview = _make_preview(request, chosen, bringing_back)
        readers = _readers_notified_and_public()
        action = ReasonRequest(
            "bring_back", _("Bring participants back"), question, _by(bring_back), _name, readers, preview
        )
        return self.ask(request, action, chosen)

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whether the user may change participants, which are not edited."""
        return request.user.has_perm("competitions.change_participant")


def _by(service: Service) -> Callable[[Participant, str, AbstractBaseUser], Participant]:
    return lambda row, reason, by: service(row.competition, row.player, reason, clock.now(), by)


def _make_preview(
    request: HttpRequest,
    chosen: Sequence[Participant],
    effect_of: Callable[[Competition, Sequence[Participant]], ActionEffect],
) -> Callable[[], PreviewText]:
    return partial(preview_of, chosen, effect_of, sees_hidden=may_see_ranks(request))


def _readers_notified() -> str:
    """Say that the participants concerned read the reason."""
    return _("They are told, in the words of your reason.")


def _readers_notified_and_public() -> str:
    """Say that the participants concerned read the reason, and that revisions of a final result publish it."""
    return f"{_readers_notified()} {REASON_FOR_EVERYBODY}"


def _former_teams_in_words(chosen: Sequence[Participant]) -> str:
    """Say what happens to their teams; empty without teams."""
    if not any(each.competition.has_teams for each in chosen):
        return ""
    return _(
        "They are in their team of before, if it has a place; who left by themselves before the start gave theirs up. "
        "A team that a player founded was deleted when nobody was in it before the start: then move them to another."
    )


def _still_disqualified_in_words(chosen: Sequence[Participant]) -> str:
    """Name those who stay disqualified when they are brought back; empty without any."""
    names = [name_and_id(each.player) for each in chosen if each.disqualified_at is not None]
    if not names:
        return ""
    words = _("Disqualified, and still so afterwards: %(players)s. Reinstate them too if they are to take part.")
    return words % {"players": ", ".join(names)}


def _name(participant: Participant) -> str:
    return f"{name_and_id(participant.player)}: {participant.competition}"
