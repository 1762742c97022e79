"""The settings that the apps read, with their defaults: a project overrides them in one dictionary, ``SUNWI``.

``SUNWI = {"RATE_LIMITS": {"write": "100/10"}}`` in a project's settings. Code reads them by
``foundation.sunwi_settings``. What has no honest default is asked for by system checks
(``foundation.monitoring.setup_checks``).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from foundation import setting_values
from foundation.redis.addresses import CLUSTER, SENTINEL, kind_of
from foundation.security.networks import BadNetwork, read_blocks
from foundation.throttling.limits import Limit, read_limit

SENTINEL_POOL = "foundation.redis.sentinel.SentinelPool"
REDIS_BACKEND = "django_redis.cache.RedisCache"
LIMITS = {
    "write": "50000/10",  # writing requests, for each key
    "read": "50000/10",  # reads of the API, for each key or client address
    "page": "5000/10",  # pages, for each client address
    "login": "10/300",  # passwords tried, for each account from one address
    "login_address": "100/300",  # passwords tried from one address, for all accounts
    "login_account": "30/3600",  # for each account over all addresses; own limit on known devices
    "login_day": "100/86400",  # the same for a day; and codes of second factors
    "second_factor": "5/300",  # codes tried, for each account
    "account_mail": "3/3600",  # mails of one kind about accounts, to one address
    "account_mail_address": "20/3600",  # the same, requested from one address
    "link": "10/60",  # link codes tried, for each user
    "join": "10/60",  # join codes tried, for each player
    "like": "60/10",  # likes given and taken back on pages, for each user
    "follow": "60/60",  # players followed or unfollowed, for each user
    "comment": "5/60",  # comments written or changed, for each user
    "profile": "20/3600",  # changes of one's own profile, for each user
    "own_data": "10/3600",  # exports of one's own data, for each user
}
API_MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "foundation.http.middleware.ApiHttpsOnly",
    "django.middleware.common.CommonMiddleware",
    "foundation.audit.middleware.AuditMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
# Forms of the admin that take files, and one of the permissions that each asks for.
FORMS_WITH_FILES: dict[str, tuple[str, ...]] = {
    "admin:competitions_competition_add": ("competitions.add_competition",),
    "admin:competitions_competition_change": ("competitions.change_competition",),
    "admin:leaderboards_importrun_add": tuple(map("leaderboards.import_{}".format, ("scores", "players", "boards"))),
}
PROFILE_FIELDS = ("name", "country", "picture")
_HOST = re.compile(r"(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+")
SHORTEST_KEY, SHORTEST_TOKEN = 32, 20  # characters
CONNECT_SECONDS = 0.25  # until Redis counts as away
ANSWER_SECONDS = 0.5
SECRETS = ("ENCRYPTION_KEYS", "METRICS_TOKEN", "PUSH_KEY", "REPLICA_URLS")


class _Wrong(ValueError):
    """What a value must be, and is not."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A default, which may depend on other settings, and what a value must be. ``read`` raises ``ValueError``."""

    default: Any
    read: Callable[[Any], Any]


def _number(least: float, most: float, kind: type = int) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        is_number = isinstance(value, (int, float) if kind is float else int) and not isinstance(value, bool)
        if not (is_number and least <= value <= most):
            raise _Wrong(f"must be a {'number' if kind is float else 'whole number'} from {least} to {most}")
        return value

    return read


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _Wrong("must be a text")
    return value


def _path(value: Any) -> str:
    """A text, or the text of a ``Path``."""
    return str(value) if isinstance(value, Path) else _text(value)


def _folder(value: Any) -> str:
    return str(Path(value).resolve()) if _path(value) else ""


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Wrong("must be True or False")
    return value


def _texts(value: Any) -> list[str]:
    if not (isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)):
        raise _Wrong("must be a list of texts")
    return list(value)


def _one_of(*words: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in words:
            raise _Wrong(f"must be one of: {', '.join(words)}")
        return str(value)

    return read


def _limits(value: Any) -> dict[str, Limit | None]:
    if not isinstance(value, Mapping) or (unknown := sorted(map(str, value.keys() - LIMITS.keys()))):
        named = f"; there is no {', '.join(unknown)}" if isinstance(value, Mapping) else ""
        raise _Wrong(f"must be a dictionary with some of the keys {', '.join(LIMITS)}{named}")
    try:
        return {rule: read_limit(_text(text)) for rule, text in {**LIMITS, **value}.items()}
    except ValueError as error:
        raise _Wrong(f"must give limits as texts: {error}") from None


def _networks(value: Any) -> list[str]:
    try:
        return read_blocks(_texts(value))
    except BadNetwork as error:
        raise _Wrong(f"must be a list of networks: {error.detail}") from None


def _token(value: Any) -> str:
    if _text(value) and len(value) < SHORTEST_TOKEN:
        raise _Wrong(f"must be empty, or have {SHORTEST_TOKEN} characters or more")
    return str(value)


def _keys(value: Any) -> list[str]:
    if any(len(each) < SHORTEST_KEY for each in _texts(value)):
        raise _Wrong(f"must be a list of keys with {SHORTEST_KEY} characters or more")
    return list(dict.fromkeys([*value, settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]))


def _forms(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise _Wrong("must be a dictionary: the name of a form's address, and a tuple of permissions")
    return {**FORMS_WITH_FILES, **value}


def read_profile_fields(value: Any) -> list[str]:
    """Check what players may change of themselves. Raises ``ValueError``."""
    if unknown := [each for each in _texts(value) if each not in PROFILE_FIELDS]:
        raise _Wrong(f"may have {', '.join(PROFILE_FIELDS)}; there is no {unknown[0]!r}")
    return list(dict.fromkeys(value))


def read_hosts(value: Any) -> list[str]:
    """Check names of hosts, such as ``img.example.org`` or ``*.example.org``. Raises ``ValueError``."""
    for host in _texts(value):
        if not _HOST.fullmatch(host):
            raise _Wrong(
                f"must be names of hosts in small letters, such as img.example.org or *.example.org; {host!r} is none"
            )
    return list(dict.fromkeys(value))


YEARS = 36_500  # days
SETTINGS: dict[str, Setting] = {
    "API_MIDDLEWARE": Setting(API_MIDDLEWARE, _texts),
    "AUDIT_KEEP_DAYS": Setting(730, _number(1, YEARS)),
    "COMMENT_LIKES_RATE": Setting(100, _number(1, 1_000_000)),
    "COMMENT_LIKES_STORAGE": Setting("hybrid", _one_of("hybrid", "redis", "sql", "append")),
    "DATA_DIR": Setting(".data", _path),
    "DEFAULT_TIMEZONE": Setting("UTC", setting_values.time_zone),
    "DEVICE_COOKIE_NAME": Setting(lambda: "__Host-device" if settings.SESSION_COOKIE_SECURE else "device", _text),
    "DYNAMODB_ENDPOINT": Setting("", setting_values.endpoint),
    "DYNAMODB_REGION": Setting("", _text),
    "DYNAMODB_TABLE": Setting("sunwi", setting_values.dynamodb_table),
    "DYNAMODB_WRITE_SHARDS": Setting(4, _number(1, 256)),
    "EMBED_SITES": Setting([], setting_values.embed_sites),
    "ENCRYPTION_KEYS": Setting([], _keys),
    "EXPORTS_AT_ONCE": Setting(2, _number(1, 1000)),
    "FORMS_WITH_FILES": Setting({}, _forms),
    "HISTOGRAM_PLAYERS": Setting(100_000, _number(0, 1_000_000_000)),
    "KEEP_RECORDS_DAYS": Setting(90, _number(1, YEARS)),
    "LARGEST_UPLOAD": Setting(8 * 1024 * 1024, _number(1, 1 << 30)),
    "METRICS_ADDRESS": Setting("127.0.0.1", setting_values.listening_address),
    "METRICS_FOLDER": Setting("", _folder),
    "METRICS_NETWORKS": Setting(["127.0.0.0/8", "::1/128"], _networks),
    "METRICS_PORT": Setting(0, _number(0, 65_535)),
    "METRICS_TOKEN": Setting("", _token),
    "OWN_TABLES_TABLESPACE": Setting("", _text),
    "PICTURE_HOSTS": Setting([], read_hosts),
    "PLAYERS_EDIT": Setting(list(PROFILE_FIELDS), read_profile_fields),
    "PRIVACY_URL": Setting("", setting_values.privacy_url),
    "PUSH_HOSTS": Setting(list(setting_values.PUSH_HOSTS), read_hosts),
    "PUSH_KEY": Setting("", setting_values.push_key),
    "RANK_SNAPSHOT_MINUTES": Setting(60, _number(1, 1440)),
    "RANK_SNAPSHOT_PLAYERS": Setting(1000, _number(0, 1_000_000)),
    "RATE_LIMITS": Setting({}, _limits),
    "REPLICA_STALENESS": Setting(0, setting_values.replica_staleness),
    "REPLICA_URLS": Setting([], setting_values.replica_urls),
    "SIGNATURE_TOLERANCE_SECONDS": Setting(300, _number(1, 900)),
    "SIGN_UP": Setting("off", _one_of("off", "invitation", "open")),
    "SITE_URL": Setting("http://localhost:8000", setting_values.site_url),
    "SQL_ALONE_SECONDS": Setting(0.4, _number(0, 3600, float)),
    "SQL_LONG_STATEMENT_SECONDS": Setting(3600.0, _number(0, 86_400, float)),
    "STAFF_IDLE_MINUTES": Setting(60, _number(0, 20_160, float)),
    "STAFF_SECOND_FACTOR": Setting(
        lambda: "required" if settings.SESSION_COOKIE_SECURE else "off", _one_of("off", "required")
    ),
    "STAFF_SESSION_HOURS": Setting(12, _number(0.1, 336, float)),
    "TRACING": Setting(False, _flag),
    "TRUSTED_PROXIES": Setting(0, _number(0, 100)),
    "WEBHOOK_ALLOW_PRIVATE": Setting(False, _flag),
    "WEBHOOK_KEEP_DAYS": Setting(30, _number(1, YEARS)),
    "WORKER_HUNG_SECONDS": Setting(900.0, _number(0, 86_400, float)),
}


def redis_cache(url: str) -> dict[str, Any]:
    """Build the entry of ``CACHES`` for the boards' Redis at ``url``, or for a page cache in another database.

    ``url`` begins with ``redis://``, ``rediss://`` or ``unix://``, or with ``redis+sentinel://`` (decision 0099).
    """
    kind = kind_of(url)
    asked_for = {"CONNECTION_POOL_CLASS": SENTINEL_POOL} if kind == SENTINEL else {}
    return {
        "BACKEND": REDIS_BACKEND,
        "LOCATION": [url] if kind else url,  # django-redis splits a text at its commas
        "OPTIONS": {
            **asked_for,
            # Not pickle, which can run code from the cache.
            "SERIALIZER": "foundation.caching.serializer.BytesJsonSerializer",
            "CONNECTION_POOL_KWARGS": {
                "socket_timeout": ANSWER_SECONDS,
                "socket_connect_timeout": CONNECT_SECONDS,
                # No retries: redis-py also repeats writes, so that an INCR may count twice.
                "retry": Retry(NoBackoff(), 0),
                "max_connections": 64,
            },
        },
    }


def redis_address(alias: str) -> str:
    """The URL of the Redis of an entry of ``CACHES``."""
    location = settings.CACHES[alias]["LOCATION"]
    return str(location) if isinstance(location, str) else str(location[0])


def is_cluster() -> bool:
    """Whether the boards' Redis is a Redis Cluster."""
    return kind_of(redis_address("boards")) == CLUSTER


def page_cache_alias() -> str:
    """The entry of ``CACHES`` whose Redis counts what may be lost: ``default``, or ``boards`` if that is no Redis."""
    return "default" if settings.CACHES["default"]["BACKEND"] == REDIS_BACKEND else "boards"
