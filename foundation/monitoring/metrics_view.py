"""``/metrics``: for who bears METRICS_TOKEN, or comes from METRICS_NETWORKS (this machine, unless set otherwise).

The trap: behind a proxy of this machine everybody seems to come from it. So an address counts only where no proxy
speaks, or TRUSTED_PROXIES says how many do.
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

_PROXIES_SAY = frozenset({"HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP", "HTTP_VIA"})


class MetricsForbidden(Forbidden):
    """Somebody asks for the site's numbers who may not."""

    code: ClassVar[str] = "metrics_forbidden"


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Counts and readings as text, or the refusal."""
    if not (_bears_token(request) or _is_near(request)):
        detail = "Send METRICS_TOKEN as a bearer token, or ask from an address of METRICS_NETWORKS."
        return respond(MetricsForbidden(detail))
    registry = CollectorRegistry()
    registry.register(_All())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class _All:
    """What is counted in all processes, then what is read."""

    def collect(self) -> Iterable[Metric]:
        yield from counts_of_all()
        yield from readings.families()


def counts_of_all() -> Iterable[Metric]:
    """What this process has counted, or where METRICS_FOLDER is set all whose folders are in it."""
    if not settings.METRICS_FOLDER:
        return registry.collect()
    files = [str(each) for each in Path(settings.METRICS_FOLDER).glob("*/*.db")]
    found: Iterable[Metric] = MultiProcessCollector.merge(files)  # type: ignore[no-untyped-call]  # the library's
    return found


def _bears_token(request: HttpRequest) -> bool:
    token: str = settings.METRICS_TOKEN
    sent = request.META.get("HTTP_AUTHORIZATION", "")
    return bool(token) and compare_digest(sent.encode(), f"Bearer {token}".encode())


def _is_near(request: HttpRequest) -> bool:
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    passed = forwarded.count(",") + 1 if forwarded else 0
    if not _PROXIES_SAY.isdisjoint(request.META) and not 0 < settings.TRUSTED_PROXIES <= passed:
        return False
    address = client_address(request)
    return address is not None and contains(settings.METRICS_NETWORKS, address)
