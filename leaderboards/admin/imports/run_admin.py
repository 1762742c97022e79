"""The admin of imports: upload a file, preview and confirm it, follow its progress, and undo it.

The page of a run works without JavaScript: it reloads itself while the worker is busy with the run. With JavaScript
only the changed parts are replaced (``js/live.js``, ``js/patch.js``).
"""

import hashlib
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock
from foundation.errors import SunwiError
from foundation.http.client_address import signed_in
from foundation.reasons import LONGEST_REASON
from foundation.translate import translated
from leaderboards.admin.base.paging import ReadOnlyAdmin
from leaderboards.admin.boards.preview_seal import SEAL_FIELD, matches_seal
from leaderboards.admin.imports.forms import FORMS
from leaderboards.admin.imports.run_text import preview_boards, run_context, state_of
from leaderboards.import_errors import MissingColumn
from leaderboards.models import ImportKind, ImportRun
from leaderboards.models.imports import Phase
from leaderboards.services.imports import actions
from leaderboards.services.imports.upload import upload

EVERY_SECONDS = 2
_UNSEEN = -1  # never the value of ``checks``


@admin.register(ImportRun)
class ImportRunAdmin(ReadOnlyAdmin[ImportRun]):
    """Imports. Each kind has a permission of its own: ``import_scores``, ``import_players``, ``import_boards``."""

    list_display = ("file_name", "kind", "board", "by", "created_at", "rows", "refused", "state")
    list_select_related = ("board", "by")
    list_filter = ("kind",)
    ordering = ("-pk",)

    @admin.display(description=_lazy("state"))
    def state(self, run: ImportRun) -> str:
        """Return the state of the run."""
        return state_of(run)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Allow users who may import any kind."""
        return bool(_kinds(request))

    def get_queryset(self, request: HttpRequest) -> QuerySet[ImportRun]:
        """Query all imports if the user may view imports, else those of the kinds that the user may import."""
        runs = super().get_queryset(request)
        return runs if super().has_view_permission(request) else runs.filter(kind__in=_kinds(request))

    def has_view_permission(self, request: HttpRequest, obj: ImportRun | None = None) -> bool:
        """Allow users who may view imports, or import this kind; the page shows its first rows and settings."""
        kinds = _kinds(request)
        return bool(super().has_view_permission(request, obj) or (kinds if obj is None else obj.kind in kinds))

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Show the form that uploads a file."""
        kinds = _kinds(request)
        kind = request.GET.get("kind", kinds[0] if kinds else "")
        if kind not in kinds:
            raise PermissionDenied
        is_sent, named = request.method == "POST", {"board": request.GET.get("board", "")}
        form = FORMS[kind](request.POST or None, request.FILES or None) if is_sent else FORMS[kind](initial=named)
        if is_sent and form.is_valid():
            try:
                run = upload(form.upload(signed_in(request)), clock.trusted_now())
            except MissingColumn as error:
                form.add_error(error.part if error.part in form.fields else "file", translated(error.detail))
            except SunwiError as error:
                form.add_error("file", translated(error.detail))
            else:
                return redirect("admin:leaderboards_importrun_change", run.pk)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Import: %(kind)s") % {"kind": ImportKind(kind).label},
            "opts": self.opts,
            "form": form,
            "kind": kind,
            "kinds": [(each, ImportKind(each).label) for each in kinds],
        }
        return TemplateResponse(request, "admin/leaderboards/importrun/upload.html", context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show a run, or run the submitted decision: confirm, discard, undo."""
        run = self.get_object(request, object_id)
        if run is None:
            raise Http404
        if not self.has_view_permission(request, run):
            raise PermissionDenied
        if request.method == "POST":
            return self._decide(request, run)
        etag = _etag(run)
        if request.GET.get("fragment"):
            page: HttpResponse = TemplateResponse(
                request, "admin/leaderboards/importrun/_run.html", self._context(request, run)
            )
            page["ETag"], page["Cache-Control"] = etag, "no-store"
            return get_conditional_response(request, etag=etag) or page
        context = self._context(request, run) | {"etag": etag, "every": EVERY_SECONDS}
        return TemplateResponse(request, "admin/leaderboards/importrun/run.html", context)

    def _context(self, request: HttpRequest, run: ImportRun) -> dict[str, Any]:
        may = actions.may(signed_in(request), run.kind)
        return {
            **self.admin_site.each_context(request),
            **run_context(run, clock.now(), undoing=may and "undo" in request.GET),
            "title": _("Import %(run)s") % {"run": run},
            "opts": self.opts,
            "run": run,
            "may": may,
            "longest": LONGEST_REASON,
        }

    def _decide(self, request: HttpRequest, run: ImportRun) -> HttpResponse:
        if not actions.may(signed_in(request), run.kind):
            raise PermissionDenied
        back = redirect("admin:leaderboards_importrun_change", run.pk)
        try:
            if "discard" in request.POST:
                actions.discard(run.pk)
                messages.success(request, _("The upload was thrown away; nothing was imported."))
                return redirect("admin:leaderboards_importrun_changelist")
            if "undo" in request.POST:
                actions.undo(run.pk, request.POST.get("reason", ""), clock.trusted_now(), signed_in(request))
            elif "confirm" in request.POST:
                self._confirm(request, run)
        except SunwiError as error:
            messages.error(request, translated(error.detail))
        return back

    def _confirm(self, request: HttpRequest, run: ImportRun) -> None:
        if run.kind == ImportKind.BOARDS and run.phase is Phase.READY:
            changes = preview_boards(run, clock.now())[0]
            if not matches_seal(request.POST.get(SEAL_FIELD, ""), *changes):
                messages.warning(request, _("The boards have changed since you looked. Look once more."))
                return
        # The service compares ``seen`` with the locked row: the run may be evaluated again before it is locked.
        seen = run.checks if request.POST.get("checks") == str(run.checks) else _UNSEEN
        actions.confirm(run.pk, clock.trusted_now(), signed_in(request), seen=seen)


def _kinds(request: HttpRequest) -> list[str]:
    """Return the kinds that the user may import."""
    return [each.value for each in ImportKind if request.user.has_perm(f"leaderboards.import_{each.value}")]


def _etag(run: ImportRun) -> str:
    """Hash all that changes while the page is open, so that the page is only updated if something changed."""
    progress = (run.pk, run.phase, run.checked, run.applied, run.undone, run.left, run.refused, run.checks)
    return f'"{hashlib.sha256(repr(progress).encode()).hexdigest()[:20]}"'
