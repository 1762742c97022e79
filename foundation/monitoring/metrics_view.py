"""``/metrics``, for callers with METRICS_TOKEN or from METRICS_NETWORKS (by default this machine).

The trap: behind a proxy on this machine every request seems to come from it. So the address counts only if no proxy
header is present, or if TRUSTED_PROXIES says how many proxies there are.
"""

from collections.abc import Iterable
from hmac import compare_digest
from pathlib import Path
from typing import ClassVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector

from foundation.errors import Forbidden
from foundation.http.client_address import client_address
from foundation.http.problems import respond
from foundation.monitoring import readings
from foundation.monitoring.instruments import registry
from foundation.security.networks import contains

_PROXY_HEADERS = frozenset({"HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA"})


class MetricsForbidden(Forbidden):
    """The caller may not read the metrics."""

    code: ClassVar[str] = "metrics_forbidden"


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """All metrics in Prometheus's text format; 403 for others."""
    if not (_has_token(request) or _is_in_network(request)):
        detail = "Send METRICS_TOKEN as a bearer token, or ask from an address of METRICS_NETWORKS."
        return respond(MetricsForbidden(detail))
    registry = CollectorRegistry()
    registry.register(_AllMetrics())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class _AllMetrics:
    """The counters of all processes, then the readings."""

    def collect(self) -> Iterable[Metric]:
        yield from counts_of_all()
        yield from readings.families()


def counts_of_all() -> Iterable[Metric]:
    """The counters of this process, or, if METRICS_FOLDER is set, of all processes with files in it."""
    if not settings.METRICS_FOLDER:
        return registry.collect()
    files = [str(each) for each in Path(settings.METRICS_FOLDER).glob("*/*.db")]
    metrics: Iterable[Metric] = MultiProcessCollector.merge(files)  # type: ignore[no-untyped-call]  # the library's
    return metrics


def _has_token(request: HttpRequest) -> bool:
    token: str = settings.METRICS_TOKEN
    sent = request.META.get("HTTP_AUTHORIZATION", "")
    return bool(token) and compare_digest(sent.encode(), f"Bearer {token}".encode())


def _is_in_network(request: HttpRequest) -> bool:
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    proxies = forwarded.count(",") + 1 if forwarded else 0
    if not _PROXY_HEADERS.isdisjoint(request.META) and not 0 < settings.TRUSTED_PROXIES <= proxies:
        return False
    address = client_address(request)
    return address is not None and contains(settings.METRICS_NETWORKS, address)
