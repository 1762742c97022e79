"""The admin of boards: the form with presets and preview, and actions to retire, replace and delete.

The list is in ``board_list.py``, what stands above the form in ``status_head.py``.
"""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import PROTECT, QuerySet
from django.forms import Script
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.views.decorators.http import require_POST

from foundation import clock
from foundation.errors import Unavailable
from foundation.numbers import whole_number
from foundation.translate import translated
from leaderboards.admin.base.bulk_deletion import NoBulkDeletion
from leaderboards.admin.boards.board_list import BoardList
from leaderboards.admin.boards.change_preview import preview_context
from leaderboards.admin.boards.form import BOUNDS, LIMITS, PLAUSIBILITY, BoardForm
from leaderboards.admin.boards.pending_changes import pending_changes, period_end_text
from leaderboards.admin.boards.presets import PRESETS, preset_settings, presets_as_typed
from leaderboards.admin.boards.sample_score_pages import may_test
from leaderboards.admin.boards.settings_preview import preview_of
from leaderboards.admin.boards.status_head import board_head
from leaderboards.admin.wording.decimals import with_plain_decimals
from leaderboards.models import Board, Period
from leaderboards.selectors.catalog.reserved import reserved_for
from leaderboards.services import boards as services
from leaderboards.services.periods.open import open_board

COLLAPSED, SCRIPTS = ("collapse",), ("board-preview", "board-presets", "criteria")
STYLES = ("admin-confirm", "hues", "admin-home", "admin-board", "admin-lists")


@admin.register(Board)
class BoardAdmin(NoBulkDeletion, BoardList):
    """Boards."""

    audited_as = None
    form = BoardForm
    actions = ("retire",)
    change_form_template = "admin/leaderboards/board/change_form.html"
    fieldsets = (
        (None, {"fields": ("name", "period", "timezone", "order", "update", "ties")}),
        (
            _lazy("When a period turns over"),
            {"fields": ("week_start", "cutoff", "schedule", "open_minutes"), "classes": COLLAPSED},
        ),
        (
            _lazy("What is compared"),
            {
                "fields": ("criteria", "decimals", "minimum", "maximum", "total_maximum", "operators", "tie_break"),
                "classes": COLLAPSED,
            },
        ),
        (
            _lazy("How long things are kept"),
            {
                "fields": ("grace_seconds", "retention_days", "keep_submissions_days", "keep_periods_days"),
                "classes": COLLAPSED,
            },
        ),
        (
            _lazy("Where it lives, and how it is shown"),
            {
                "fields": (
                    *("storage", "encoding", "partitions", "score_ranges", "own_tables"),
                    *("unit", "format", "hue", "visibility"),
                ),
                "classes": COLLAPSED,
            },
        ),
        (_lazy("What is plausible"), {"fields": PLAUSIBILITY, "classes": COLLAPSED}),
    )

    class Media:
        css = {"all": [f"css/{name}.css" for name in STYLES]}
        js = tuple(Script(f"js/admin-{name}.js", type="module") for name in SCRIPTS)

    # -- Form -----------------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        """Add the preview."""
        preview = self.admin_site.admin_view(require_POST(self.preview))
        return [path("preview/", preview, name="leaderboards_board_preview"), *super().get_urls()]

    def preview(self, request: HttpRequest) -> HttpResponse:
        """Preview the settings of a form while the user edits it; nothing is stored."""
        board = _board(request.GET.get("board"))
        is_allowed = self.has_view_or_change_permission(request, board) if board else self.has_add_permission(request)
        if not is_allowed:
            raise PermissionDenied
        form = self._form_class(request)(request.POST, instance=board)
        form.is_valid()
        context = {"preview": preview_of(form.instance, clock.now(), form)}
        return render(request, "admin/leaderboards/board/_preview.html", context)

    def get_fieldsets(self, request: HttpRequest, obj: Board | None = None) -> Any:
        """Show read-only decimals without trailing zeros."""
        may_edit = self.has_change_permission(request, obj) if obj else self.has_add_permission(request)
        return self.fieldsets if may_edit else with_plain_decimals(self.fieldsets, Board, (*BOUNDS, *LIMITS))

    def get_form(self, request: HttpRequest, obj: Board | None = None, change: bool = False, **kwargs: Any) -> Any:
        """Return the form class for this request."""
        return super().get_form(request, obj, change, form=self._form_class(request, requires_preview=change), **kwargs)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Return a preset's settings, or those of the board that is saved as new."""
        if replaced := self._replaced(request):
            return {field: getattr(replaced, field) for field in services.SETTINGS}
        slug = request.GET.get("preset", "")
        title = next((preset.title for preset in PRESETS if preset.slug == slug), "")
        return {"name": str(title), **preset_settings(slug)}

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Add the preview, presets, pending changes and the preview of saving to the context."""
        form, board, at = context["adminform"].form, kwargs.get("obj"), clock.now()
        if board and (owner := reserved_for(board)) and request.method == "GET":
            messages.warning(
                request,
                _("This board holds the totals of %(whom)s. Retiring it ends that series.") % {"whom": owner},
            )
        context |= {
            "preview": preview_of(_board_in_form(form), at, form),
            "preview_address": reverse("admin:leaderboards_board_preview") + (f"?board={board.pk}" if board else ""),
            "presets": [] if board or self._replaced(request) else presets_as_typed(),
            "replaces": self._replaced(request),
            "waiting": pending_changes(board) if board else None,
            "ends_at": period_end_text(board) if board else "",
            "foreseen": preview_context(form),
            "head": board_head(request, board, at) if board else None,
            "may_test": board is not None and board.retired_at is None and may_test(request),
        }
        return super().render_change_form(request, context, *args, **kwargs)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show or save the form, or handle its Cancel button."""
        try:
            if request.method == "POST" and "_cancel_changes" in request.POST:
                return self._cancel_changes(request, object_id)
            with transaction.atomic():  # locks the board, so that the preview is compared with what is saved over
                if request.method == "POST" and (board := _board(object_id)):
                    Board.objects.select_for_update().get(pk=board.pk)
                return super().change_view(request, object_id, form_url, extra_context)
        except Unavailable as error:  # Redis cannot update the upcoming periods, so nothing is saved
            messages.error(request, translated(error.detail))
            return redirect("admin:leaderboards_board_change", object_id)

    def save_model(self, request: HttpRequest, obj: Board, form: Any, change: bool) -> None:
        """Save through the services, and open the board's periods in Redis after the commit."""
        at = clock.now()
        if replaced := None if change else self._replaced(request):
            new = services.save_as_new(replaced, {name: form.cleaned_data[name] for name in services.SETTINGS}, at)
            obj.pk = new.pk
            messages.info(request, _("“%(name)s” (%(seq)s) is retired.") % {"name": replaced.name, "seq": replaced.seq})
            return
        services.save_board(obj, at)
        transaction.on_commit(lambda: open_board(obj, at))

    def _cancel_changes(self, request: HttpRequest, object_id: str) -> HttpResponse:
        board = self.get_object(request, object_id)
        if board is None or not self.has_change_permission(request, board):
            raise PermissionDenied
        services.cancel_changes(board, clock.now())
        open_board(board, clock.now())
        self.log_change(request, board, "Cancelled the changes that waited for the next period.")
        messages.success(request, _("The changes are cancelled: the next period keeps the rules of this one."))
        return redirect("admin:leaderboards_board_change", board.pk)

    def _form_class(self, request: HttpRequest, requires_preview: bool = False) -> type[BoardForm]:
        return type(
            "BoardForm", (BoardForm,), {"replaces": self._replaced(request), "requires_preview": requires_preview}
        )

    def _replaced(self, request: HttpRequest) -> Board | None:
        """Return the board that "Save as new" replaces, if it is in use and the user may change it."""
        board = _board(request.GET.get("from"))
        is_in_use = board is not None and board.retired_at is None
        return board if is_in_use and self.has_change_permission(request, board) else None

    # -- Retiring and deleting ------------------------------------------------------------------

    @admin.action(description=_lazy("Retire the selected boards"), permissions=["change"])
    def retire(self, request: HttpRequest, boards: QuerySet[Board]) -> HttpResponseBase | None:
        """Retire boards after a confirmation; it cannot be undone."""
        chosen = list(boards.filter(retired_at=None))
        if "confirmed" not in request.POST:
            at_once = _("at once")
            context = {
                **self.admin_site.each_context(request),
                "title": _("Retire boards"),
                "question": _(
                    "The running period of each will be its last one. History stays. This can not be undone."
                ),
                "rows": [f"{board.seq}: {board.name} ({period_end_text(board) or at_once})" for board in chosen],
                "chosen": chosen,
                "action": "retire",
                "confirm": _("Yes, retire"),
                "opts": self.opts,
            }
            return TemplateResponse(request, "admin/leaderboards/confirm.html", context)
        for board in chosen:
            services.retire(board, clock.now())
            self.log_change(request, board, "Retired.")
        messages.success(
            request, _("Retired: %(names)s.") % {"names": ", ".join(board.name for board in chosen) or "-"}
        )
        return None

    def has_delete_permission(self, request: HttpRequest, obj: Board | None = None) -> bool:
        """Deny boards with scores: these can only be retired."""
        return super().has_delete_permission(request, obj) and (obj is None or not services.has_scores(obj))

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Allow to delete a board with its empty periods, unless rows of other apps protect it."""
        if any(services.has_scores(board) for board in objs):
            return super().get_deleted_objects(objs, request)
        protecting = [row for board in objs for row in _protecting_rows(board)]
        return [str(board) for board in objs], {str(self.opts.verbose_name_plural): len(objs)}, set(), protecting

    def delete_model(self, request: HttpRequest, obj: Board) -> None:
        """Delete the board and its empty periods. Their keys stay in Redis, but are never read again."""
        services.delete(obj, clock.now())


def _protecting_rows(board: Board) -> list[str]:
    """List rows of other apps that protect the board from deletion; this app does not know their models."""
    others = [each for each in board._meta.related_objects if each.related_model is not Period]
    protecting = [each for each in others if getattr(each, "on_delete", None) is PROTECT]
    return [
        f"{each.related_model._meta.verbose_name}: {row}"
        for each in protecting
        for row in each.related_model._default_manager.filter(**{each.field.name: board})[:10]
    ]


def _board_in_form(form: BoardForm) -> Board:
    """Return the board with the values that the form shows."""
    board = form.instance
    if not form.is_bound and not board.pk:
        for name in services.SETTINGS:
            if name in form.initial:
                setattr(board, name, form.initial[name])
    return board


def _board(seq: str | None) -> Board | None:
    """Return the board of a number in a URL, if it exists."""
    number = whole_number(seq)
    return None if number is None else Board.objects.filter(pk=number).first()
