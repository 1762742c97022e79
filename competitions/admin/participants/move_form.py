"""Moving participants to another team or division: what is chosen, and the filters by which they are found."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _lazy

from competitions.models import Competition, Division, Participant, Team
from competitions.services.participants.teams import MoveTarget, move_participant
from foundation import clock
from foundation.numbers import whole_number

KEEP, NONE = "", "none"
MOST_LISTED = 200  # teams in the filter beside the list; all are in the form


class MoveForm(forms.Form):
    """Where to; what is left as it is stays everybody's own."""

    team = forms.ChoiceField(label=_lazy("Team"), required=False)
    division = forms.ChoiceField(label=_lazy("Division"), required=False)

    def __init__(self, competition: Competition, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows: dict[str, QuerySet[Any]] = {"team": competition.teams.all(), "division": competition.divisions.all()}
        for name, offered in rows.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101 - for the type checker: both are declared above
            named = [(str(each.pk), each.name) for each in offered]
            field.choices = [(KEEP, _lazy("as it is")), (NONE, _lazy("none")), *named]

    def run(self, participant: Participant, reason: str, by: AbstractBaseUser) -> Participant:
        """Move one. Raises what ``move_participant`` refuses."""
        return move_participant(participant, MoveTarget(*self.goal(participant)), reason, clock.trusted_now(), by)

    def goal(self, participant: Participant) -> tuple[int | None, int | None]:
        """The numbers of the team and of the division to which one is moved."""
        return (
            _chosen(self.cleaned_data["team"], participant.team_id),
            _chosen(self.cleaned_data["division"], participant.division_id),
        )


class _OfCompetition(admin.SimpleListFilter):
    """By a group of the competition that the list is filtered by; without one there is nothing to choose."""

    groups: type[Team] | type[Division]

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        """The groups of that competition, up to ``MOST_LISTED``."""
        number = whole_number(request.GET.get("competition__id__exact"))
        if number is None:
            return []
        rows = self.groups._default_manager.filter(competition=number)
        return [(str(each.pk), each.name) for each in rows[:MOST_LISTED]]

    def has_output(self) -> bool:
        """Also where it was asked for by a link and is not among those listed."""
        return bool(self.lookup_choices) or self.value() is not None

    def queryset(self, request: HttpRequest, queryset: QuerySet[Participant]) -> QuerySet[Participant]:
        """Who is in it."""
        if self.value() is None:
            return queryset
        number = whole_number(self.value())
        return queryset.none() if number is None else queryset.filter(**{f"{self.parameter_name}_id": number})


class TeamFilter(_OfCompetition):
    """Members of one team."""

    title, parameter_name, groups = _lazy("team"), "team", Team


class DivisionFilter(_OfCompetition):
    """Participants of one division."""

    title, parameter_name, groups = _lazy("division"), "division", Division


def _chosen(typed: str, own: int | None) -> int | None:
    if typed == KEEP:
        return own
    return None if typed == NONE else int(typed)
