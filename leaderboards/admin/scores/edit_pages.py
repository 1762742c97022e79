"""Pages of the admin that edit one submission, or set one standing on boards without submissions (storage redis)."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock
from foundation.http.client_address import signed_in
from foundation.messages import Message
from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.base.player_form import PlayerForm
from leaderboards.admin.confirm.preview_page import PreviewedAction, confirm_with_preview, describe_rank_moves
from leaderboards.admin.confirm.undo_link import with_undo_link
from leaderboards.admin.failures.amend_form import value_as_typed
from leaderboards.admin.scores.standing_page import StandingPage
from leaderboards.admin.wording.names import name_and_id
from leaderboards.admin.wording.places import place_text
from leaderboards.core.input.entries import read_entry, read_time
from leaderboards.core.input.json_body import read_json
from leaderboards.core.periods import PeriodKind
from leaderboards.core.ranking.policies import StandingState, sent_value
from leaderboards.errors import BadEntry
from leaderboards.models import Board, Period, Storage, Submission
from leaderboards.selectors.catalog.periods import find_period_row
from leaderboards.selectors.previews.edits import EditPreview, preview_edit, preview_standing
from leaderboards.services.moderation.edit import EditedValue, edit_submission, read_edited_value
from leaderboards.services.moderation.set_standing import (
    StandingChange,
    refuse_if_not_settable,
    set_standing,
    standing_in_redis,
)
from leaderboards.services.players.profiles import refuse_erased
from leaderboards.services.sync.amend_dead_letter import read_state
from leaderboards.stores.sql.writes import submission_state


class ValueForm(forms.Form):
    """A new value, in the form of a submitted entry."""

    worth = forms.CharField(label=_lazy("Points, or fields as JSON"), max_length=1000)


class SetStandingForm(PlayerForm):
    """A board, a player, and the new standing."""

    field_order = ("board", "player", "worth", "at")

    board = forms.ModelChoiceField(
        Board.objects.filter(storage=Storage.REDIS).exclude(period=PeriodKind.EVENT).order_by("name"),
        label=_lazy("Board"),
    )
    worth = forms.CharField(
        label=_lazy("Points, or fields as JSON"),
        max_length=1000,
        required=False,
        help_text=_lazy("Leave it empty to take the player out."),
    )
    at = forms.CharField(
        label=_lazy("Happened at"),
        max_length=40,
        required=False,
        help_text=_lazy(
            "On the board's clock, such as 2026-11-30 14:05, or with a zone of its own (RFC 3339). Within the running "
            "period. Empty is the time that the standing has, or now."
        ),
    )


class EditPages(ReadOnlyAdmin[Submission]):
    """The part of the submissions' admin that edits one submission."""

    def get_urls(self) -> list[URLPattern]:
        """Add the page."""
        page = self.admin_site.admin_view(self.edit_view)
        return [path("<int:number>/edit/", page, name="leaderboards_submission_edit"), *super().get_urls()]

    def edit_view(self, request: HttpRequest, number: int) -> HttpResponseBase:
        """Ask for the new value, preview the edit, and ask for a reason."""
        if not request.user.has_perm("leaderboards.change_submission"):
            raise PermissionDenied
        rows = Submission.objects.select_related("player", "period__board", "board")
        row = rows.filter(pk=number).first()
        if row is None:
            raise Http404
        stored = submission_state(row)
        now = value_as_typed(row.period, stored._replace(value=sent_value(stored.value, stored.operator)))
        form = ValueForm(request.POST or None, initial={"worth": now})
        back = reverse("admin:leaderboards_submission_change", args=[number])

        def preview() -> list[str]:
            new = read_edited_value(row, _parse_value(row.period, form.cleaned_data["worth"]))
            void = [_("The submission is void: it does not count with the new value either.")] if row.voided_at else []
            return [*void, *edit_preview_lines(row.period, preview_edit(row, new))]

        def run(reason: str) -> tuple[str, str]:
            value = _parse_value(row.period, form.cleaned_data["worth"])
            edit = edit_submission(row, value, reason, clock.trusted_now(), signed_in(request))
            message = with_undo_link(request, _("It has the new value."))
            return (message if edit is not None else _("It has this value already: nothing was changed.")), back

        question = _(
            "The submission is worth %(now)s. The standing is derived anew with the new value; its time stays, and "
            "its id still stands for what was sent."
        )
        title = _("Edit a submission of %(player)s") % {"player": name_and_id(row.player)}
        action = PreviewedAction(title, question % {"now": now}, form, preview, run, back, f"{now} {row.voided_at}")
        return confirm_with_preview(self, request, action)


class SetPages(StandingPage):
    """The part of the standings' admin that sets a standing on boards without submissions."""

    def get_urls(self) -> list[URLPattern]:
        """Add the page."""
        page = self.admin_site.admin_view(self.set_view)
        return [path("set/", page, name="leaderboards_standing_set"), *super().get_urls()]

    def set_view(self, request: HttpRequest) -> HttpResponseBase:
        """Ask for board, player and standing, preview the change, and ask for a reason."""
        if not request.user.has_perm("leaderboards.change_standing"):
            raise PermissionDenied
        form = _FullSetForm(request.POST or None, initial=request.GET.dict())
        back = reverse("admin:leaderboards_standing_changelist")

        def preview() -> list[str]:
            change, period = form.standing_change()
            form.store_seen_score(change.seen)
            return edit_preview_lines(period, preview_standing(period, change.player, change.state))

        def run(reason: str) -> tuple[str, str]:
            change, _period = form.standing_change()
            is_changed = set_standing(change, reason, clock.trusted_now(), signed_in(request))
            message = with_undo_link(request, _("The standing is set."))
            return (message if is_changed else _("The standing is so already: nothing was changed.")), back

        question = _(
            "Boards of storage redis keep no submissions, so nothing can be voided, restored or purged there. What is "
            "possible: set the standing that a player has in the running period, or take the player out."
        )
        return confirm_with_preview(
            self, request, PreviewedAction(_("Set a standing"), question, form, preview, run, back)
        )


class _FullSetForm(SetStandingForm):
    """The form with the score that the user saw, so that a standing that changed since is not overwritten."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False, max_length=40)

    def standing_change(self) -> tuple[StandingChange, Period]:
        """Return the change of the valid form, and the running period. Raises the ``SunwiError`` that refuses it."""
        values, now = self.cleaned_data, clock.trusted_now()
        period, player = find_period_row(values["board"], "current", now), values["player"]
        if period is None:
            raise BadEntry(Message("The board has no running period yet."))
        refuse_erased(player)
        refuse_if_not_settable(period)
        current = standing_in_redis(period, player.external_id)
        new_state, seen = self._new_state(period, current.state), self._seen_score(current.score)
        return StandingChange(period.pk, player, new_state, seen), period

    def store_seen_score(self, seen: float | None) -> None:
        """Put the score that the page shows into its hidden field."""
        self.data = {**self.data.dict(), "seen": "-" if seen is None else repr(seen)}  # type: ignore[attr-defined]  # a posted form has a QueryDict

    def _seen_score(self, current: float | None) -> float | None:
        if "confirmed" not in self.data:
            return current
        text = self.cleaned_data["seen"]
        try:
            return None if text == "-" else float(text)
        except ValueError as error:
            raise BadEntry(Message("The page does not say which standing was seen: open it anew.")) from error

    def _new_state(self, period: Period, current: StandingState | None) -> StandingState | None:
        values = self.cleaned_data
        if not values["worth"]:
            return None
        if values["at"]:
            at = _time_on_clock_of(values["board"], values["at"])
            return read_state(period, values["player"].external_id, values["worth"], at)
        state = read_state(period, values["player"].external_id, values["worth"], clock.trusted_now())
        return state if current is None or not current.at_ms else StandingState(state.value, current.at_ms)


def _time_on_clock_of(board: Board, text: str) -> datetime:
    """Parse a time, which is the board's where it names no zone. Raises ``BadTime`` for what is none."""
    try:
        local = datetime.fromisoformat(text)
    except ValueError:
        return read_time(text)  # it says what is wrong
    return local.replace(tzinfo=ZoneInfo(board.timezone)) if local.tzinfo is None else read_time(text)


def _parse_value(period: Period, text: str) -> EditedValue:
    """Parse the points, or the fields as JSON. Raises the ``SunwiError`` that refuses such an entry."""
    if not period.rules.of_points:
        try:
            fields: object = read_json(text.encode())
        except ValueError as error:
            raise BadEntry(
                Message('The fields are written as JSON, such as {"stage": 12}. %(error)s', error=str(error))
            ) from error
        entry = read_entry({"board": period.board_id, "player": "-", "fields": fields}, 0)
        return EditedValue(fields=dict(entry.fields or ()))
    return EditedValue(points=read_entry({"board": period.board_id, "player": "-", "points": text}, 0).points)


def edit_preview_lines(period: Period, preview: EditPreview) -> list[str]:
    """Describe the player's place now and then, and the rank changes."""
    now, then = (place_text(period, place) for place in (preview.now, preview.then))
    return [_("Now: %(now)s. Then: %(then)s.") % {"now": now, "then": then}, describe_rank_moves(preview.moves)]
