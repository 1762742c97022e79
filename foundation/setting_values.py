"""What the values of some settings must be, for ``SUNWI`` and for the variables of Sunwi's own project alike.

Each function returns the value, or raises ``ValueError`` with what it must be, to stand after the setting's name.
"""

import re
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

_LABELS = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*"
# A source of the directive `frame-ancestors`: everybody, or a site; without a scheme its name has a point.
_FRAMING = re.compile(rf"\*|(https?://(?=[^/])|(?=[^/:]+\.))(\*\.)?{_LABELS}(:(\d{{1,5}}|\*))?/?", re.IGNORECASE)
LEAST_STALENESS, MOST_STALENESS = 1, 60  # seconds; a beat comes each quarter of a second
# The push services of Chrome and most others, Firefox, Safari, and Edge.
PUSH_HOSTS = ("fcm.googleapis.com", "updates.push.services.mozilla.com", "*.push.apple.com", "*.notify.windows.com")
ADDRESSES = "127.0.0.1 for this machine alone, 0.0.0.0 for all"


def time_zone(value: Any) -> str:
    """The name of a time zone."""
    try:
        name = ZoneInfo(value).key
    except (ValueError, TypeError, AttributeError, OSError, LookupError):
        name = ""
    if name in ("", "localtime", "Factory"):  # as boards have it
        raise ValueError("must be the name of a time zone, such as Asia/Seoul or UTC")
    return name


def _is_address(value: Any) -> bool:
    """Whether it is an address with scheme and host, perhaps with a path, and nothing else."""
    try:
        parts = urlsplit(value if isinstance(value, str) else "")
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return is_whole and not re.search(r"[\s?#@]", value)


def site_url(value: Any) -> str:
    """The address at which a site is found, perhaps with a path."""
    if not _is_address(value):
        raise ValueError("must be the address of the site with its scheme, such as https://boards.example")
    return str(value)


def embed_sites(value: Any) -> list[str]:
    """The sites that may show pages in frames."""
    if not (isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)):
        raise ValueError("must be a list of texts")
    for site in value:
        if not _FRAMING.fullmatch(site):
            raise ValueError(f"must name sites such as https://example.org or https://*.example.org; {site!r} is none")
    return list(value)


def listening_address(value: Any) -> str:
    """The IP address at which a process listens."""
    try:
        return str(ip_address(value if isinstance(value, str) else ""))
    except ValueError:
        raise ValueError(f"must be an IP address: {ADDRESSES}") from None


def replica_staleness(value: Any) -> float:
    """How many seconds old an answer of a replica may be; 0: none is asked."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not (value == 0 or LEAST_STALENESS <= value <= MOST_STALENESS):
        raise ValueError(f"must be a number of seconds from {LEAST_STALENESS} to {MOST_STALENESS}, or 0 for none")
    return float(value)


def replica_urls(value: Any) -> list[str]:
    """The addresses of replicas of one Redis server."""
    if not (isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)):
        raise ValueError("must be a list of texts")
    for nth, url in enumerate(value, 1):
        if not url.startswith(("redis://", "rediss://", "unix://")):  # not named: it may have a password
            raise ValueError(f"must name servers as redis://HOST:PORT/0; number {nth} does not")
    return list(value)


def endpoint(value: Any) -> str:
    """The address of a server that stands for a service of AWS; empty for AWS's own."""
    if value == "":
        return ""
    if not _is_address(value):
        raise ValueError("must be empty, or the address of a server, such as http://localhost:8000")
    return str(value)


def dynamodb_table(value: Any) -> str:
    """The name of a table of DynamoDB."""
    if not (isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9_.-]{3,255}", value)):
        raise ValueError("must be the name of a table: 3 to 255 letters, digits, and any of _.-")
    return value


def privacy_url(value: Any) -> str:
    """The address or path of the site's privacy policy; empty for none."""
    if not isinstance(value, str) or (value and not value.startswith(("https://", "http://", "/"))):
        raise ValueError("must begin with https://, or be a path of the site")
    return value


def push_key(value: Any) -> str:
    """The private key of web push, or an empty text; no message contains it."""
    if value == "":
        return ""
    from foundation.push.keys import read_key  # here: who sends none loads no cryptography

    try:
        read_key(value if isinstance(value, str) else "")
    except ValueError:
        raise ValueError("must be empty, or a key that `manage.py push_key` has made") from None
    return str(value)
