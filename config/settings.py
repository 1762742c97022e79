"""All settings. What differs between machines comes from the environment, and nothing else does.

A running demo writes its own into DATA_DIR/env; that file only fills in what the environment leaves
out, so `manage.py` with the same DATA_DIR works beside it. docs/settings.md lists every variable.
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
    logs,
    mail,
    metrics,
    profiles,
    rate_limits,
    redis_urls,
    sealing,
    secret_files,
)
from config.components import databases as sql
from config.components import middleware as around
from config.components import watching as watch
from config.schedule import SCHEDULE
from foundation import file_locations

BASE_DIR = Path(__file__).resolve().parent.parent
# Where ninja's page of the API's documents lies, with its files. It is found, not loaded: a worker needs none of it.
NINJA = Path(str(find_spec("ninja").origin)).parent  # type: ignore[union-attr]  # ninja is installed, so it has an origin

env = environ.Env()
env.ENVIRON = secret_files.with_files(os.environ)

# -- Where things are ---------------------------------------------------------------------------

DATA_DIR = Path(env.str("DATA_DIR", default=str(file_locations.demo_folder()))).resolve()
DEMO_ENV = DATA_DIR / "env"
if DEMO_ENV.is_file():
    env.read_env(DEMO_ENV)

# -- Secrets and hosts --------------------------------------------------------------------------

SECRET_KEY = env.str("SECRET_KEY", default="")
if not SECRET_KEY:
    raise ImproperlyConfigured(
        f"SECRET_KEY is not set, and there is no demo in {DATA_DIR}. "
        f"Set SECRET_KEY (or SECRET_KEY_FILE) in the environment, or start the demo once with `{file_locations.DEMO}`."
    )
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
# What SQL keeps of signing secrets is encrypted with the first; all decrypt.
ENCRYPTION_KEYS = sealing.encryption_keys(env, SECRET_KEY, SECRET_KEY_FALLBACKS)
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"]) + metrics.pod_host(env)
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

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

# Only the admin has any; nothing is looked for in cookies then.
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

# -- SQL ----------------------------------------------------------------------------------------

DATABASES = {
    "default": sql.database(env, env.str("DATABASE_URL", default=f"sqlite:///{quote(str(DATA_DIR))}/db.sqlite3")),
}
# How long who keeps all others out of a period may rest meanwhile; 0 is no limit of its own.
SQL_ALONE_SECONDS = env.float("SQL_ALONE_SECONDS", default=0.4)
# How long a statement may take that works through a whole period, or years of records; 0 is no limit.
SQL_LONG_STATEMENT_SECONDS = env.float("SQL_LONG_STATEMENT_SECONDS", default=3600.0)

# -- Redis: boards, page cache and broker never share a database --------------------------------

REDIS_URL = secret_files.redis_url(env, "REDIS", "redis://127.0.0.1:6379/0")
redis_urls.check(REDIS_URL=REDIS_URL)
CACHE_URL = secret_files.redis_url(env, "CACHE", redis_urls.neighbour(REDIS_URL, 1))
BROKER_URL = secret_files.redis_url(env, "BROKER", redis_urls.neighbour(REDIS_URL, 2))
redis_urls.check(CACHE_URL=CACHE_URL, BROKER_URL=BROKER_URL)
for _name, _url in (("CACHE_URL", CACHE_URL), ("BROKER_URL", BROKER_URL)):
    if redis_urls.same_database(REDIS_URL, _url):
        raise ImproperlyConfigured(
            f"{_name} names the same Redis database as REDIS_URL, where the boards live. "
            "Give it another database number, or better another server."
        )

CACHES = caches.caches(CACHE_URL, REDIS_URL)

# -- Celery: thrift lives here, correctness in unique rows, versions and scripts ----------------

# All three: Celery's command line takes BROKER_URL of the environment for the first, which has no password from a file.
CELERY_BROKER_URL = CELERY_BROKER_READ_URL = CELERY_BROKER_WRITE_URL = redis_urls.for_broker(BROKER_URL)
# A worker waits for its broker for as long as it takes, and also where it refuses: full, or a replica for a moment.
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_connect_timeout": 2,
    "socket_timeout": 10,
    "queue_order_strategy": "priority",  # schedule.py says what goes first
    "ack_emulation": False,  # the broker need not know what a worker has, which gives nothing back
    **redis_urls.broker_options(BROKER_URL),
}
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
# Ends the process of a task, so with `--pool prefork` alone; on a thread SQL's limits end what takes too long.
CELERY_TASK_TIME_LIMIT = 600
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE = SCHEDULE
# It keeps nothing on disk: every interval is short, and a file can break.
CELERY_BEAT_SCHEDULER = "config.quiet_scheduler:QuietScheduler"

# -- Language and time --------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGE_COOKIE_AGE = 31_536_000  # of who chose one
LANGUAGES = [("en", "English"), ("ko", "한국어")]
LOCALE_PATHS = [file_locations.folder("locale")]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
FORMAT_MODULE_PATH = ["config.formats"]  # a time that Django spells names its zone
# The zone that a new board's form starts with; boards carry their own.
DEFAULT_TIMEZONE = env.str("DEFAULT_TIMEZONE", default="UTC")

# -- Records ------------------------------------------------------------------------------------

# For how many days resolved dead letters, differences and link codes are kept.
KEEP_RECORDS_DAYS = env.int("KEEP_RECORDS_DAYS", default=90)
AUDIT_KEEP_DAYS = env.int("AUDIT_KEEP_DAYS", default=730)

# How often the best of each running period are kept for movement and ranks over time, and how many; 0 players: never.
RANK_SNAPSHOT_MINUTES = max(env.int("RANK_SNAPSHOT_MINUTES", default=60), 1)
RANK_SNAPSHOT_PLAYERS = max(env.int("RANK_SNAPSHOT_PLAYERS", default=1000), 0)

# From how many players on each running period has a histogram, for percentiles; 0: none has.
HISTOGRAM_PLAYERS = max(env.int("HISTOGRAM_PLAYERS", default=100_000), 0)

# -- Likes ---------------------------------------------------------------------------------------

# How likes of comments are kept: hybrid, redis, sql or append; and how many a second the most liked comment gets.
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
# A digest in the name: browsers keep such a file for good. Fonts have theirs from where they lie.
WHITENOISE_IMMUTABLE_FILE_TEST = r"^.+\.[0-9a-f]{12}\..+$"
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
STAFF_SESSION = accounts.staff_session(env)
SIGN_UP = accounts.sign_up(env)
# Where those who run the site say what they do with data of people; the page "What is kept about you" leads there.
PRIVACY_URL = accounts.privacy_url(env)

# -- Security -----------------------------------------------------------------------------------

# Off only where no TLS is to be had: the demo on loopback, the tests.
HTTPS = env.bool("HTTPS", default=not DEBUG)
SECURE_SSL_REDIRECT = HTTPS
# Probes come over plain http from inside; the API is refused instead, so that no key goes on that way unseen.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$", r"^api/v1/"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
# Browsers that have the domain in their lists never forget it: a choice for the whole domain, not a default.
SECURE_HSTS_PRELOAD = HTTPS and env.bool("HSTS_PRELOAD", default=False)
SILENCED_SYSTEM_CHECKS = [
    "security.W021",  # asks for the preload
    "mail.E001",  # of Django 6.1: a site may send no e-mails, and accounts/checks.py warns where it needs them
]
if env.bool("BEHIND_TLS_PROXY", default=False):
    # Only behind a proxy that sets this header itself: anybody else could forge it.
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
# Files are taken by these forms alone, from staff with one of the permissions, and never lie on a disk: the whole form
# is kept in memory.
FORMS_WITH_FILES = {
    "admin:competitions_competition_add": ("competitions.add_competition",),
    "admin:competitions_competition_change": ("competitions.change_competition",),
    "admin:leaderboards_importrun_add": tuple(map("leaderboards.import_{}".format, ("scores", "players", "boards"))),
}
LARGEST_UPLOAD = 8 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = LARGEST_UPLOAD
FILE_UPLOAD_HANDLERS = [
    "foundation.http.uploads.RejectUnexpectedFiles",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
]

CONTENT_SECURITY_POLICY = {"DIRECTIVES": csp.DIRECTIVES}

# The sites that may show boards inside frames (`https://example.org`), by `?embed=1`. None by default.
EMBED_SITES = env.list("EMBED_SITES", default=[])

# What players may change of themselves on their account's page; and the hosts that their pictures are fetched from.
PLAYERS_EDIT = profiles.players_edit(env)
PICTURE_HOSTS = profiles.picture_hosts(env)

# -- Limits: "requests/seconds" within any such time; "" or "0" for none --------------------------
RATE_LIMITS = rate_limits.limits(env)
EXPORTS_AT_ONCE = max(env.int("EXPORTS_AT_ONCE", default=2), 1)  # long files (CSV) that one process makes at once
# How many proxies a request comes through, each of which adds to X-Forwarded-For. 0: nobody's word is taken.
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0)

# For how many seconds a signed request of the API may be under way, and clocks may differ.
SIGNATURE_TOLERANCE_SECONDS = sealing.signature_tolerance(env)

# -- Webhooks -----------------------------------------------------------------------------------

# Messages go to the public internet over https alone. On lets them go to private addresses too, and over http.
WEBHOOK_ALLOW_PRIVATE = env.bool("WEBHOOK_ALLOW_PRIVATE", default=False)
# How long messages that arrived are kept, to look at and to send again.
WEBHOOK_KEEP_DAYS = env.int("WEBHOOK_KEEP_DAYS", default=30)

# -- E-mail -------------------------------------------------------------------------------------

# Where people find the site: what links in e-mails begin with.
SITE_URL = env.str("SITE_URL", default="http://localhost:8000")
# `smtp+tls://user:password@host:587`; without it e-mails are written, and go nowhere.
vars().update(mail.mail_settings(env))
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="Sunwi <sunwi@localhost>")

# -- What a monitoring system reads at /metrics --------------------------------------------------

METRICS_FOLDER, METRICS_NETWORKS, METRICS_TOKEN = metrics.folder(env), metrics.networks(env), metrics.token(env)
METRICS_ADDRESS, METRICS_PORT = metrics.address(env), metrics.port(env)  # of the worker's own /metrics

# -- Logs: one line each, UTC, to standard error ------------------------------------------------

LOGGING = logs.logging_config(env.str("LOG_LEVEL", default="INFO"), logs.log_format(env))

# -- OpenTelemetry and Sentry, where the environment names them ----------------------------------

TRACING = watch.is_traced(env)
if TRACING:
    MIDDLEWARE.insert(1, watch.MIDDLEWARE)  # after the request's id, which each span has
watch.report_errors(env, LOGGING, os.environ.get("GIT_COMMIT", ""))
