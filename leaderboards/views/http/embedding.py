"""Allow other sites to embed a page in a frame: only the sites in the settings, and only with ``?embed=1``."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse

from foundation.sunwi_settings import sunwi_settings

View = Callable[..., HttpResponse]


def frameable(view: View) -> View:
    """Let the sites in the setting ``EMBED_SITES`` embed the answers of ``view`` to requests with ``?embed=1``."""

    @wraps(view)
    def frameable_view(request: HttpRequest, *args: object, **named: object) -> HttpResponse:
        response = view(request, *args, **named)
        sites = sunwi_settings.EMBED_SITES
        if sites and request.GET.get("embed") == "1":
            # django-csp and Django's X-Frame-Options read these attributes, which no type declares.
            response.__dict__.update(_csp_replace={"frame-ancestors": sites}, xframe_options_exempt=True)
        return response

    return frameable_view
