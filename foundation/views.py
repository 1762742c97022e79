"""/healthz and /readyz, for load balancers and operators."""

import os
from functools import cache
from importlib import metadata
from pathlib import Path

import orjson
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from foundation import file_locations
from foundation.monitoring import health


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


@cache
def version() -> str:
    """Sunwi's version, from the checkout's project file or from the installed package."""
    if file_locations.CHECKOUT:
        import tomllib

        return str(tomllib.loads((file_locations.CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]["version"])
    return metadata.version("sunwi")


@cache
def commit() -> str | None:
    """The running commit: from GIT_COMMIT, which is set in images, or from the checkout; None if unknown."""
    if commit := os.environ.get("GIT_COMMIT"):
        return commit
    return _read_head_commit(file_locations.CHECKOUT / ".git") if file_locations.CHECKOUT else None


def _read_head_commit(git: Path) -> str | None:
    try:
        head = (git / "HEAD").read_text("ascii").strip()
        if not head.startswith("ref: "):
            return head
        ref = head.removeprefix("ref: ")
        if (git / ref).is_file():
            return (git / ref).read_text("ascii").strip()
        packed = (git / "packed-refs").read_text("ascii").splitlines()
        return next((line.split()[0] for line in packed if line.endswith(f" {ref}")), None)
    except OSError:
        return None
