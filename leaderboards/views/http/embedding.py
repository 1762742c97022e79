"""Allow other sites to embed a page in a frame: only the sites in the settings, and only with ``?embed=1``."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse

View = Callable[..., HttpResponse]


def frameable(view: View) -> View:
    """Let the sites in ``settings.EMBED_SITES`` embed the answers of ``view`` to requests with ``?embed=1``."""

    @wraps(view)
    def frameable_view(request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        response = view(request, *args, **named)
        if settings.EMBED_SITES and request.GET.get("embed") == "1":
            # django-csp and Django's X-Frame-Options read these attributes, which no type declares.
            response.__dict__.update(_csp_replace={"frame-ancestors": settings.EMBED_SITES}, xframe_options_exempt=True)
        return response

    return frameable_view
