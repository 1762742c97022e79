"""The admin of purges: a list with their progress, and a page that previews and requests a purge.

A purge is undone from the audit log, which its page links to. The trap: times are entered and shown in UTC, not in the
board's time zone.
"""

import hashlib
from datetime import UTC
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from foundation import clock
from foundation.audit.models import AuditEntry
from foundation.http.client_address import signed_in
from foundation.translate import translated
from leaderboards.admin.audit_log.visibility import may_undo
from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.base.player_form import PlayerForm
from leaderboards.admin.confirm.preview_page import PreviewedAction, confirm_with_preview, describe_rank_moves
from leaderboards.admin.undo.reason_readers import REASON_FOR_COMPETITORS
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.admin.wording.names import name_and_id
from leaderboards.errors import BadPurge
from leaderboards.models import WITHOUT_SUBMISSIONS, Board, Player, Purge
from leaderboards.selectors.catalog.reserved import reserved_boards
from leaderboards.selectors.moderation.purges import PurgePreview, PurgeRange, UnaffectedCounts
from leaderboards.services.moderation.purge import (
    PURGED,
    checked_purge_preview,
    kept_submissions,
    refuse_bad_times,
    request_purge,
)
from leaderboards.services.moderation.run_purge import is_waiting

EVERY_SECONDS = 2
_WITH_SECONDS = "%Y-%m-%dT%H:%M:%S"
_WITH_MINUTES = "%Y-%m-%dT%H:%M"


def _utc_field(label: Any) -> forms.DateTimeField:
    widget = forms.DateTimeInput(format=_WITH_SECONDS, attrs={"type": "datetime-local", "step": "1"})
    formats = (_WITH_SECONDS, _WITH_MINUTES)
    return forms.DateTimeField(label=label, widget=widget, input_formats=formats, help_text=_lazy("UTC"))


class PurgeForm(PlayerForm):
    """A range of receive times, with a player, a board or a service key."""

    board = forms.ModelChoiceField(
        Board.objects.exclude(storage__in=WITHOUT_SUBMISSIONS).order_by("name"), label=_lazy("Board"), required=False
    )
    service = forms.CharField(
        label=_lazy("Service key"), max_length=100, required=False, help_text=_lazy("Its whole name.")
    )
    from_at = _utc_field(_lazy("Received from"))
    until_at = _utc_field(_lazy("Received before"))

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        boards: Any = self.fields["board"]
        boards.queryset = boards.queryset.exclude(pk__in=reserved_boards())
        self.fields["player"].required = False

    def clean(self) -> dict[str, Any]:
        """Validate the range even if other fields are invalid, with the error at its field."""
        typed = super().clean() or self.cleaned_data
        if typed.get("from_at") and typed.get("until_at"):
            try:
                refuse_bad_times(typed["from_at"], typed["until_at"], clock.trusted_now())
            except BadPurge as error:
                self.add_error(error.field, translated(error.detail))
        return typed

    @property
    def chosen(self) -> PurgeRange:
        """Return the range of the valid form."""
        typed = self.cleaned_data
        player, board = typed["player"], typed["board"]
        numbers = player.pk if player else None, board.pk if board else None
        return PurgeRange(typed["from_at"], typed["until_at"], *numbers, typed["service"])


@admin.register(Purge)
class PurgeAdmin(ReadOnlyAdmin[Purge]):
    """Purges: ranges of submissions that were voided by one action."""

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
            "why_kept",
            "finished_at",
        ),
        *("undo_asked_at", "undo_by", "undo_reason", "restored", "lost", "undone_at"),
    )

    def row_name(self, row: Purge) -> str:
        """What is purged, and the range of times."""
        return f"{self.of_what(row)}, {self.range_in_utc(row)}"

    @admin.display(description=_lazy("of what"))
    def of_what(self, purge: Purge) -> str:
        """List the player, board and service key of the purge."""
        names = (purge.player and name_and_id(purge.player), purge.board and purge.board.name, purge.service)
        return ", ".join(str(each) for each in names if each)

    @admin.display(description=_lazy("received"))
    def range_in_utc(self, purge: Purge) -> str:
        """Return the range in UTC."""
        return f"{in_utc(purge.from_at)} – {in_utc(purge.until_at)}"

    @admin.display(description=_lazy("submissions voided"), ordering="voided")
    def voided_of_it(self, purge: Purge) -> str:
        """Return the number of voided submissions."""
        return f"{purge.voided:,}"

    @admin.display(description=_lazy("submissions that stay"), ordering="kept")
    def kept_of_it(self, purge: Purge) -> str:
        """Return the number of submissions of the range that still count."""
        return f"{purge.kept:,}"

    @admin.display(description=_lazy("why they stay"))
    def why_kept(self, purge: Purge) -> SafeString | str:
        """List the reasons why submissions stay, for a finished purge."""
        is_finished = purge.finished_at is not None and purge.undo_asked_at is None
        lines = _unaffected_lines(kept_submissions(purge, clock.trusted_now())) if is_finished and purge.kept else []
        return format_html_join("", "{}<br>", ([line] for line in lines)) or "-"

    @admin.display(description=_lazy("how far it is"))
    def progress(self, purge: Purge) -> str:
        """Describe the progress, with a percentage while it runs."""
        if purge.undone_at is not None:
            return _("undone, all of it")
        if purge.undo_asked_at is not None:
            return _("being undone: %(number)s restored") % {"number": f"{purge.restored:,}"}
        if purge.finished_at is not None:
            return _("done")
        if is_waiting(purge):
            return _("what was there is done; what was still on its way follows once it is in")
        return _("%(percent)s %% looked at") % {"percent": purge.last * 100 // max(1, purge.highest)}

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a purge, with progress that refreshes itself and a link to the undo if the user may undo it."""
        purge = self.get_object(request, object_id)
        if purge is None:
            return super().change_view(request, object_id, form_url, extra_context)
        etag = _etag(purge)
        context = {
            "is_moving": _is_running(purge),
            "every": EVERY_SECONDS,
            "etag": etag,
            "undo": _undo_url(request, purge),
        }
        page = super().change_view(request, object_id, form_url, context | (extra_context or {}))
        if "fragment" not in request.GET or page.status_code != HTTPStatus.OK:
            return page
        page["ETag"], page["Cache-Control"] = etag, "no-store"
        return get_conditional_response(request, etag=etag) or page

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Allow users who may purge."""
        return request.user.has_perm("leaderboards.add_purge")

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponseBase:  # type: ignore[override]  # it may also answer with a redirect
        """Ask for the range, preview the purge, and ask for a reason."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        with timezone.override(UTC):
            form = PurgeForm(request.POST if request.method == "POST" else None, initial=_initial(request))
            back = reverse("admin:leaderboards_purge_changelist")

            def preview() -> list[str]:
                return purge_preview_lines(checked_purge_preview(form.chosen, clock.trusted_now()))

            def run(reason: str) -> tuple[str, str]:
                purge = request_purge(form.chosen, reason, clock.trusted_now(), signed_in(request))
                message = _("It is being done. This page says how far it is, and leads to its undoing.")
                return message, reverse("admin:leaderboards_purge_change", args=[purge.pk])

            action = PreviewedAction(
                title=_("Purge submissions"),
                question=_(
                    "All submissions that were received in the range no longer count, and each standing becomes what "
                    "the player's others amount to. Name a player, a board or a service key; with several, all must "
                    "hold. Closed periods of a calendar stay as they are; in competitions each is an act on record. "
                    "Boards of storage redis keep no submissions: set or remove their standings."
                ),
                form=form,
                preview=preview,
                run=run,
                back=back,
                readers=REASON_FOR_COMPETITORS,
                is_grave=True,
            )
            response = confirm_with_preview(self, request, action)
            return response.render() if hasattr(response, "render") else response


def _initial(request: HttpRequest) -> dict[str, Any]:
    """Prefill the form from the address; with a player, also with times that hold all that the player ever sent."""
    given = request.GET.dict()
    since = Player.objects.filter(external_id=given.get("player", "")).values_list("created_at", flat=True).first()
    if since is None:
        return dict(given)
    # Whole seconds, as the form has them; a time to come would be refused.
    until_at = clock.trusted_now().replace(microsecond=0)
    return {"from_at": since.replace(microsecond=0), "until_at": until_at, **given}


def _is_running(purge: Purge) -> bool:
    """Return whether the worker is purging or undoing."""
    return purge.undone_at is None and (purge.finished_at is None or purge.undo_asked_at is not None)


def _etag(purge: Purge) -> str:
    """Hash all that changes while the page is open."""
    progress = (purge.pk, purge.last, purge.all_in, purge.voided, purge.kept, purge.finished_at)
    undo_progress = (purge.undo_asked_at, purge.restored, purge.lost, purge.undone_at)
    return f'"{hashlib.sha256(repr((progress, undo_progress)).encode()).hexdigest()[:20]}"'


def _undo_url(request: HttpRequest, purge: Purge) -> str:
    """Return the URL that undoes the purge; "" if the user may not undo it, or it is undone."""
    entry = AuditEntry.objects.filter(act=PURGED, subjects__kind="purge", subjects__key=str(purge.pk)).first()
    if entry is None or purge.undo_asked_at is not None or not may_undo(request, entry):
        return ""
    return reverse("admin:foundation_auditentry_undo", args=[entry.pk])


def purge_preview_lines(preview: PurgePreview) -> list[str]:
    """Describe the effects of a purge, line by line."""
    number = preview.submissions or 0
    changed = ngettext("%(number)s submission is voided,", "%(number)s submissions are voided,", number)
    return _preview_lines(preview, changed)


def purge_undo_preview_lines(preview: PurgePreview) -> list[str]:
    """Describe the effects of undoing a purge, line by line."""
    number = preview.submissions or 0
    changed = ngettext("%(number)s submission is restored,", "%(number)s submissions are restored,", number)
    return _preview_lines(preview, changed)


def _preview_lines(preview: PurgePreview, changed: str) -> list[str]:
    """``changed`` says what happens to how many submissions (``%(number)s``)."""
    if preview.submissions is None or preview.players is None:
        return [_("There are too many submissions to count them here.")]
    players = ngettext("of %(number)s player.", "of %(number)s players.", preview.players)
    lines = [f"{changed % {'number': f'{preview.submissions:,}'}} {players % {'number': f'{preview.players:,}'}}"]
    return [*lines, *_unaffected_lines(preview.kept), describe_rank_moves(preview.moves)]


def _unaffected_lines(counts: UnaffectedCounts | None) -> list[str]:
    """Describe how many submissions stay, a line for each reason."""
    if counts is None:
        return [_("There are too many to count here which of them stay.")]
    reasons = (
        (counts.closed, _("%(number)s stay: they lie in closed periods of a calendar, whose ranks are final.")),
        (counts.reserved, _("%(number)s stay: they lie on a board of a series, whose totals follow its competitions.")),
        (counts.events, _("%(number)s stay: they lie in a competition that was cancelled, whose record stays.")),
        (counts.others, _("%(number)s stay: somebody restored them since, or they were refused just then.")),
    )
    return [line % {"number": f"{count:,}"} for count, line in reasons if count]
