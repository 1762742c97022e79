"""All settings. What differs between machines comes from the environment, and nothing else does.

A running demo writes its own into DATA_DIR/env; that file fills in what the environment leaves out, so `manage.py`
with the same DATA_DIR works beside it. Where the environment has a SECRET_KEY, the file is not read: a deployment from
a checkout in which a demo once ran takes nothing of it. docs/settings.md lists every variable.
"""

import os
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import environ
from django.core.exceptions import ImproperlyConfigured

from config.components import (
    accounts,
    caches,
    csp,
    dynamodb,
    logs,
    mail,
    metrics,
    profiles,
    push,
    rate_limits,
    redis_urls,
    replicas,
    sealing,
    secret_files,
    site,
    task_queue,
)
from config.components import databases as sql
from config.components import middleware as around
from config.components import watching as watch
from foundation import conf, file_locations

BASE_DIR = Path(__file__).resolve().parent.parent
# The templates and files of the API's documentation. The package is found, not imported: a worker does not need it.
NINJA = Path(str(find_spec("ninja").origin)).parent  # type: ignore[union-attr]  # ninja is installed, so it has an origin

env = environ.Env()
env.ENVIRON = secret_files.with_files(os.environ)

# -- Where things are ---------------------------------------------------------------------------

DATA_DIR = Path(env.str("DATA_DIR", default=str(file_locations.demo_folder()))).resolve()
DEMO_ENV = DATA_DIR / "env"
if not env.ENVIRON.get("SECRET_KEY") and DEMO_ENV.is_file():
    env.read_env(DEMO_ENV)

# -- Secrets and hosts --------------------------------------------------------------------------

SECRET_KEY = env.str("SECRET_KEY", default="")
if not SECRET_KEY:
    raise ImproperlyConfigured(
        f"SECRET_KEY is not set, and there is no demo in {DATA_DIR}. "
        f"Set SECRET_KEY (or SECRET_KEY_FILE) in the environment, or start the demo once with `{file_locations.DEMO}`."
    )
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
# Signing secrets in SQL are encrypted with the first key; all of them decrypt.
ENCRYPTION_KEYS = sealing.encryption_keys(env, SECRET_KEY, SECRET_KEY_FALLBACKS)
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"]) + metrics.pod_host(env)
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

# Sunwi's settings have plain names here; other projects have them in the dictionary SUNWI (docs/install.md).
SUNWI_OWN_PROJECT = True

# -- Applications -------------------------------------------------------------------------------

INSTALLED_APPS = [
    "accounts",  # before django.contrib.auth: its commands of the same names stand before Django's
    "config.admin.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
    "foundation",
    "leaderboards",
    "likes",
    "competitions",
]

MIDDLEWARE = [*around.PAGES]  # tracing adds one, below
API_MIDDLEWARE = around.API

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates", NINJA / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# Only the admin has messages; in the session, so that no cookie is read for them.
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

# -- SQL ----------------------------------------------------------------------------------------

DATABASES = {
    "default": sql.database(env, env.str("DATABASE_URL", default=f"sqlite:///{quote(str(DATA_DIR))}/db.sqlite3")),
}
# Seconds that a transaction may be idle while it holds a period's exclusive lock; 0: no limit of its own.
SQL_ALONE_SECONDS = env.float("SQL_ALONE_SECONDS", default=0.4)
# Seconds that a statement over a whole period, or over years of records, may take; 0: no limit.
SQL_LONG_STATEMENT_SECONDS = env.float("SQL_LONG_STATEMENT_SECONDS", default=3600.0)
WORKER_HUNG_SECONDS = env.float("WORKER_HUNG_SECONDS", default=900.0)  # until a worker that hangs ends itself; 0: never

# -- Redis: boards, page cache and broker never share a database --------------------------------

REDIS_URL = secret_files.redis_url(env, "REDIS", "redis://127.0.0.1:6379/0")
redis_urls.check(REDIS_URL=REDIS_URL)
CACHE_URL = secret_files.redis_url(env, "CACHE", redis_urls.neighbour(REDIS_URL, 1))
BROKER_URL = secret_files.redis_url(env, "BROKER", redis_urls.neighbour(REDIS_URL, 2))
redis_urls.check(CACHE_URL=CACHE_URL, BROKER_URL=BROKER_URL)
redis_urls.check_apart(REDIS_URL, CACHE_URL=CACHE_URL, BROKER_URL=BROKER_URL)

CACHES = caches.caches(CACHE_URL, REDIS_URL)

# Pages from replicas of the boards' Redis: how old they may be, and where they come from.
REPLICA_STALENESS, REPLICA_URLS = replicas.staleness(env), replicas.urls(env)
vars().update(dynamodb.settings(env))

# -- Celery -------------------------------------------------------------------------------------

vars().update(task_queue.celery_settings(redis_urls.for_broker(BROKER_URL), redis_urls.broker_options(BROKER_URL)))

# -- Language and time --------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGE_COOKIE_AGE = 31_536_000  # seconds: a year
LANGUAGES = [("en", "English"), ("ko", "한국어")]
LOCALE_PATHS = [file_locations.folder("locale")]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
FORMAT_MODULE_PATH = ["config.formats"]  # a time that Django spells names its zone
# The zone that a new board's form starts with; boards carry their own.
DEFAULT_TIMEZONE = site.time_zone(env)

# -- Records ------------------------------------------------------------------------------------

KEEP_RECORDS_DAYS = env.int("KEEP_RECORDS_DAYS", default=90)  # resolved dead letters, differences, link codes
AUDIT_KEEP_DAYS = env.int("AUDIT_KEEP_DAYS", default=730)

# How often, and of how many players, the ranks of running periods are recorded; 0 players: never.
RANK_SNAPSHOT_MINUTES = max(env.int("RANK_SNAPSHOT_MINUTES", default=60), 1)
RANK_SNAPSHOT_PLAYERS = max(env.int("RANK_SNAPSHOT_PLAYERS", default=1000), 0)

HISTOGRAM_PLAYERS = max(env.int("HISTOGRAM_PLAYERS", default=100_000), 0)  # of a period, for percentiles; 0: none has
OWN_TABLES_TABLESPACE = env.str("OWN_TABLES_TABLESPACE", default="")  # of PostgreSQL; empty: where other tables are

# -- Likes ---------------------------------------------------------------------------------------

# The storage of likes of comments, and the likes a second that the most liked comment gets.
COMMENT_LIKES_STORAGE = env.str("COMMENT_LIKES_STORAGE", default="hybrid")
COMMENT_LIKES_RATE = env.int("COMMENT_LIKES_RATE", default=100)

# -- Files that the site serves itself ----------------------------------------------------------

STATIC_URL = "static/"
STATICFILES_DIRS = [NINJA / "static"]
if file_locations.CHECKOUT:  # an installed package has them inside, where they are found as those of any app
    STATICFILES_DIRS.append(file_locations.CHECKOUT / "static")
# With STATIC_ROOT, `collectstatic` has put hashed names there; without it (demo, tests,
# development) files are served from where they lie and nothing has to be collected.
STATIC_ROOT = env.str("STATIC_ROOT", default="") or None
WHITENOISE_USE_FINDERS = STATIC_ROOT is None
# A digest in the name: browsers keep such a file for good. Fonts have theirs from where they lie. Flags have
# none, since a page names forty of them; a drawing that changes goes to another folder.
WHITENOISE_IMMUTABLE_FILE_TEST = r"\.[0-9a-f]{12}\.[^/]+$|/flags/[a-z-]+\.webp$"
WHITENOISE_ADD_HEADERS_FUNCTION = csp.of_static_file
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if STATIC_ROOT
        else "django.contrib.staticfiles.storage.StaticFilesStorage",
    },
}

# -- Accounts -----------------------------------------------------------------------------------

AUTHENTICATION_BACKENDS = accounts.BACKENDS
AUTH_PASSWORD_VALIDATORS = accounts.VALIDATORS
LOGIN_URL, LOGIN_REDIRECT_URL, LOGOUT_REDIRECT_URL = "login", "/", "/"
PASSWORD_RESET_TIMEOUT = 3600
STAFF_SESSION_HOURS, STAFF_IDLE_MINUTES = accounts.staff_session(env)
SIGN_UP = accounts.sign_up(env)
# The site's privacy policy; the page "What is kept about you" links to it.
PRIVACY_URL = accounts.privacy_url(env)

# -- Security -----------------------------------------------------------------------------------

# Off only without TLS: in the demo on loopback, and in tests.
HTTPS = env.bool("HTTPS", default=not DEBUG)
SECURE_SSL_REDIRECT = HTTPS
# Probes use plain http inside the network. API requests over http are refused, not redirected: a key must not be
# sent in the clear unnoticed.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$", r"^api/v1/"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
# Browsers keep a preloaded domain for good: that is a decision about the whole domain, so it is off by default.
SECURE_HSTS_PRELOAD = HTTPS and env.bool("HSTS_PRELOAD", default=False)
SILENCED_SYSTEM_CHECKS = [
    "security.W021",  # asks for the preload
    "mail.E001",  # of Django 6.1: a site may send no e-mails, and accounts/checks.py warns where it needs them
]
if env.bool("BEHIND_TLS_PROXY", default=False):
    # Only behind a proxy that sets this header itself: clients could forge it otherwise.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
STAFF_SECOND_FACTOR = accounts.second_factor(env, HTTPS)
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
# Browsers take a `__Host-` cookie only over TLS, from this host alone.
SESSION_COOKIE_NAME = "__Host-sessionid" if HTTPS else "sessionid"
DEVICE_COOKIE_NAME = "__Host-device" if HTTPS else "device"
CSRF_COOKIE_NAME = "__Host-csrftoken" if HTTPS else "csrftoken"
SESSION_ENGINE = "accounts.session_store"
SESSION_SERIALIZER = "django.contrib.sessions.serializers.JSONSerializer"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000
# Only these forms take files, from staff with one of the permissions; the whole form stays in memory.
FORMS_WITH_FILES = conf.FORMS_WITH_FILES
LARGEST_UPLOAD = 8 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = LARGEST_UPLOAD
FILE_UPLOAD_HANDLERS = [
    "foundation.http.uploads.RejectUnexpectedFiles",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
]

CONTENT_SECURITY_POLICY = {"DIRECTIVES": csp.DIRECTIVES}

# The sites that may show boards inside frames (`https://example.org`), by `?embed=1`. None by default.
EMBED_SITES = site.embed_sites(env)

# What players may change of their own profile, and the hosts that their pictures are fetched from.
PLAYERS_EDIT = profiles.players_edit(env)
PICTURE_HOSTS = profiles.picture_hosts(env)

# -- Limits: "requests/seconds" within any such time; "" or "0" for none --------------------------
RATE_LIMITS = rate_limits.limits(env)
EXPORTS_AT_ONCE = max(env.int("EXPORTS_AT_ONCE", default=2), 1)  # long files (CSV) that one process makes at once
# The number of proxies before the site, each of which adds to X-Forwarded-For. 0: the header is not read.
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0)

# The seconds by which the time of a signed request may differ from this server's.
SIGNATURE_TOLERANCE_SECONDS = sealing.signature_tolerance(env)

# -- Webhooks -----------------------------------------------------------------------------------

# Off: messages go over https to public addresses alone. On: also to private addresses, and over http.
WEBHOOK_ALLOW_PRIVATE = env.bool("WEBHOOK_ALLOW_PRIVATE", default=False)
WEBHOOK_KEEP_DAYS = env.int("WEBHOOK_KEEP_DAYS", default=30)  # that delivered messages are kept, to be sent again

# -- E-mail -------------------------------------------------------------------------------------

# The address of the site, with which links in e-mails begin.
SITE_URL = site.url(env)
# EMAIL_URL: `smtp+tls://user:password@host:587`; without it e-mails go nowhere.
vars().update(mail.mail_settings(env))
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="Sunwi <sunwi@localhost>")
PUSH_KEY, PUSH_HOSTS = push.key(env), push.hosts(env)  # web push: off without a key

# -- What a monitoring system reads at /metrics --------------------------------------------------

METRICS_FOLDER, METRICS_NETWORKS, METRICS_TOKEN = metrics.folder(env), metrics.networks(env), metrics.token(env)
METRICS_ADDRESS, METRICS_PORT = metrics.address(env), metrics.port(env)  # of the worker's own /metrics

# -- Logs: one line each, UTC, to standard error ------------------------------------------------

LOGGING = logs.logging_config(env.str("LOG_LEVEL", default="INFO"), logs.log_format(env))

# -- OpenTelemetry and Sentry, if the environment names them --------------------------------------

TRACING = watch.is_traced(env)
if TRACING:
    MIDDLEWARE.insert(1, watch.MIDDLEWARE)  # after the request's id, which each span has
watch.report_errors(env, LOGGING, os.environ.get("GIT_COMMIT", ""))
