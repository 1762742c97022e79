"""A competition's picture. Its address contains its hash, so browsers cache it for good."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from competitions.models import Competition
from competitions.views.access import visible
from leaderboards.choices import Visibility

YEAR = 365 * 86_400


@require_safe
def picture(request: HttpRequest, number: int, digest: str) -> HttpResponse:
    """Return the picture with this hash; 404 for an older one."""
    competition = visible(request, number)
    is_public = competition.board.visibility == Visibility.PUBLIC and competition.published_at is not None
    shown = Competition.objects.filter(pk=number, picture_hash=digest).values_list("picture", flat=True).first()
    if shown is None:
        raise Http404("There is no such picture.")
    response = HttpResponse(bytes(shown), content_type="image/webp")
    scope = "public" if is_public else "private"
    response["Cache-Control"] = f"{scope}, max-age={YEAR}, immutable"
    return response
