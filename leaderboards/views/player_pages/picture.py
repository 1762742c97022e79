"""A player's picture from this site. Its address contains a digest of its content, so browsers keep it for good."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from foundation.sunwi_settings import sunwi_settings
from leaderboards.models import PlayerPicture
from leaderboards.views.http.viewer import YEAR

SIZES = ("large", "small")


@require_safe
def picture(_request: HttpRequest, digest: str, size: str) -> HttpResponse:
    """Return the picture; 404 once no player has it any more, or only players who are banned."""
    rows = PlayerPicture.objects.filter(digest=digest, player__banned_at=None).exclude(digest="")
    content = rows.values_list(size, flat=True).first() if size in SIZES and sunwi_settings.PICTURE_HOSTS else None
    if content is None:
        raise Http404("There is no such picture.")
    headers = {"Cache-Control": f"public, max-age={YEAR}, immutable"}
    return HttpResponse(bytes(content), content_type="image/webp", headers=headers)
