"""Purges in the admin: the list with how far each is, and the page that asks for one and shows what it comes to.

Undoing one is done from the audit log. The trap: moments are typed and shown in UTC, whatever the board's clock says.
"""

from datetime import UTC
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from foundation import clock
from foundation.client import signed_in
from leaderboards.admin.foreseen_page import Act, ask, moves_in_words
from leaderboards.admin.paging import ReadOnlyAdmin
from leaderboards.admin.sentences import in_utc
from leaderboards.errors import BadPurge
from leaderboards.models import Board, Player, Purge, Storage
from leaderboards.refusals import translated
from leaderboards.selectors.purging import ForeseenPurge, Range, foresee_purge
from leaderboards.services.purge import ask_purge, refuse_bad_range, refuse_bad_times
from leaderboards.services.run_purge import is_waiting

_TYPED = "%Y-%m-%dT%H:%M:%S"
_MINUTES = "%Y-%m-%dT%H:%M"


def _moment(label: Any) -> forms.DateTimeField:
    field = forms.DateTimeInput(format=_TYPED, attrs={"type": "datetime-local", "step": "1"})
    return forms.DateTimeField(label=label, widget=field, input_formats=(_TYPED, _MINUTES), help_text=_lazy("UTC"))


class PurgeForm(forms.Form):
    """Whose submissions of which range."""

    player = forms.CharField(label=_lazy("Player"), max_length=64, required=False, help_text=_lazy("A whole id."))
    board = forms.ModelChoiceField(
        Board.objects.exclude(storage=Storage.REDIS).order_by("name"), label=_lazy("Board"), required=False
    )
    service = forms.CharField(
        label=_lazy("Service key"), max_length=100, required=False, help_text=_lazy("Its whole name.")
    )
    from_at = _moment(_lazy("Received from"))
    until_at = _moment(_lazy("Received before"))

    def clean_player(self) -> Player | None:
        """Somebody whom there is."""
        typed = self.cleaned_data["player"]
        found = Player.objects.filter(external_id=typed).first() if typed else None
        if typed and found is None:
            raise ValidationError(_("There is no player %(player)s.") % {"player": typed})
        return found

    def clean(self) -> dict[str, Any]:
        """The range is judged whatever else is wrong, and what is wrong with it stands beside its field."""
        typed = super().clean() or self.cleaned_data
        if typed.get("from_at") and typed.get("until_at"):
            try:
                refuse_bad_times(typed["from_at"], typed["until_at"], clock.agreed())
            except BadPurge as error:
                self.add_error(error.field, translated(error.detail))
        return typed

    @property
    def chosen(self) -> Range:
        """The range, once the form is valid."""
        typed = self.cleaned_data
        player, board = typed["player"], typed["board"]
        numbers = player.pk if player else None, board.pk if board else None
        return Range(typed["from_at"], typed["until_at"], *numbers, typed["service"])


@admin.register(Purge)
class PurgeAdmin(ReadOnlyAdmin[Purge]):
    """Ranges of submissions that were voided in one act."""

    list_display = ("asked_at", "of_what", "range_in_utc", "by", "progress", "voided_of_it", "kept_of_it")
    list_select_related = ("player", "board", "by")
    list_display_links = ("asked_at",)
    fields = (
        *(
            "of_what",
            "range_in_utc",
            "reason",
            "by",
            "asked_at",
            "progress",
            "voided_of_it",
            "kept_of_it",
            "finished_at",
        ),
        *("undo_asked_at", "undo_by", "undo_reason", "restored", "lost", "undone_at"),
    )

    @admin.display(description=_lazy("of what"))
    def of_what(self, purge: Purge) -> str:
        """Player, board and service key, as far as they were named."""
        named = (purge.player and purge.player.external_id, purge.board and purge.board.name, purge.service)
        return ", ".join(str(each) for each in named if each)

    @admin.display(description=_lazy("received"))
    def range_in_utc(self, purge: Purge) -> str:
        """From when to before when."""
        return f"{in_utc(purge.from_at)} - {in_utc(purge.until_at)}"

    @admin.display(description=_lazy("submissions voided"), ordering="voided")
    def voided_of_it(self, purge: Purge) -> str:
        """How many submissions count no longer because of it."""
        return f"{purge.voided:,}"

    @admin.display(description=_lazy("submissions that stay"), ordering="kept")
    def kept_of_it(self, purge: Purge) -> str:
        """How many submissions of the range still count."""
        return f"{purge.kept:,}"

    @admin.display(description=_lazy("how far it is"))
    def progress(self, purge: Purge) -> str:
        """In words, with a share while it goes on."""
        if purge.undone_at is not None:
            return _("undone, all of it")
        if purge.undo_asked_at is not None:
            return _("being undone: %(number)s restored") % {"number": f"{purge.restored:,}"}
        if purge.finished_at is not None:
            return _("done")
        if is_waiting(purge):
            return _("what was there is done; what was still on its way follows once it is in")
        return _("%(percent)s %% looked at") % {"percent": purge.last * 100 // max(1, purge.highest)}

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Anybody who may purge."""
        return request.user.has_perm("leaderboards.add_purge")

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponseBase:  # type: ignore[override]  # it may lead on
        """What is to be purged; what comes of it; and then the reason."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        with timezone.override(UTC):
            form = PurgeForm(request.POST if request.method == "POST" else None, initial=request.GET.dict())
            back = reverse("admin:leaderboards_purge_changelist")

            def foreseen() -> list[str]:
                refuse_bad_range(form.chosen, clock.agreed())
                return foreseen_in_words(foresee_purge(form.chosen))

            def run(reason: str) -> tuple[str, str]:
                purge = ask_purge(form.chosen, reason, clock.agreed(), signed_in(request))
                said = _("It is being done. This page says how far it is; reload it. It can be undone from the log.")
                return said, reverse("admin:leaderboards_purge_change", args=[purge.pk])

            act = Act(
                title=_("Purge submissions"),
                question=_(
                    "All submissions that were received in the range no longer count, and each standing becomes what "
                    "the player's others amount to. Name a player, a board or a service key; with several, all must "
                    "hold. Closed periods of a calendar stay as they are; in competitions each is an act on record. "
                    "Boards of storage redis keep no submissions: set or remove their standings."
                ),
                form=form,
                foreseen=foreseen,
                run=run,
                back=back,
            )
            answer = ask(self, request, act)
            return answer.render() if hasattr(answer, "render") else answer


def foreseen_in_words(found: ForeseenPurge) -> list[str]:
    """What a purge comes to, line by line."""
    number = found.submissions or 0
    return _in_words(found, ngettext("%(number)s submission is voided,", "%(number)s submissions are voided,", number))


def unpurged_in_words(found: ForeseenPurge) -> list[str]:
    """What undoing a purge comes to, line by line."""
    number = found.submissions or 0
    return _in_words(
        found, ngettext("%(number)s submission is restored,", "%(number)s submissions are restored,", number)
    )


def _in_words(found: ForeseenPurge, changed: str) -> list[str]:
    """``changed`` says what happens to how many submissions (``%(number)s``)."""
    if found.submissions is None or found.players is None:
        return [_("There are too many submissions to count them here.")]
    players = ngettext("of %(number)s player.", "of %(number)s players.", found.players)
    lines = [f"{changed % {'number': f'{found.submissions:,}'}} {players % {'number': f'{found.players:,}'}}"]
    if found.kept:
        lines.append(
            _("%(number)s lie in closed periods of a calendar, and stay as they are.") % {"number": f"{found.kept:,}"}
        )
    return [*lines, moves_in_words(found.moves)]
