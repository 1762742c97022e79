"""Competitions in the admin: the list with the next steps, the form, and the timeline above it."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.db.models import Count, Model, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from competitions.admin.actions.lifecycle import ACTIONS
from competitions.admin.actions.pages import scores_of
from competitions.admin.competitions.change_history import changes_in_words
from competitions.admin.competitions.form import FIXED, CompetitionForm
from competitions.admin.competitions.publish_pages import PublishPages
from competitions.admin.competitions.timeline import next_step, steps
from competitions.admin.participants.teams import CompetitionDivisions
from competitions.admin.rewards.tiers import CompetitionTiers
from competitions.admin.times import competition_time
from competitions.models import Competition, Notice, Participant, Revision, RewardGrant, Snapshot
from competitions.phases import phase_word
from competitions.services.participants.invite import invite
from competitions.services.picture import set_picture
from foundation import clock
from leaderboards.admin.base.bulk_deletion import NoBulkDeletion
from leaderboards.views.http.permissions import may_see

FOLDED = ("collapse",)
_SHOWN_INSTEAD = {"starts_at": "begins", "ends_at": "ends"}
_LISTED_BY_IT: tuple[type[Model], ...] = (Participant, Snapshot, Notice, RewardGrant)
_LATEST_REVISION = Subquery(
    Revision.objects.filter(competition=OuterRef("pk")).order_by("-number").values("number")[:1]
)


class PhaseFilter(admin.SimpleListFilter):
    """Filters competitions by state, as far as SQL can tell it."""

    title = _lazy("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        """Return the states to choose from."""
        return [
            ("draft", _lazy("drafts")),
            ("coming", _lazy("coming")),
            ("running", _lazy("running")),
            ("hidden", _lazy("ended, not revealed")),
            ("to_confirm", _lazy("to confirm")),
            ("past", _lazy("past")),
            ("cancelled", _lazy("cancelled")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Competition]) -> QuerySet[Competition]:
        """Filter by the chosen state."""
        at, published = clock.now(), Q(published_at__isnull=False, cancelled_at=None)
        wanted = {
            "draft": Q(published_at=None),
            "coming": published & Q(starts_at__gt=at),
            "running": published & Q(starts_at__lte=at, ends_at__gt=at),
            "hidden": published & Q(ends_at__lte=at, freeze_minutes__isnull=False, revealed_at=None),
            "to_confirm": published & Q(closed_at__isnull=False, final_at=None),
            "past": published & Q(ends_at__lte=at),
            "cancelled": Q(cancelled_at__isnull=False),
        }.get(self.value() or "")
        return queryset if wanted is None else queryset.filter(wanted)


@admin.register(Competition)
class CompetitionAdmin(NoBulkDeletion, PublishPages):
    """The admin of competitions, from draft to rewards."""

    form = CompetitionForm
    inlines = (CompetitionDivisions, CompetitionTiers)
    list_display = ("name", "phase", "next_step", "taking_part", "begins", "ends", "number")
    list_filter = (PhaseFilter, ("board", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("board",)
    list_per_page = 50
    search_fields = ("name",)
    change_form_template = "admin/competitions/competition/change_form.html"
    fieldsets = (
        (None, {"fields": ("name", "board", "starts_at", "ends_at", "timezone")}),
        (_lazy("What people read"), {"fields": ("description", "picture_now", "upload", "no_picture")}),
        (
            _lazy("Who may join"),
            {"fields": ("joining", "join_code", "invited", "join_until", "most_participants"), "classes": FOLDED},
        ),
        (_lazy("Those who are left out"), {"fields": ("vacated_places",), "classes": FOLDED}),
        (
            _lazy("Attempts, freeze, review and alerts"),
            {
                "fields": ("attempts", "freeze_minutes", "review_hours", "snapshot_minutes", "alert_hours", "alerts"),
                "classes": FOLDED,
            },
        ),
        (
            _lazy("Teams"),
            {
                "fields": ("team_score", "team_counts", "team_size", "team_founding", "team_entry"),
                "classes": FOLDED,
            },
        ),
    )

    class Media:
        css = {"all": ["css/admin-competition.css", "css/admin-lists.css"]}

    # -- The list -------------------------------------------------------------------------------

    def get_queryset(self, request: HttpRequest) -> QuerySet[Competition]:
        """Add the number of participants and of the latest revision; leave out the pictures."""
        counted = Count("participants", filter=Q(participants__left_at=None, participants__disqualified_at=None))
        return super().get_queryset(request).defer("picture").annotate(counted=counted, revised=_LATEST_REVISION)

    @admin.display(description=_lazy("number"), ordering="pk")
    def number(self, competition: Competition) -> int:
        """Show its number, its id in the API."""
        return competition.pk

    @admin.display(description=_lazy("state"))
    def phase(self, competition: Competition) -> str:
        """Show its phase as the public sees it."""
        revised: int | None = competition.revised  # type: ignore[attr-defined]  # `get_queryset` annotates it
        return phase_word(competition.phase(clock.now()), revised or 1)

    @admin.display(description=_lazy("participants"), ordering="counted")
    def taking_part(self, competition: Competition) -> str:
        """Show how many have neither left nor been disqualified."""
        return f"{competition.counted:,}"  # type: ignore[attr-defined]  # `get_queryset` annotates it

    @admin.display(description=_lazy("starts"), ordering="starts_at")
    def begins(self, competition: Competition) -> str:
        """On its own clock."""
        return competition_time(competition, competition.starts_at, year=True)

    @admin.display(description=_lazy("ends"), ordering="ends_at")
    def ends(self, competition: Competition) -> str:
        """On its own clock."""
        return competition_time(competition, competition.ends_at, year=True)

    @admin.display(description=_lazy("next step"))
    def next_step(self, competition: Competition) -> str:
        """Show the next step, automatic or manual."""
        return next_step(competition, clock.now()) or "-"

    # -- The form -------------------------------------------------------------------------------

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Without the icons beside the board that change, view or delete it: here a board is chosen."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and db_field.name == "board" and isinstance(field.widget, RelatedFieldWidgetWrapper):
            field.widget.can_change_related = field.widget.can_delete_related = field.widget.can_view_related = False
        return field

    @admin.display(description=_lazy("picture now"))
    def picture_now(self, competition: Competition) -> str:
        """Show the picture."""
        if not competition.picture_hash:
            return "-"
        address = reverse("competition-picture", args=[competition.pk, competition.picture_hash])
        return format_html('<img src="{}" alt="" width="300">', address)

    def get_fieldsets(self, request: HttpRequest, obj: Competition | None = None) -> Any:
        """Show fixed times in the competition's time zone, and no ways to set a picture to readers only."""
        shown_instead = _SHOWN_INSTEAD if _is_published(obj) else {}
        may_type = self.has_change_permission(request, obj) if obj else self.has_add_permission(request)
        hidden = () if may_type else ("upload", "no_picture")
        return [
            (
                title,
                {
                    **options,
                    "fields": tuple(
                        shown_instead.get(str(name), name) for name in options["fields"] if name not in hidden
                    ),
                },
            )
            for title, options in self.fieldsets
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Competition | None = None) -> Any:
        """Once it is published, make the settings read-only that participants rely on: only actions change them."""
        fixed = [*FIXED, *_SHOWN_INSTEAD.values()] if _is_published(obj) else []
        is_over = obj is not None and (obj.final_at is not None or obj.cancelled_at is not None)
        return ("picture_now", *fixed, *(["review_hours"] if is_over else []))

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Begin with the site's time zone."""
        return {"timezone": "UTC", **super().get_changeform_initial_data(request)}

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Add the timeline, the actions that are possible now, and the change history."""
        competition, at = kwargs.get("obj"), clock.now()
        if competition is not None:
            context |= {
                "steps": steps(competition, at),
                "next_step": next_step(competition, at),
                "acts": [act for act in ACTIONS if act.offered(competition, at)],
                "changes": changes_in_words(competition),
                "zone": competition.timezone,
                "scores": scores_of(request, competition),
                "may_see": {each._meta.model_name: may_see(request, each) for each in _LISTED_BY_IT},
            }
        return super().render_change_form(request, context, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Competition, form: Any, change: bool) -> None:
        """Save only the form's fields of an existing competition: the others may have changed meanwhile."""
        if change:
            own = {field.name for field in Competition._meta.concrete_fields}
            obj.save(update_fields=[name for name in form.cleaned_data if name in own])
        else:
            obj.save()
        typed = form.cleaned_data
        if typed["upload"] or typed["no_picture"]:
            set_picture(obj, typed["upload"])
        invite(obj, typed["invited"])
        if "freeze_minutes" in form.changed_data and obj.timeline.hides_from_the_start:
            messages.warning(
                request, _("Its freeze lasts as long as it does: nobody sees a ranking until you reveal it.")
            )

    # -- Ending ---------------------------------------------------------------------------------

    def has_delete_permission(self, request: HttpRequest, obj: Competition | None = None) -> bool:
        """Allow to delete drafts only; a published competition is cancelled instead, and its record stays."""
        return super().has_delete_permission(request, obj) and not _is_published(obj)


def _is_published(competition: Competition | None) -> bool:
    return competition is not None and competition.published_at is not None
