"""Reading and changing Redis URLs; pure functions.

The database number is in the path of `redis://host:6379/0`, but in the query of `unix:///path?db=0` and of
`redis+sentinel://host1,host2/name?db=0`. Celery has forms of its own for Unix sockets and for sentinels.
"""

from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit, urlunsplit

from django.core.exceptions import ImproperlyConfigured

from foundation.redis.addresses import CLUSTER, SENTINEL, database_of, kind_of, read_many, same_database

DATABASES = 16  # Redis's default


def with_database(url: str, number: int) -> str:
    """The URL with another database number."""
    parts = urlsplit(url)
    query = {key: values[0] for key, values in parse_qs(parts.query).items()}
    if parts.scheme == "unix":
        # Not urlunsplit, which drops the slashes of a scheme it does not know.
        return f"unix://{parts.netloc}{parts.path}?{urlencode(query | {'db': number})}"
    if kind_of(url):
        return f"{parts.scheme}://{parts.netloc}{parts.path}?{urlencode(query | {'db': number})}"
    query.pop("db", None)
    return urlunsplit(parts._replace(path=f"/{number}", query=urlencode(query)))


def has_password(url: str) -> bool:
    """Whether the URL has a password, in its user part or in its query."""
    parts = urlsplit(url)
    return bool(parts.password or parse_qs(parts.query).get("password"))


def with_password(url: str, password: str) -> str:
    """The URL with this password, which may contain any character."""
    scheme, _, rest = url.partition("://")
    place, slash, path = rest.partition("/")
    user, _, host = place.rpartition("@")
    return f"{scheme}://{user.partition(':')[0]}:{quote(password, safe='')}@{host}{slash}{path}"


def neighbour(url: str, steps: int) -> str:
    """The URL with a database number higher by `steps`, starting at 0 again after the last one; "" for a cluster."""
    if kind_of(url) == CLUSTER:
        return ""
    return with_database(url, (database_of(url) + steps) % DATABASES)


def for_broker(url: str) -> str:
    """The URL in Celery's form: for a socket `redis+socket://` with a `virtual_host`, for sentinels one URL each."""
    parts = urlsplit(url)
    if kind_of(url) == SENTINEL:
        user, at, _ = parts.netloc.rpartition("@")
        hosts = read_many(url).hosts
        return ";".join(f"sentinel://{user}{at}{_bracketed(host)}:{port}/{database_of(url)}" for host, port in hosts)
    if parts.scheme != "unix":
        return url
    query = {key: values[0] for key, values in parse_qs(parts.query).items()}
    query["virtual_host"] = query.pop("db", "0")
    netloc = parts.netloc  # user and password, if any
    return f"redis+socket://{netloc}{parts.path}?{urlencode(query)}"


def broker_options(url: str) -> dict[str, Any]:
    """What Celery's transport must be told besides the URL of ``for_broker``. Raises ``ValueError``."""
    if kind_of(url) != SENTINEL:
        return {}
    if url.startswith("rediss"):
        raise ValueError("the broker cannot be reached through sentinels over TLS: give it a server of its own")
    named = read_many(url)
    own = {"username": named.user, "password": named.password}
    return {"master_name": named.name, "sentinel_kwargs": {name: value for name, value in own.items() if value}}


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def check(**urls: str) -> None:
    """Refuse a URL of several servers that cannot be read, by the name of its setting.

    Raises ``ImproperlyConfigured``. URLs of one server are read by redis-py.
    """
    for name, url in urls.items():
        try:
            _check(name, url)
        except ValueError as error:
            raise ImproperlyConfigured(f"{name}: {error}.") from None


def _check(name: str, url: str) -> None:
    if not url:
        raise ValueError("it is not set; a cluster has a single database, so name another server")
    if kind_of(url) == CLUSTER and name != "REDIS_URL":
        raise ValueError("page cache and broker cannot be in a cluster: name another server")
    if kind_of(url):
        read_many(url)
    if name == "BROKER_URL":
        broker_options(url)


def check_apart(boards: str, **others: str) -> None:
    """Raise `ImproperlyConfigured` if one of the other URLs, by the name of its setting, is the boards' database."""
    for name, url in others.items():
        if same_database(boards, url):
            raise ImproperlyConfigured(
                f"{name} names the same Redis database as REDIS_URL, where the boards live. "
                "Give it another database number, or better another server."
            )
