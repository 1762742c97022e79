"""System checks of the project that the apps are installed in: each says what to write in its settings or addresses.

They run with every ``check`` and ask no server. docs/install.md has the settings and addresses that pass them.
"""

from collections.abc import Mapping
from typing import Any

from celery import current_app
from django.apps import apps
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register  # noqa: A004 - Django's own name
from django.db import DEFAULT_DB_ALIAS, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import load_backend
from django.urls import NoReverseMatch, reverse

from foundation.conf import REDIS_BACKEND, is_cluster, page_cache_alias, redis_address
from foundation.needed_apps import SunwiApp
from foundation.redis.addresses import kind_of, same_database
from foundation.sunwi_settings import sunwi_settings
from foundation.users import user_model

NOT_OUR_BACKEND = (
    "The database backend does not inherit from Sunwi's. With it, sunwi_sql_errors_total counts nothing, a request"
    " whose session PostgreSQL ended gets a 500, not a 503, and times are misread under a DateStyle other than ISO.",
    'Write "ENGINE": "foundation.postgresql". If the project needs another one, make a backend of its own whose'
    " DatabaseWrapper inherits from foundation.postgresql.base.DatabaseWrapper and from that one's, in this order.",
)
FAST_PATH = "foundation.http.fast_path.ApiFastPath"
REQUEST_IDS = "foundation.monitoring.request_ids.RequestIds"
MIDDLEWARE = {
    FAST_PATH: "before all others but that of request ids",
    "accounts.middleware.AccountLogins": "in the place of AuthenticationMiddleware",
    "foundation.audit.middleware.AuditMiddleware": "after the one for logins",
    "foundation.http.middleware.ServersUnavailable": "last",
}
PROCESSORS = ("django.template.context_processors.request", "django.contrib.auth.context_processors.auth")
# An app, a name of its addresses, and what brings that.
ADDRESSES = (
    ("leaderboards", "board-periods", (1,), 'path("", include("leaderboards.urls"))'),
    ("accounts", "account-security", (), 'path("", include("accounts.urls"))'),
    ("competitions", "competitions", (), 'path("", include("competitions.urls"))'),
    ("leaderboards", "admin:index", (), 'path("admin/", admin.site.urls)'),
)


@register(Tags.caches)
def boards_have_a_redis(**_: Any) -> list[CheckMessage]:
    """Check that ``CACHES["boards"]`` names a Redis."""
    entry: Mapping[str, Any] = dict(settings.CACHES.get("boards") or {})
    if entry.get("BACKEND") == REDIS_BACKEND and entry.get("LOCATION"):
        return []
    hint = 'Write `from foundation.conf import redis_cache` and CACHES["boards"] = redis_cache("redis://HOST:6379/0").'
    return [Error("The boards have no Redis.", hint=hint, id="sunwi.E010")]


@register(Tags.caches)
def a_cluster_needs_a_page_cache(**_: Any) -> list[CheckMessage]:
    """Check that ``CACHES["default"]`` is a Redis server if the boards are in a cluster, which is none."""
    if not settings.CACHES.get("boards") or not is_cluster() or page_cache_alias() == "default":
        return []
    hint = 'Write CACHES["default"] = redis_cache("redis://HOST:6379/0"), of a server that is not in the cluster.'
    return [Error("The boards are in a Redis Cluster, and Django's cache is no Redis.", hint=hint, id="sunwi.E017")]


@register(Tags.caches)
def replicas_are_named_once(**_: Any) -> list[CheckMessage]:
    """Check that REPLICA_URLS is there for a single server, whose replicas nobody else tells, and for no other."""
    if not settings.CACHES.get("boards") or not sunwi_settings.REPLICA_STALENESS:
        return []
    is_of_many = bool(kind_of(redis_address("boards")))
    if is_of_many and sunwi_settings.REPLICA_URLS:
        hint = "Leave REPLICA_URLS out."
        return [Error("Sentinels and clusters tell their replicas themselves.", hint=hint, id="sunwi.E022")]
    if not is_of_many and not sunwi_settings.REPLICA_URLS:
        hint = "Name them in REPLICA_URLS, or leave REPLICA_STALENESS out."
        return [Error("REPLICA_STALENESS is set, and no replica is named.", hint=hint, id="sunwi.E022")]
    return []


@register()
def broker_has_a_database_of_its_own(**_: Any) -> list[CheckMessage]:
    """Check that Celery's broker is not in the boards' database, judged by the addresses alone."""
    broker = str(getattr(settings, "CELERY_BROKER_URL", None) or current_app.conf.broker_url or "")
    try:
        is_same = bool(settings.CACHES.get("boards")) and same_database(redis_address("boards"), broker)
    except (ValueError, LookupError):  # another kind of address, or none; E010 tells of the boards'
        return []
    hint = "Give it another database number, or better another server."
    said = 'The broker (CELERY_BROKER_URL) names the same Redis database as CACHES["boards"], where the boards live.'
    return [Error(said, hint=hint, id="sunwi.E018")] if is_same else []


@register()
def celery_app_is_imported(**_: Any) -> list[CheckMessage]:
    """Check that Django starts with the project's Celery app: without it, tasks and the broker's state go nowhere.

    Celery then falls back to an app of its own, which asks a broker on this machine.
    """
    if current_app.main != "default":
        return []
    hint = "Write `from .celery import app as celery_app` in the __init__.py beside the settings."
    return [Error("Django starts without the project's Celery app.", hint=hint, id="sunwi.E021")]


@register()
def middleware_is_there(**_: Any) -> list[CheckMessage]:
    """Check that ``MIDDLEWARE`` has what the pages and the API need."""
    return [
        Error(f"MIDDLEWARE lacks {name}.", hint=f"Add it, {place}.", id="sunwi.E011")
        for name, place in MIDDLEWARE.items()
        if name not in settings.MIDDLEWARE
    ]


@register()
def requests_have_ids(**_: Any) -> list[CheckMessage]:
    """Check that each request gets its id, those that ``FAST_PATH`` answers too."""
    found = [each for each in settings.MIDDLEWARE if each in (REQUEST_IDS, FAST_PATH)]
    if found[:1] == [REQUEST_IDS]:
        return []
    hint = f"Write {REQUEST_IDS} first in MIDDLEWARE."
    said = "Requests get no id: answers have no X-Request-ID, and log lines and tasks cannot be traced to a request."
    return [Warning(said, hint=hint, id="sunwi.W007")]


@register(Tags.templates)
def processors_are_there(**_: Any) -> list[CheckMessage]:
    """Check the context processors that the pages need."""
    engines: list[dict[str, Any]] = settings.TEMPLATES
    found = {each for engine in engines for each in engine.get("OPTIONS", {}).get("context_processors", ())}
    hint = 'Add it to "context_processors" in TEMPLATES.'
    return [Error(f"TEMPLATES lack {each}.", hint=hint, id="sunwi.E012") for each in PROCESSORS if each not in found]


@register()
def database_can_hold_locks(**_: Any) -> list[CheckMessage]:
    """Check that the database is PostgreSQL, best with our backend, or SQLite whose writers wait for each other."""
    database = settings.DATABASES.get("default", {})
    engine = database.get("ENGINE", "")
    backend = load_backend(engine or "django.db.backends.dummy").DatabaseWrapper
    if backend.vendor == "postgresql":
        return [] if _is_our_postgresql(backend) else [Warning(*NOT_OUR_BACKEND, id="sunwi.W008")]
    if backend.vendor != "sqlite":
        hint = 'Write "ENGINE": "foundation.postgresql" (PostgreSQL), or use SQLite for trying out.'
        named = f"the database engine {engine}" if engine else "no database"
        return [Error(f"Boards cannot be kept with {named}.", hint=hint, id="sunwi.E013")]
    if database.get("OPTIONS", {}).get("transaction_mode") == "IMMEDIATE":
        return []
    hint = 'Write "OPTIONS": {"transaction_mode": "IMMEDIATE"} in DATABASES["default"].'
    return [Error("SQLite would let two writers read before either writes.", hint=hint, id="sunwi.E013")]


def _is_our_postgresql(backend: type[BaseDatabaseWrapper]) -> bool:
    from foundation.postgresql.base import DatabaseWrapper  # needs psycopg, which a project on SQLite need not load

    return issubclass(backend, DatabaseWrapper)


@register(Tags.models)
def tables_are_in_default(**_: Any) -> list[CheckMessage]:
    """Check that ``DATABASE_ROUTERS`` leave our tables, and that of accounts, in ``default``."""
    models = [model for app in apps.get_app_configs() if isinstance(app, SunwiApp) for model in app.get_models()]
    elsewhere = dict[str, set[str]]()
    for model in (*models, user_model()):
        alias = router.db_for_write(model)
        if alias != DEFAULT_DB_ALIAS or not router.allow_migrate_model(DEFAULT_DB_ALIAS, model):
            elsewhere.setdefault(alias, set()).add(model._meta.app_label)
    hint = 'Let the routers leave them to "default": db_for_write returns None, and allow_migrate True, for these apps.'
    return [
        Error(f'DATABASE_ROUTERS keep {_listed(labels)} out of the database "default".', hint=hint, id="sunwi.E019")
        for labels in elsewhere.values()
    ]


@register()
def changes_are_committed(**_: Any) -> list[CheckMessage]:
    """Check that ``default`` commits what stands in no transaction."""
    if settings.DATABASES.get(DEFAULT_DB_ALIAS, {}).get("AUTOCOMMIT", True):
        return []
    hint = 'Leave "AUTOCOMMIT" out of DATABASES["default"].'
    return [Error("AUTOCOMMIT is off: what is written would not be committed.", hint=hint, id="sunwi.E020")]


@register()
def project_suits(**_: Any) -> list[CheckMessage]:
    """Check what the apps take for granted: times with zones."""
    if settings.USE_TZ:
        return []
    return [Error("USE_TZ is off.", hint="Write USE_TZ = True.", id="sunwi.E015")]


@register(Tags.urls)
def addresses_are_there(**_: Any) -> list[CheckMessage]:
    """Check that the addresses are included that the pages of the installed apps link to."""
    return [
        Error(f"The pages link to {name!r}, which has no address.", hint=f"Add {line} to urlpatterns.", id="sunwi.E016")
        for app, name, args, line in ADDRESSES
        if apps.is_installed(app) and not _has_address(name, args)
    ]


def _listed(labels: set[str]) -> str:
    return ", ".join(sorted(labels))


def _has_address(name: str, args: tuple[Any, ...]) -> bool:
    try:
        reverse(name, args=args)
    except NoReverseMatch:
        return False
    return True
