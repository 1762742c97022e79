"""The form that moves participants to another team or division, and the list's filters by team and division."""

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
MOST_LISTED = 200  # teams in the list's filter; the form lists all


class MoveForm(forms.Form):
    """The target team and division; a field may be left unchanged."""

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
        """Move a participant. Raises what ``move_participant`` does."""
        return move_participant(participant, MoveTarget(*self.goal(participant)), reason, clock.trusted_now(), by)

    def goal(self, participant: Participant) -> tuple[int | None, int | None]:
        """Return the numbers of the target team and division of a participant."""
        return (
            _chosen(self.cleaned_data["team"], participant.team_id),
            _chosen(self.cleaned_data["division"], participant.division_id),
        )


class _OfCompetition(admin.SimpleListFilter):
    """Filters by a team or division, once the list is filtered by competition."""

    groups: type[Team] | type[Division]

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        """Return up to ``MOST_LISTED`` groups of that competition."""
        number = whole_number(request.GET.get("competition__id__exact"))
        if number is None:
            return []
        rows = self.groups._default_manager.filter(competition=number)
        return [(str(each.pk), each.name) for each in rows[:MOST_LISTED]]

    def has_output(self) -> bool:
        """Show the filter also if a link has set it to a group that is not listed."""
        return bool(self.lookup_choices) or self.value() is not None

    def queryset(self, request: HttpRequest, queryset: QuerySet[Participant]) -> QuerySet[Participant]:
        """Filter by the chosen group."""
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
