"""Series in the admin: made and changed without code, and what a change does is shown before it is saved.

The board of a series is made with it. Results are looked at, never typed: the schedule counts them.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IS_POPUP_VAR
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from competitions.admin.competitions.publish_pages import publish_drafts_address
from competitions.admin.series.form import SeriesForm
from competitions.core.series import table_text
from competitions.errors import BadSeries
from competitions.models import Competition, Series, SeriesEvent, SeriesResult
from competitions.selectors.series.preview import SeriesPlan, leaders, leaders_now
from competitions.selectors.series.series import is_countable
from competitions.services.series import settings as series_settings
from foundation import clock
from foundation.audit import record
from foundation.audit.row_values import subjects_of
from foundation.generics import BaseInlineFormSet, ModelForm, TabularInline
from foundation.translate import translated
from leaderboards.admin.base.bulk_deletion import NoBulkDeletion
from leaderboards.admin.base.lookups import DeclaredLookupsAdmin
from leaderboards.admin.base.paging import ReadOnlyAdmin


class EventsOfSeries(BaseInlineFormSet[SeriesEvent, Series, ModelForm[SeriesEvent]]):
    """The competitions of a series; a public series has no private ones."""

    def get_unique_error_message(self, unique_check: Sequence[str]) -> str:
        """Say that a competition is repeated, and what to do."""
        return _("A competition stands in this list twice: take one of the two rows out.")

    def get_form_error(self) -> str:
        """Return the error at a row that repeats another."""
        return _("It is in this list already, in a row above.")

    def clean(self) -> None:
        """Raise ``ValidationError`` for competitions that this series cannot have."""
        super().clean()
        try:
            series_settings.check_events(self.data.get("visibility", ""), self.wanted())
        except BadSeries as error:
            raise ValidationError(translated(error.detail)) from error

    def wanted(self) -> list[Competition]:
        """Return its competitions after saving, in their order."""
        kept = [
            form.cleaned_data
            for form in self.forms
            if getattr(form, "cleaned_data", None) and not form.cleaned_data.get("DELETE")
        ]
        named = [each for each in kept if each.get("competition")]
        return [each["competition"] for each in sorted(named, key=lambda each: each.get("position") or 0)]


class EventForm(ModelForm[SeriesEvent]):
    """A competition of a series, which is in no other series."""

    def clean_competition(self) -> Competition:
        """Refuse a competition of another series."""
        competition: Competition = self.cleaned_data["competition"]
        others = SeriesEvent.objects.filter(competition=competition).exclude(pk=self.instance.pk)
        other = others.exclude(series=self.instance.series_id).select_related("series").first()
        if other is not None:
            raise ValidationError(
                _("“%(competition)s” counts in the series “%(series)s” already: take it out there first.")
                % {"competition": competition, "series": other.series}
            )
        return competition


class EventInline(TabularInline[SeriesEvent, Series]):
    """The competitions of a series, by number and position."""

    model = SeriesEvent
    form = EventForm
    formset = EventsOfSeries
    fields = ("position", "competition", "state")
    readonly_fields = ("state",)
    raw_id_fields = ("competition",)
    extra = 1

    @admin.display(description=_lazy("state"))
    def state(self, event: SeriesEvent) -> str:
        """Show “counted”, or its public phase if it is not counted."""
        if event.pk is None:
            return "-"
        if event.revision_counted is not None:
            return _("counted")
        return event.competition.phase(clock.now())


@admin.register(Series)
class SeriesAdmin(NoBulkDeletion, DeclaredLookupsAdmin[Series]):
    """The admin of series. A change of the points is previewed before it is saved."""

    form = SeriesForm
    inlines = (EventInline,)
    list_display = ("name", "points", "best", "competitions", "counted", "board_shown", "number")
    list_select_related = ("board",)
    list_per_page = 50
    search_fields = ("name",)
    actions = ("count_again",)
    fields = ("name", "description", "visibility", "points", "taking_part", "best", "links")
    readonly_fields = ("links",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Series]:
        """Add the numbers of competitions and of counted ones."""
        is_counted = Q(events__revision_counted__isnull=False)
        return (
            super()
            .get_queryset(request)
            .annotate(events_of_it=Count("events"), counted_of_it=Count("events", filter=is_counted))
        )

    @admin.display(description=_lazy("number"), ordering="pk")
    def number(self, series: Series) -> int:
        """Show its number, its id in the API."""
        return series.pk

    @admin.display(description=_lazy("points by place"))
    def points(self, series: Series) -> str:
        """Show the points by place as they are entered."""
        return table_text(series.table)

    @admin.display(description=_lazy("visibility"))
    def visibility(self, series: Series) -> str:
        """Show its board's visibility."""
        return series.board.get_visibility_display()

    @admin.display(description=_lazy("competitions"))
    def competitions(self, series: Series) -> int:
        """Show the number of competitions."""
        return int(series.events_of_it)  # type: ignore[attr-defined]  # `get_queryset` annotates it

    @admin.display(description=_lazy("counted"))
    def counted(self, series: Series) -> int:
        """Show the number of counted competitions."""
        return int(series.counted_of_it)  # type: ignore[attr-defined]  # `get_queryset` annotates it

    @admin.display(description=_lazy("board"), ordering="board")
    def board_shown(self, series: Series) -> SafeString:
        """Link to its board."""
        return format_html('<a href="{}">{}</a>', _board(series), series.board)

    @admin.display(description=_lazy("See also"))
    def links(self, series: Series) -> SafeString | str:
        """Link to its page, its board, its results, and to publishing its drafts if there are any."""
        if series.pk is None:
            return _("A board of its name is made with it, which nobody else writes to.")
        results = reverse("admin:competitions_seriesresult_changelist") + f"?series__id__exact={series.pk}"
        ways = [
            (reverse("series", args=[series.pk]), _("Its page")),
            (_board(series), _("Its board")),
            (results, _("Its results")),
        ]
        drafts = series.events.filter(competition__published_at=None, competition__cancelled_at=None).count()
        if drafts:
            words = ngettext("Publish %(count)s draft", "Publish %(count)s drafts", drafts) % {"count": drafts}
            ways.append((publish_drafts_address(series.pk), words))
        return format_html_join(" · ", '<a href="{}">{}</a>', ways)

    # -- Saving ---------------------------------------------------------------------------------

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Show the preview if totals would change; the confirming post saves."""
        if request.method == "POST" and object_id and "confirmed" not in request.POST:
            preview = self._preview(request, object_id)
            if preview is not None:
                return preview
        return super().changeform_view(request, object_id, form_url, extra_context)

    def save_model(self, request: HttpRequest, obj: Series, form: Any, change: bool) -> None:
        """Save with the services, which create or update its board."""
        visibility = form.cleaned_data["visibility"]
        if change:
            series_settings.change(obj, visibility)
        else:
            series_settings.make(obj, visibility, clock.trusted_now())

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Save competitions with the services; remove first, since a removed one may be added elsewhere."""
        events = formset.save(commit=False)
        for event in formset.deleted_objects:
            series_settings.remove_event(event)
        for event in events:
            series_settings.put_in(event)

    def _preview(self, request: HttpRequest, object_id: str) -> HttpResponse | None:
        """Return the page with the leaders before and after; None if no total can change, or the form is invalid."""
        series = self.get_object(request, object_id)
        if series is None or not self.has_change_permission(request, series):
            return None
        form = self.get_form(request, series, change=True)(request.POST, request.FILES, instance=series)
        if not form.is_valid():
            return None
        [formset], _inlines = self._create_formsets(  # type: ignore[attr-defined]  # Django keeps it private
            request, form.instance, change=True
        )
        if not formset.is_valid():
            return None
        stored, at = Series.objects.select_related("board").get(pk=series.pk), clock.now()
        plan, present = _plan(form.instance, formset.wanted(), at), _plan(stored, _competitions(stored), at)
        if plan == present:
            return None
        context = {
            **self.admin_site.each_context(request),
            "title": _("What changes: %(series)s") % {"series": stored},
            "original": stored,
            "opts": self.opts,
            "before": leaders_now(stored),
            "after": leaders(stored, plan, at),
            "posted": [
                (name, value)
                for name, values in request.POST.lists()
                for value in values
                if name not in ("csrfmiddlewaretoken", "confirmed", IS_POPUP_VAR)
            ],
        }
        return TemplateResponse(request, "admin/competitions/series_preview.html", context)

    # -- Actions -----------------------------------------------------------------------------------

    @admin.action(description=_lazy("Count again"), permissions=["change"])
    def count_again(self, request: HttpRequest, several: QuerySet[Series]) -> None:
        """Count everything again from the present results."""
        for series in several:
            with transaction.atomic():
                series_settings.count_again(series)
                record("series.counted_again", at=clock.now(), subjects=subjects_of(series))
            self.log_change(request, series, "count again")
        messages.success(request, _("Everything is counted anew within seconds."))

    def has_delete_permission(self, request: HttpRequest, obj: Series | None = None) -> bool:
        """Allow to delete a series without totals; retiring its board ends a counted one."""
        return super().has_delete_permission(request, obj) and (obj is None or not obj.totals.exists())

    def delete_model(self, request: HttpRequest, obj: Series) -> None:
        """Delete the series and retire its board."""
        series_settings.delete(obj, clock.trusted_now())


@admin.register(SeriesResult)
class SeriesResultAdmin(ReadOnlyAdmin[SeriesResult]):
    """The counted results of series."""

    list_display = ("player", "series", "competition", "place", "points", "counted", "revision")
    list_filter = (
        ("series", admin.RelatedOnlyFieldListFilter),
        ("competition", admin.RelatedOnlyFieldListFilter),
        "counted",
    )
    list_select_related = ("player", "series", "competition")
    search_fields = ("player__external_id__startswith", "player__name__istartswith")
    search_help_text = _lazy("The beginning of an id or a name.")
    ordering = ("-pk",)
    fields = ("player", "series", "competition", "place", "points", "counted", "revision")

    def get_queryset(self, request: HttpRequest) -> QuerySet[SeriesResult]:
        """Without the competitions' pictures."""
        return super().get_queryset(request).defer("competition__picture")


def _competitions(series: Series) -> list[Competition]:
    """Return its competitions, in their order."""
    return [event.competition for event in series.events.select_related("competition__board")]


def _plan(series: Series, competitions: Sequence[Competition], at: datetime) -> SeriesPlan:
    """Return what decides the totals: two plans are equal if no total differs."""
    return SeriesPlan(series.scoring, tuple(each for each in competitions if is_countable(each, at)))


def _board(series: Series) -> str:
    return reverse("admin:leaderboards_board_change", args=[series.board_id])
