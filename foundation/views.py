"""/healthz and /readyz, for load balancers and operators."""

import orjson
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from foundation.monitoring import health
from foundation.monitoring.build import commit, version


@never_cache
@require_safe
def alive(_request: HttpRequest) -> HttpResponse:
    """200 while the process answers; no server is contacted."""
    return _json({"status": "ok", "version": version(), "commit": commit()})


@never_cache
@require_safe
def ready(_request: HttpRequest) -> HttpResponse:
    """200 with a list of problems while SQL or Redis answers; else 503."""
    readiness = health.readiness()
    status = "ready" if readiness.can_serve else "unavailable"
    response = _json({"status": status, "degraded": readiness.degraded}, 200 if readiness.can_serve else 503)
    if not readiness.can_serve:
        response["Retry-After"] = "1"
    return response


def _json(content: object, status: int = 200) -> HttpResponse:
    return HttpResponse(orjson.dumps(content), status=status, content_type="application/json")
