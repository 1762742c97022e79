"""``/metrics``, for callers with METRICS_TOKEN or from METRICS_NETWORKS (by default this machine).

The trap: behind a proxy on this machine every request seems to come from it. So the address counts only if no proxy
header is present, or if TRUSTED_PROXIES says how many proxies there are.
"""

from collections.abc import Iterable, Mapping
from hmac import compare_digest
from itertools import chain
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.metrics_core import Metric

from foundation.errors import Forbidden
from foundation.http.client_address import address_in
from foundation.http.problems import respond
from foundation.monitoring import readings
from foundation.monitoring.build import build_info
from foundation.monitoring.instruments import own_families
from foundation.monitoring.metric_files import merged_counts
from foundation.monitoring.snapshot import CountsMove
from foundation.security.networks import contains
from foundation.sunwi_settings import sunwi_settings

REFUSAL = "Send METRICS_TOKEN as a bearer token, or ask from an address of METRICS_NETWORKS."
_PROXY_HEADERS = frozenset({"HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA"})


class MetricsForbidden(Forbidden):
    """The caller may not read the metrics."""

    code: ClassVar[str] = "metrics_forbidden"


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics in Prometheus's text format; 403 for others, 503 if the counts of one moment cannot be had."""
    if not may_read(request.META):
        return respond(MetricsForbidden(REFUSAL))
    registry = CollectorRegistry()
    registry.register(_AllMetrics())
    try:
        return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
    except CountsMove as error:
        return respond(error)


class _AllMetrics:
    """The counters of all processes, then the readings."""

    def collect(self) -> Iterable[Metric]:
        read = list(readings.families())  # first: it lets counters of new boards begin
        yield from counts_of_all()
        yield from read


def counts_of_all() -> Iterable[Metric]:
    """The counters of this process, or, if METRICS_FOLDER is set, of all processes with files in it; and the build.

    This process's memory and processor time are told where it counts for itself alone: of several, whichever answers
    would tell its own, and what the next one tells looks as if it had been restarted.
    """
    if not sunwi_settings.METRICS_FOLDER:
        return chain(own_families(), build_info(), ProcessCollector(registry=None).collect())
    return chain(merged_counts(sunwi_settings.METRICS_FOLDER), build_info())


def may_read(environ: Mapping[str, Any]) -> bool:
    """Whether the sender of the request with this WSGI environment may read the metrics."""
    return _has_token(environ) or _is_in_network(environ)


def _has_token(environ: Mapping[str, Any]) -> bool:
    token: str = sunwi_settings.METRICS_TOKEN
    sent = environ.get("HTTP_AUTHORIZATION", "")
    return bool(token) and compare_digest(sent.encode(), f"Bearer {token}".encode())


def _is_in_network(environ: Mapping[str, Any]) -> bool:
    forwarded = environ.get("HTTP_X_FORWARDED_FOR", "")
    proxies = forwarded.count(",") + 1 if forwarded else 0
    if not _PROXY_HEADERS.isdisjoint(environ) and not 0 < sunwi_settings.TRUSTED_PROXIES <= proxies:
        return False
    address = address_in(environ)
    return address is not None and contains(sunwi_settings.METRICS_NETWORKS, address)
