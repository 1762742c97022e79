"""Reading the addresses of several servers from one URL: ``redis+sentinel://`` and ``redis+cluster://``.

``redis+sentinel://user:password@host1:26379,host2,host3/name?db=0`` names sentinels and the primary that they watch;
``redis+cluster://host1,host2`` names some nodes of a cluster, which tell the others. With ``rediss+`` the connections
are encrypted. Pure functions of the standard library.
"""

from typing import NamedTuple
from urllib.parse import parse_qs, parse_qsl, unquote, urlencode, urlsplit

SENTINEL, CLUSTER = "sentinel", "cluster"
DEFAULT_PORTS = {SENTINEL: 26379, CLUSTER: 6379}

Host = tuple[str, int]


class ManyHosts(NamedTuple):
    """What a URL of several servers says.

    ``plain`` is a URL of the form ``redis://`` with everything but the hosts, for options such as user, password and
    database. ``name`` is that of the primary that sentinels watch; ``user`` and ``password`` are the sentinels' own.
    """

    kind: str
    hosts: tuple[Host, ...]
    plain: str
    name: str = ""
    user: str | None = None
    password: str | None = None


def kind_of(url: str) -> str:
    """The part of the scheme after the plus (``sentinel``, ``cluster``); "" for the URL of one server."""
    scheme, plus, kind = url.partition("://")[0].partition("+")
    is_of_many = bool(plus) and scheme in ("redis", "rediss") and kind != "socket"  # that one is Celery's for a file
    return kind if is_of_many else ""


def read_many(url: str) -> ManyHosts:
    """Read a URL of several servers. Raises ``ValueError`` with what is wrong with it; never with a password."""
    kind = kind_of(url)
    if kind not in DEFAULT_PORTS:
        known = ", ".join(f"redis+{each}://" for each in DEFAULT_PORTS)
        raise ValueError(f"the scheme is unknown; of several servers there is {known}")
    scheme, _, rest = url.partition("://")
    place, _, tail = rest.partition("/")
    path, _, query = tail.partition("?")
    if not tail:
        place, _, query = place.partition("?")
    user, at, hosts = place.rpartition("@")
    options = dict(parse_qsl(query))
    own = options.pop("sentinel_username", None), options.pop("sentinel_password", None)
    database = options.pop("db", "0")
    if not database.isdecimal():
        raise ValueError(f"db is {database!r}, which is no number")
    if kind == SENTINEL and not path:
        raise ValueError("it lacks the name of the primary after the hosts, as in redis+sentinel://host1,host2/name")
    if kind == CLUSTER and (path or database != "0"):
        raise ValueError("a cluster has one database, 0: write redis+cluster://host1,host2 and nothing after the hosts")
    encoded = f"?{urlencode(options)}" if options else ""
    plain = f"{scheme.partition('+')[0]}://{user}{at}unused/{database}{encoded}"
    return ManyHosts(kind, _read_hosts(hosts, DEFAULT_PORTS[kind]), plain, unquote(path), *own)


def _read_hosts(text: str, default_port: int) -> tuple[Host, ...]:
    return tuple(_read_host(each.strip(), default_port) for each in text.split(","))


def _read_host(text: str, default_port: int) -> Host:
    try:
        parts = urlsplit(f"//{text}")
        port = parts.port
    except ValueError:
        raise ValueError(f"{text!r} is no host with a port") from None
    if not parts.hostname:
        raise ValueError("a host is missing: write them with commas between, as in host1:26379,host2:26379")
    return parts.hostname, port or default_port


def database_of(url: str) -> int:
    """The database number in a URL; 0 if there is none."""
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    numbers = query.get("db") or query.get("virtual_host")
    if numbers:
        return int(numbers[0])
    path = parts.path.strip("/") if not kind_of(url) else ""
    return int(path) if path.isdigit() and "socket" not in parts.scheme else 0


def same_database(one: str, other: str) -> bool:
    """Whether both URLs name the same database, judged by the text alone."""

    def place(url: str) -> tuple[str, int]:
        if kind_of(url):
            named = read_many(url)
            return f"{sorted(named.hosts)} {named.name}", database_of(url)
        parts = urlsplit(url)
        if parts.hostname is None:
            return parts.path, database_of(url)
        return f"{parts.hostname}:{parts.port or 6379}", database_of(url)

    return place(one) == place(other)
