"""After a new board is saved, its page opens and says what comes next: a key, a test score, and the public page."""

from collections.abc import Iterator
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.admin.options import IS_POPUP_VAR
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _

from leaderboards.admin.boards.sample_score_pages import SampleScorePages, may_test
from leaderboards.models import Board

_ELSEWHERE = ("_addanother", "_continue", IS_POPUP_VAR)


class FirstSteps(SampleScorePages):
    """The part of the board admin that leads on from a new board."""

    def response_add(self, request: HttpRequest, obj: Board, post_url_continue: str | None = None) -> HttpResponse:
        """Open the board's page with the next steps, unless another button was pressed or it may not be seen."""
        if any(name in request.POST for name in _ELSEWHERE) or not self.has_view_or_change_permission(request, obj):
            return super().response_add(request, obj, post_url_continue)
        links = format_html_join(" · ", '<a href="{}">{}</a>', _steps(request, obj))
        messages.success(request, format_html("{} {}", _("“%(name)s” is made. Next:") % {"name": obj.name}, links))
        return redirect("admin:leaderboards_board_change", obj.pk)


def _steps(request: HttpRequest, board: Board) -> Iterator[tuple[str, str]]:
    """Yield address and name of each step that the user may take."""
    if request.user.has_perm("foundation.add_servicekey"):
        typed = {"name": board.name, "scopes": "scores:write", "boards": board.pk}
        yield f"{reverse('admin:foundation_servicekey_add')}?{urlencode(typed)}", _("New key for it")
    if may_test(request):
        yield reverse("admin:leaderboards_board_test_score", args=[board.pk]), _("Test score")
    yield reverse("board", args=[board.pk]), _("See the page")
