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
    """The process answers. It asks nobody else."""
    return _json({"status": "ok", "version": version(), "commit": commit()})


@never_cache
@require_safe
def ready(_request: HttpRequest) -> HttpResponse:
    """200 while SQL or Redis can serve, with what is not as it should be; else 503."""
    found = health.readiness()
    content = {"status": "ready" if found.can_serve else "unavailable", "degraded": found.degraded}
    response = _json(content, 200 if found.can_serve else 503)
    if not found.can_serve:
        response["Retry-After"] = "1"
    return response


def _json(content: object, status: int = 200) -> HttpResponse:
    return HttpResponse(orjson.dumps(content), status=status, content_type="application/json")


@cache
def version() -> str:
    """The product's version, from its own project file or from the installed package."""
    if file_locations.CHECKOUT:
        import tomllib

        return str(tomllib.loads((file_locations.CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]["version"])
    return metadata.version("sunwi")


@cache
def commit() -> str | None:
    """The commit that runs: from GIT_COMMIT, which an image is built with, or from the checkout."""
    return os.environ.get("GIT_COMMIT") or (
        _checked_out(file_locations.CHECKOUT / ".git") if file_locations.CHECKOUT else None
    )


def _checked_out(git: Path) -> str | None:
    try:
        head = (git / "HEAD").read_text("ascii").strip()
        if not head.startswith("ref: "):
            return head
        name = head.removeprefix("ref: ")
        loose = git / name
        if loose.is_file():
            return loose.read_text("ascii").strip()
        packed = (git / "packed-refs").read_text("ascii").splitlines()
        return next((line.split()[0] for line in packed if line.endswith(f" {name}")), None)
    except OSError:
        return None
