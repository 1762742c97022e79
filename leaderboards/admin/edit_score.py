"""Pages of the admin that change one value: of a submission, or of a standing where no submissions are kept."""

from django import forms
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock
from foundation.client import signed_in
from leaderboards.admin.amend_form import worth
from leaderboards.admin.foreseen_page import Act, ask, moves_in_words
from leaderboards.admin.paging import ReadOnlyAdmin
from leaderboards.admin.places import place_text
from leaderboards.admin.standing_page import StandingPage
from leaderboards.core.bodies import read_json
from leaderboards.core.entries import read_entry, read_time
from leaderboards.core.periods import PeriodKind
from leaderboards.core.policies import State
from leaderboards.errors import BadEntry
from leaderboards.models import Board, Period, Player, Storage, Submission
from leaderboards.selectors.foreseen_edit import ForeseenEdit, foresee_edit, foresee_standing
from leaderboards.selectors.periods import stored_period
from leaderboards.services.amend import read_state
from leaderboards.services.edit import Worth, edit_submission, read_worth
from leaderboards.services.players import refuse_erased
from leaderboards.services.set_standing import Setting, refuse_unsettable, set_standing, standing_in_redis
from leaderboards.stores.sql_writes import state_of


class WorthForm(forms.Form):
    """A new value, as an entry says it."""

    worth = forms.CharField(label=_lazy("points, or fields as JSON"), max_length=1000)


class SetForm(forms.Form):
    """Whose standing on which board, and what it is to be."""

    board = forms.ModelChoiceField(
        Board.objects.filter(storage=Storage.REDIS).exclude(period=PeriodKind.EVENT).order_by("name"),
        label=_lazy("board"),
    )
    player = forms.CharField(label=_lazy("player"), max_length=64, help_text=_lazy("A whole id."))
    worth = forms.CharField(
        label=_lazy("points, or fields as JSON"),
        max_length=1000,
        required=False,
        help_text=_lazy("Leave it empty to take the player out."),
    )
    at = forms.CharField(
        label=_lazy("at"),
        max_length=40,
        required=False,
        help_text=_lazy("Within the running period; RFC 3339. Empty is the time that the standing has, or now."),
    )

    def clean_player(self) -> Player:
        """Somebody whom there is."""
        typed = self.cleaned_data["player"]
        found = Player.objects.filter(external_id=typed).first()
        if found is None:
            raise ValidationError(_("There is no player %(player)s.") % {"player": typed})
        return found


class EditPages(ReadOnlyAdmin[Submission]):
    """The part of the submissions' admin that edits one."""

    def get_urls(self) -> list[URLPattern]:
        """A page for the new value, beside Django's own."""
        page = self.admin_site.admin_view(self.edit_view)
        return [path("<int:number>/edit/", page, name="leaderboards_submission_edit"), *super().get_urls()]

    def edit_view(self, request: HttpRequest, number: int) -> HttpResponseBase:
        """The new value; what comes of it; and then the reason."""
        if not request.user.has_perm("leaderboards.change_submission"):
            raise PermissionDenied
        rows = Submission.objects.select_related("player", "period__board", "board")
        row = rows.filter(pk=number).first()
        if row is None:
            raise Http404
        now = worth(row.period, state_of(row.points, row.fields, row.at))
        form = WorthForm(request.POST or None, initial={"worth": now})
        back = reverse("admin:leaderboards_submission_change", args=[number])

        def foreseen() -> list[str]:
            new = read_worth(row, _typed(row.period, form.cleaned_data["worth"]))
            found = foresee_edit(row, new)
            void = [_("The submission is void: it does not count with the new value either.")] if row.voided_at else []
            return [*void, *edit_in_words(row.period, found)]

        def run(reason: str) -> tuple[str, str]:
            value = _typed(row.period, form.cleaned_data["worth"])
            edit = edit_submission(row, value, reason, clock.agreed(), signed_in(request))
            done = _("It has the new value. It can be undone from the log.")
            return (done if edit is not None else _("It has this value already: nothing was changed.")), back

        question = _(
            "The submission is worth %(now)s. The standing is derived anew with the new value; its time stays, and "
            "its id still stands for what was sent."
        )
        title = _("Edit a submission of %(player)s") % {"player": row.player.external_id}
        return ask(self, request, Act(title, question % {"now": now}, form, foreseen, run, back))


class SetPages(StandingPage):
    """The part of the standings' admin that sets one where no submissions are kept."""

    def get_urls(self) -> list[URLPattern]:
        """A page for it, beside Django's own."""
        page = self.admin_site.admin_view(self.set_view)
        return [path("set/", page, name="leaderboards_standing_set"), *super().get_urls()]

    def set_view(self, request: HttpRequest) -> HttpResponseBase:
        """Board, player and the new standing; what comes of it; and then the reason."""
        if not request.user.has_perm("leaderboards.change_standing"):
            raise PermissionDenied
        form = _FullSetForm(request.POST or None, initial=request.GET.dict())
        back = reverse("admin:leaderboards_standing_changelist")

        def foreseen() -> list[str]:
            wanted, period = form.setting()
            form.remember(wanted.seen)
            return edit_in_words(period, foresee_standing(period, wanted.player, wanted.state))

        def run(reason: str) -> tuple[str, str]:
            wanted, _period = form.setting()
            is_done = set_standing(wanted, reason, clock.agreed(), signed_in(request))
            done = _("The standing is set. It can be undone from the log.")
            return (done if is_done else _("The standing is so already: nothing was changed.")), back

        question = _(
            "Boards of storage redis keep no submissions, so nothing can be voided, restored or purged there. What is "
            "possible: set the standing that a player has in the running period, or take the player out."
        )
        return ask(self, request, Act(_("Set a standing"), question, form, foreseen, run, back))


class _FullSetForm(SetForm):
    """It carries the score that was seen, so that a standing which moved meanwhile is not overwritten."""

    seen = forms.CharField(widget=forms.HiddenInput, required=False, max_length=40)

    def setting(self) -> tuple[Setting, Period]:
        """What is wanted, of the form that is valid, and the running period. Raises what refuses it."""
        typed, now = self.cleaned_data, clock.agreed()
        period, player = stored_period(typed["board"], "current", now), typed["player"]
        if period is None:
            raise BadEntry("The board has no running period yet.")
        refuse_erased(player)
        refuse_unsettable(period)
        found = standing_in_redis(period, player.external_id)
        return Setting(period.pk, player, self._state(period, found.state), self._seen(found.score)), period

    def remember(self, seen: float | None) -> None:
        """Let the page carry the score that it shows."""
        self.data = {**self.data.dict(), "seen": "-" if seen is None else repr(seen)}  # type: ignore[attr-defined]  # posted

    def _seen(self, now: float | None) -> float | None:
        if "confirmed" not in self.data:
            return now
        text = self.cleaned_data["seen"]
        try:
            return None if text == "-" else float(text)
        except ValueError as error:
            raise BadEntry("The page does not say which standing was seen: open it anew.") from error

    def _state(self, period: Period, held: State | None) -> State | None:
        typed = self.cleaned_data
        if not typed["worth"]:
            return None
        if typed["at"]:
            return read_state(period, typed["player"].external_id, typed["worth"], read_time(typed["at"]))
        state = read_state(period, typed["player"].external_id, typed["worth"], clock.agreed())
        return state if held is None or not held.at_ms else State(state.value, held.at_ms)


def _typed(period: Period, text: str) -> Worth:
    """What somebody wrote. Raises what an entry is refused with."""
    if not period.rules.of_points:
        try:
            sent: object = read_json(text.encode())
        except ValueError as error:
            raise BadEntry(f'The fields are written as JSON, such as {{"stage": 12}}. {error}') from error
        entry = read_entry({"board": period.board_id, "player": "-", "fields": sent}, 0)
        return Worth(fields=dict(entry.fields or ()))
    return Worth(points=read_entry({"board": period.board_id, "player": "-", "points": text}, 0).points)


def edit_in_words(period: Period, found: ForeseenEdit) -> list[str]:
    """The player's place now and then, and what ranks do."""
    now, then = (place_text(period, place) for place in (found.now, found.then))
    return [_("Now: %(now)s. Then: %(then)s.") % {"now": now, "then": then}, moves_in_words(found.moves)]
