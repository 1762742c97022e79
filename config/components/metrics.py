"""Who may read /metrics, and where processes keep what they count."""

import os
import socket
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

from foundation.security.networks import BadNetwork, read_blocks

SHORTEST_TOKEN = 20
THIS_MACHINE = "127.0.0.0/8,::1/128"


def networks(env: environ.Env) -> list[str]:
    """METRICS_NETWORKS, blocks of addresses. Raises ``ImproperlyConfigured`` for what is none."""
    try:
        return read_blocks(env.list("METRICS_NETWORKS", default=THIS_MACHINE.split(",")))
    except BadNetwork as error:
        raise ImproperlyConfigured(f"METRICS_NETWORKS: {error.detail}") from error


def token(env: environ.Env) -> str:
    """METRICS_TOKEN; empty for none. Raises ``ImproperlyConfigured`` for one of fewer than 20 characters."""
    found: str = env.str("METRICS_TOKEN", default="").strip()
    if found and len(found) < SHORTEST_TOKEN:
        raise ImproperlyConfigured(
            f"METRICS_TOKEN is shorter than {SHORTEST_TOKEN} characters. Make one with "
            "`python -c 'import secrets; print(secrets.token_urlsafe(48))'`."
        )
    return found


def folder(env: environ.Env) -> str:
    """METRICS_FOLDER, in which this machine's processes have a folder of its name (containers may share one); empty
    where each process counts for itself. Raises ``ImproperlyConfigured`` where it cannot be written.
    """
    found: str = env.str("METRICS_FOLDER", default="")
    if not found:
        return ""
    own = Path(found).resolve() / socket.gethostname()
    try:
        own.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"METRICS_FOLDER: {own} cannot be made ({error.strerror}).") from None
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(own)  # prometheus-client looks here when it is imported
    return str(own.parent)
