"""Pages inside frames of other sites: only where the settings name those sites, and only with ``?embed=1``."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse

View = Callable[..., HttpResponse]


def frameable(view: View) -> View:
    """The same view; with ``?embed=1`` its answer may stand in frames of ``settings.EMBED_SITES``."""

    @wraps(view)
    def answered(request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        response = view(request, *args, **named)
        if settings.EMBED_SITES and request.GET.get("embed") == "1":
            # So django-csp is told, and Django's own older header; both look for names that no type knows.
            response.__dict__.update(_csp_replace={"frame-ancestors": settings.EMBED_SITES}, xframe_options_exempt=True)
        return response

    return answered
