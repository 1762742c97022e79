"""Settings of /metrics: who may read it, the folder of the processes' counters, and the worker's own port."""

from ipaddress import ip_address

import environ
from django.core.exceptions import ImproperlyConfigured

from foundation import setting_values
from foundation.monitoring import metric_files
from foundation.security.networks import BadNetwork, read_blocks

SHORTEST_TOKEN = 20
THIS_MACHINE = "127.0.0.0/8,::1/128"
MOST_PORT = 65_535


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
    """Read METRICS_FOLDER and open it; empty if each process counts for itself. Raises ``ImproperlyConfigured``."""
    return metric_files.open_folder(env.str("METRICS_FOLDER", default=""))


def pod_host(env: environ.Env) -> list[str]:
    """Read POD_IP, this pod's address: Prometheus asks pods by it, so it is a further host. Empty without one."""
    text: str = env.str("POD_IP", default="").strip()
    if not text:
        return []
    try:
        address = ip_address(text)
    except ValueError:
        raise ImproperlyConfigured(
            f"POD_IP: {text!r} is no IP address; Kubernetes gives it, or leave it out."
        ) from None
    return [f"[{address}]" if address.version == 6 else str(address)]


def port(env: environ.Env) -> int:
    """Read METRICS_PORT, on which the worker serves /metrics itself; 0 for none. Raises ``ImproperlyConfigured``."""
    text: str = env.str("METRICS_PORT", default="").strip()
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_PORT):
        raise ImproperlyConfigured(
            f"METRICS_PORT: {text!r} is no port; write a whole number from 1 to {MOST_PORT}, or leave it out for none."
        )
    return int(text)


def address(env: environ.Env) -> str:
    """Read METRICS_ADDRESS, the IP address at which the worker listens. Raises ``ImproperlyConfigured``."""
    text: str = env.str("METRICS_ADDRESS", default="127.0.0.1").strip()
    try:
        return setting_values.listening_address(text)
    except ValueError:
        raise ImproperlyConfigured(
            f"METRICS_ADDRESS: {text!r} is no IP address; write {setting_values.ADDRESSES}."
        ) from None
