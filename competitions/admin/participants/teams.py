"""Teams and divisions in the admin: names are edited here, members are moved in the list of participants.

Both need the permission to change competitions, and no other. There may be thousands of teams, so they have a list of
their own instead of a part in the competition's form.
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
from competitions.models import Competition, Division, Participant, Team
from competitions.services.participants.teams import refuse_final
from foundation.generics import BaseInlineFormSet, ModelForm, TabularInline
from foundation.translate import translated
from leaderboards.admin.base.lookups import DeclaredLookupsAdmin

_MEMBERS = Count("participants", filter=Q(participants__left_at=None))


def name_typed(form: "forms.ModelForm[Any]") -> str:
    """Return the normalized name, and set its key on the row. Raises ``ValidationError``."""
    try:
        name = read_name(form.cleaned_data["name"])
    except BadName as error:
        raise ValidationError(translated(error.detail)) from error
    form.instance.key = key_of(name)
    return name


def final_refused(competition: Competition) -> str:
    """Return why the groups cannot change, in the active language; empty if they can."""
    try:
        refuse_final(competition)
    except GroupsFinal as error:
        return translated(error.detail)
    return ""


class ByCompetition:
    """Permissions of rows of a competition: those of the competition."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the user may view competitions."""
        permissions = ("competitions.view_competition", "competitions.change_competition")
        return any(request.user.has_perm(each) for each in permissions)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the user may change competitions."""
        return request.user.has_perm("competitions.change_competition")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the user may change competitions."""
        return request.user.has_perm("competitions.change_competition")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whether the user may change competitions; the database refuses to delete one with participants."""
        return request.user.has_perm("competitions.change_competition")


class DivisionForm(ModelForm[Division]):
    """A division's name and position; the name is fixed once a result is published with it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        division = self.instance
        if division.pk and division.competition.final_at is not None:
            self.fields["name"].widget.attrs["readonly"] = True  # it is still sent, and refused if it differs

    def clean_name(self) -> str:
        """Check and normalize the name."""
        return name_typed(self)


class DivisionsOfCompetition(BaseInlineFormSet[Division, Competition, ModelForm[Division]]):
    """All divisions of one competition, with different names."""

    def clean(self) -> None:
        """Refuse names that are equal or differ only in case, and changes once a result with the divisions is
        published; positions may still change."""
        super().clean()
        kept = [form for form in self.forms if form.cleaned_data.get("name") and not form.cleaned_data.get("DELETE")]
        keys = [form.instance.key for form in kept]
        if len(set(keys)) < len(keys):
            raise ValidationError(_("Two divisions have the same name: change one of them."))
        is_other = any({"name", "DELETE"} & set(form.changed_data) for form in self.forms)
        refused = final_refused(self.instance) if is_other and self.instance.pk else ""
        if refused:
            raise ValidationError(refused)


class CompetitionDivisions(ByCompetition, TabularInline[Division, Competition]):
    """The divisions of a competition, with their numbers of participants."""

    model = Division
    form = DivisionForm
    formset = DivisionsOfCompetition
    fields = ("name", "position", "members")
    readonly_fields = ("members",)
    extra = 1

    def get_queryset(self, request: HttpRequest) -> QuerySet[Division]:
        """Add the number of participants."""
        return super().get_queryset(request).annotate(counted=_MEMBERS)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Offered until the result is final; a post from an older page is then refused with an error."""
        return super().has_add_permission(request, obj) and not _is_final_and_viewed(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Offered until the result is final."""
        return super().has_delete_permission(request, obj) and not _is_final_and_viewed(request, obj)

    @admin.display(description=_lazy("participants"))
    def members(self, division: Division) -> str:
        """Link to its participants who have not left."""
        return _members_link(division, "division") if division.pk else "-"


def _is_final_and_viewed(request: HttpRequest, competition: Competition | None) -> bool:
    return competition is not None and competition.final_at is not None and request.method != "POST"


class TeamForm(ModelForm[Team]):
    """A team's name, and the competition of a new team."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        competition = self.fields.get("competition")
        if isinstance(competition, forms.ModelChoiceField):
            competition.queryset = Competition.objects.exclude(team_score="").defer("picture")

    def clean_name(self) -> str:
        """Check and normalize the name."""
        return name_typed(self)

    def clean(self) -> dict[str, Any]:
        """Refuse a name that another team of the competition has, and changes once its result is final."""
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
    """Teams by name, with their numbers of members."""

    form = TeamForm
    fields = ("competition", "name", "code_now")
    list_display = ("name", "competition", "members", "founder", "created_at")
    list_filter = (("competition", admin.RelatedOnlyFieldListFilter),)
    list_select_related = ("competition", "founder")
    list_per_page = 50
    search_fields = ("name__istartswith",)
    search_help_text = _lazy("The beginning of a name.")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        """Add the number of members; leave out the competitions' pictures."""
        return super().get_queryset(request).defer("competition__picture").annotate(counted=_MEMBERS)

    def get_readonly_fields(self, request: HttpRequest, obj: Team | None = None) -> tuple[str, ...]:
        """Make the competition of an existing team read-only."""
        return ("code_now",) if obj is None else ("competition", "code_now")

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Return what is deleted with them; teams in a published result are protected."""
        teams = list(objs)
        with transaction.atomic():
            refused = [(team, final_refused(team.competition)) for team in teams]
        deleted, counts, needed, protected = super().get_deleted_objects(teams, request)
        needed.discard(Participant._meta.verbose_name)  # nobody may delete members: they are told as what protects it
        return deleted, counts, needed, [*protected, *(f"{team}: {why}" for team, why in refused if why)]

    @admin.display(description=_lazy("code"))
    def code_now(self, team: Team) -> str:
        """Show the code to enter it."""
        return team.code or "-"

    @admin.display(description=_lazy("members"), ordering="counted")
    def members(self, team: Team) -> str:
        """Link to its members."""
        return _members_link(team, "team")


def _members_link(row: Team | Division, parameter: str) -> str:
    listed = reverse("admin:competitions_participant_changelist")
    address = f"{listed}?competition__id__exact={row.competition_id}&{parameter}={row.pk}"
    counted: int = row.counted  # type: ignore[union-attr]  # both lists annotate it
    return format_html('<a href="{}">{}</a>', address, f"{counted:,}")
