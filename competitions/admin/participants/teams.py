"""Teams and divisions in the admin: names are typed here, members are moved in the list of participants.

Anybody who may change competitions changes both; no permission of their own is asked for. Teams may be thousands, so
they have a list instead of standing in the competition's form.
"""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from competitions.core.names import key_of, read_name
from competitions.errors import BadName, GroupsFinal
from competitions.models import Competition, Division, Team
from competitions.refusals import translated
from competitions.services.participants.teams import refuse_final
from leaderboards.admin.base.lookups import DeclaredLookupsAdmin

_MEMBERS = Count("participants", filter=Q(participants__left_at=None))


def name_typed(form: forms.ModelForm[Any]) -> str:
    """The name as it is kept, its key beside it in the row; or what is wrong with it. Raises ``ValidationError``."""
    try:
        name = read_name(form.cleaned_data["name"])
    except BadName as error:
        raise ValidationError(translated(error.detail)) from error
    form.instance.key = key_of(name)
    return name


def final_refused(competition: Competition) -> str:
    """Why its groups stay as they are, in the reader's language; empty while they need not."""
    try:
        refuse_final(competition)
    except GroupsFinal as error:
        return translated(error.detail)
    return ""


class ByCompetition:
    """Rows of a competition: anybody who may change it changes them, anybody who may see it sees them."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As of competitions."""
        asked = ("competitions.view_competition", "competitions.change_competition")
        return any(request.user.has_perm(each) for each in asked)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As changing competitions."""
        return request.user.has_perm("competitions.change_competition")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As changing competitions."""
        return request.user.has_perm("competitions.change_competition")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As changing competitions; one with participants is refused by the database."""
        return request.user.has_perm("competitions.change_competition")


class DivisionForm(forms.ModelForm[Division]):
    """A division's name and place among the others; the name stays once the result is published with it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        division = self.instance
        if division.pk and division.competition.final_at is not None:
            self.fields["name"].widget.attrs["readonly"] = True  # it is sent all the same, and refused if it is another

    def clean_name(self) -> str:
        """One line that can be seen."""
        return name_typed(self)


class DivisionsOfCompetition(forms.BaseInlineFormSet[Division, Competition, forms.ModelForm[Division]]):
    """All divisions of one competition, so that no two have one name."""

    def clean(self) -> None:
        """Raises ``ValidationError`` where two names differ in capitals alone, or not at all, or where the published
        result names the divisions as they are; their order is not part of it."""
        super().clean()
        kept = [form for form in self.forms if form.cleaned_data.get("name") and not form.cleaned_data.get("DELETE")]
        keys = [form.instance.key for form in kept]
        if len(set(keys)) < len(keys):
            raise ValidationError(_("Two divisions have the same name: change one of them."))
        is_other = any({"name", "DELETE"} & set(form.changed_data) for form in self.forms)
        refused = final_refused(self.instance) if is_other and self.instance.pk else ""
        if refused:
            raise ValidationError(refused)


class CompetitionDivisions(ByCompetition, admin.TabularInline[Division, Competition]):
    """Its divisions, with how many are in each."""

    model = Division
    form = DivisionForm
    formset = DivisionsOfCompetition
    fields = ("name", "position", "members")
    readonly_fields = ("members",)
    extra = 1

    def get_queryset(self, request: HttpRequest) -> QuerySet[Division]:
        """With how many are in each."""
        return super().get_queryset(request).annotate(counted=_MEMBERS)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Offered until the result is final; what an older page sends then is refused in words."""
        return super().has_add_permission(request, obj) and not _only_looked_at(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Likewise."""
        return super().has_delete_permission(request, obj) and not _only_looked_at(request, obj)

    @admin.display(description=_lazy("participants"))
    def members(self, division: Division) -> str:
        """Who has not left."""
        return _members_link(division, "division") if division.pk else "-"


def _only_looked_at(request: HttpRequest, competition: Competition | None) -> bool:
    return competition is not None and competition.final_at is not None and request.method != "POST"


class TeamForm(forms.ModelForm[Team]):
    """A team's name, and of a new one its competition."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        competition = self.fields.get("competition")
        if isinstance(competition, forms.ModelChoiceField):
            competition.queryset = Competition.objects.exclude(team_score="").defer("picture")

    def clean_name(self) -> str:
        """One line that can be seen."""
        return name_typed(self)

    def clean(self) -> dict[str, Any]:
        """A name that no other team of the competition has, while its result is not final."""
        cleaned = super().clean() or self.cleaned_data
        competition = cleaned.get("competition") or (self.instance.competition if self.instance.pk else None)
        if cleaned.get("name") and competition is not None:
            others = Team.objects.filter(competition=competition, key=self.instance.key).exclude(pk=self.instance.pk)
            if others.exists():
                self.add_error("name", _("A team has this name already: take another name, or that team."))
        refused = final_refused(competition) if self.has_changed() and competition is not None else ""
        if refused:
            self.add_error(None, refused)
        return cleaned


@admin.register(Team)
class TeamAdmin(ByCompetition, DeclaredLookupsAdmin[Team]):
    """Teams with their members' number, by name."""

    form = TeamForm
    fields = ("competition", "name", "code_now")
    list_display = ("name", "competition", "members", "founder", "created_at")
    list_filter = (("competition", admin.RelatedOnlyFieldListFilter),)
    list_select_related = ("competition", "founder")
    list_per_page = 50
    search_fields = ("name__istartswith",)
    search_help_text = _lazy("The beginning of a name.")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        """With how many have a place in each, and without the competitions' pictures."""
        return super().get_queryset(request).defer("competition__picture").annotate(counted=_MEMBERS)

    def get_readonly_fields(self, request: HttpRequest, obj: Team | None = None) -> tuple[str, ...]:
        """A team stays where it is."""
        return ("code_now",) if obj is None else ("competition", "code_now")

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """What goes with them; those that a published result names stay."""
        teams = list(objs)
        with transaction.atomic():
            refused = [(team, final_refused(team.competition)) for team in teams]
        deleted, counts, needed, protected = super().get_deleted_objects(teams, request)
        return deleted, counts, needed, [*protected, *(f"{team}: {why}" for team, why in refused if why)]

    @admin.display(description=_lazy("code"))
    def code_now(self, team: Team) -> str:
        """What its founder passes on, where the competition asks for it."""
        return team.code or "-"

    @admin.display(description=_lazy("members"), ordering="counted")
    def members(self, team: Team) -> str:
        """Who has a place in it, with a link to them."""
        return _members_link(team, "team")


def _members_link(row: Team | Division, what: str) -> str:
    listed = reverse("admin:competitions_participant_changelist")
    address = f"{listed}?competition__id__exact={row.competition_id}&{what}={row.pk}"
    counted: int = row.counted  # type: ignore[union-attr]  # annotated by both lists
    return format_html('<a href="{}">{}</a>', address, f"{counted:,}")
