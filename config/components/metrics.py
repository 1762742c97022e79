"""Settings of /metrics: who may read it, and the folder of the processes' counters."""

import os
import socket
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

from foundation.security.networks import BadNetwork, read_blocks

SHORTEST_TOKEN = 20
THIS_MACHINE = "127.0.0.0/8,::1/128"


def networks(env: environ.Env) -> list[str]:
    """Read METRICS_NETWORKS, a list of CIDR blocks. Raises ``ImproperlyConfigured``."""
    try:
        return read_blocks(env.list("METRICS_NETWORKS", default=THIS_MACHINE.split(",")))
    except BadNetwork as error:
        raise ImproperlyConfigured(f"METRICS_NETWORKS: {error.detail}") from error


def token(env: environ.Env) -> str:
    """Read METRICS_TOKEN; empty for none. Raises ``ImproperlyConfigured`` if it has fewer than 20 characters."""
    token: str = env.str("METRICS_TOKEN", default="").strip()
    if token and len(token) < SHORTEST_TOKEN:
        raise ImproperlyConfigured(
            f"METRICS_TOKEN is shorter than {SHORTEST_TOKEN} characters. Make one with "
            "`python -c 'import secrets; print(secrets.token_urlsafe(48))'`."
        )
    return token


def folder(env: environ.Env) -> str:
    """Read METRICS_FOLDER and create this host's subfolder in it (containers may share METRICS_FOLDER).

    Empty if each process counts for itself. Raises ``ImproperlyConfigured`` if the folder cannot be created.
    """
    folder: str = env.str("METRICS_FOLDER", default="")
    if not folder:
        return ""
    own = Path(folder).resolve() / socket.gethostname()
    try:
        own.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"METRICS_FOLDER: {own} cannot be made ({error.strerror}).") from None
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(own)  # prometheus-client reads it on import
    return str(own.parent)
