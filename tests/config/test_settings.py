"""Settings read their environment as they are run, so each test runs them with one of its own; Redis addresses."""

import os
import re
import runpy
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, override_settings
from redis import ConnectionPool

from config.components import redis_urls
from foundation.clock import TOLERATED
from foundation.redis.addresses import database_of, same_database
from foundation.security import nonces
from tests.accounts.people import LOGIN, PASSWORD, sign_in
from tests.leaderboards.factories import UserFactory

ROOT = Path(settings.BASE_DIR)
BOARDS = "redis://localhost:6379/4"
HEADERS = {
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """What the settings are, with nothing in the environment but what is given and an empty folder."""

    def run(**environment: str) -> dict[str, Any]:
        with patch.dict(os.environ, {"DATA_DIR": str(tmp_path), **environment}, clear=True):
            return runpy.run_path(str(ROOT / "config/settings.py"))

    return run


def test_by_themselves_they_debug_nothing_want_tls_and_put_cache_and_broker_beside_the_boards(read: Any) -> None:
    found = read(SECRET_KEY="x", REDIS_URL=BOARDS, SUBMIT_LIMIT="7/3", READ_LIMIT="0")

    assert (found["DEBUG"], found["SECURE_SSL_REDIRECT"]) == (False, True)
    assert found["SESSION_COOKIE_NAME"] == "__Host-sessionid"
    assert found["CACHE_URL"] == "redis://localhost:6379/5"
    assert found["BROKER_URL"] == "redis://localhost:6379/6"
    assert (str(found["RATE_LIMITS"]["write"]), found["RATE_LIMITS"]["read"]) == ("7/3", None)
    assert found["DATABASES"]["default"]["OPTIONS"]["transaction_mode"] == "IMMEDIATE"  # SQLite's lock comes first


@pytest.mark.django_db
def test_with_tls_each_cookie_of_signing_in_is_secure_bound_to_the_host_and_lax(read: Any, client: Client) -> None:
    found = read(SECRET_KEY="x", REDIS_URL=BOARDS)
    UserFactory.create(username="robin", password=PASSWORD)

    with override_settings(**{name: value for name, value in found.items() if "_COOKIE_" in name}):
        shown = client.get(LOGIN, secure=True)
        entered = sign_in(client, "robin", secure=True)

    cookies = {**shown.cookies, **entered.cookies}
    assert set(cookies) == {"__Host-sessionid", "__Host-csrftoken", "__Host-device"}
    for each in cookies.values():
        assert (each["secure"], each["path"], each["domain"], each["samesite"]) == (True, "/", "", "Lax")
    assert {name for name, each in cookies.items() if each["httponly"]} == {"__Host-sessionid", "__Host-device"}


def test_postgresql_gives_nobody_a_wait_without_end_unless_told_to(read: Any) -> None:
    def options(query: str = "", **more: str) -> dict[str, Any]:
        found = read(SECRET_KEY="x", REDIS_URL=BOARDS, DATABASE_URL=f"postgres://u@h/sunwi{query}", **more)
        return found["DATABASES"]["default"]["OPTIONS"]  # type: ignore[no-any-return]  # the settings of a subprocess have no types

    by_itself = options()
    told = "?keepalives_idle=60&options=-c%20work_mem%3D1MB"
    asked = options(told, SQL_LOCK_SECONDS="0.5", SQL_STATEMENT_SECONDS="0")
    behind_a_pooler = options(SQL_SESSION_SETTINGS="off")

    session = "-c idle_in_transaction_session_timeout={} -c lock_timeout={} -c statement_timeout={}"
    assert by_itself["options"] == session.format(2000, 2500, 300000)
    assert (by_itself["keepalives_idle"], by_itself["tcp_user_timeout"]) == (5, 10_000)
    assert asked["options"] == session.format(2000, 500, 0) + " -c work_mem=1MB"
    assert int(asked["keepalives_idle"]) == 60
    assert "options" not in behind_a_pooler


def test_a_demos_settings_fill_in_what_the_environment_leaves_out(read: Any, tmp_path: Path) -> None:
    (tmp_path / "env").write_text("SECRET_KEY=of-the-demo\nREDIS_URL=unix:///demo/redis.sock?db=0\n")

    assert read()["REDIS_URL"] == "unix:///demo/redis.sock?db=0"
    assert read(REDIS_URL=BOARDS)["REDIS_URL"] == BOARDS
    assert read(REDIS_URL=BOARDS)["SECRET_KEY"] == "of-the-demo"


@pytest.mark.parametrize("how", ["SECRET_KEY", "SECRET_KEY_FILE"])
def test_a_deployment_takes_nothing_of_a_demo_that_once_ran_in_its_checkout(
    read: Any, tmp_path: Path, how: str
) -> None:
    """`HTTPS=off` of a demo would send cookies of a real site without TLS."""
    (tmp_path / "env").write_text("SECRET_KEY=of-the-demo\nHTTPS=off\nDEBUG=on\nREDIS_URL=unix:///demo.sock?db=0\n")
    (tmp_path / "key").write_text("ours\n")

    found = read(**{how: {"SECRET_KEY": "ours", "SECRET_KEY_FILE": str(tmp_path / "key")}[how]})

    assert (found["SECRET_KEY"], found["SECURE_SSL_REDIRECT"], found["DEBUG"]) == ("ours", True, False)
    assert "demo" not in found["REDIS_URL"]


def test_a_redis_address_says_its_database_to_the_driver_and_to_celery() -> None:
    for url in ("redis://127.0.0.1:6379/0", "rediss://user:secret@h:6380/3", "unix:///run/redis.sock?db=5"):
        moved = redis_urls.with_database(url, 9)
        assert ConnectionPool.from_url(moved).connection_kwargs["db"] == database_of(moved) == 9
        assert redis_urls.with_database(moved, database_of(url)) == url

    others = ("redis://localhost:6379/5", "redis://localhost:6380/4", "unix:///run/redis.sock?db=4")
    assert not any(same_database(BOARDS, other) for other in others)
    assert same_database("redis://localhost", "redis://localhost:6379/0")
    assert redis_urls.neighbour("redis://localhost:6379/15", 5) == BOARDS
    assert redis_urls.for_broker("unix:///run/redis.sock?db=2") == "redis+socket:///run/redis.sock?virtual_host=2"


def test_what_is_missing_or_makes_no_sense_is_refused_at_once(read: Any) -> None:
    same = {"SECRET_KEY": "x", "REDIS_URL": BOARDS, "CACHE_URL": BOARDS}
    for environment, why in (
        ({}, "SECRET_KEY is not set.*make demo"),
        (same, "CACHE_URL names the same Redis database as REDIS_URL"),
        ({"SECRET_KEY": "x", "LOGIN_LIMIT": "ten"}, "LOGIN_LIMIT: A limit reads like 100/10"),
        ({"SECRET_KEY": "x", "ENCRYPTION_KEYS": f"{'k' * 32},short"}, "number 2 is shorter than 32"),
        ({"SECRET_KEY": "x", "SIGNATURE_TOLERANCE_SECONDS": "0"}, "is 1 to 900; got 0"),
        ({"SECRET_KEY": "x", "SIGNATURE_TOLERANCE_SECONDS": "901"}, "is 1 to 900; got 901"),
    ):
        with pytest.raises(ImproperlyConfigured, match=why):
            read(**environment)


def test_secrets_are_encrypted_with_the_first_key_and_opened_with_the_sites_own_as_well(read: Any) -> None:
    fallbacks = {"SECRET_KEY": "x", "SECRET_KEY_FALLBACKS": "w,v"}
    one, other = "1" * 32, "2" * 32

    assert read(**fallbacks)["ENCRYPTION_KEYS"] == ["x", "w", "v"]
    assert read(**fallbacks, ENCRYPTION_KEYS=f"{one}, {other}")["ENCRYPTION_KEYS"] == [one, other, "x", "w", "v"]
    assert read(SECRET_KEY="x")["SIGNATURE_TOLERANCE_SECONDS"] == 300


def test_a_nonce_is_kept_longer_than_any_tolerance_takes_it(read: Any) -> None:
    longest = read(SECRET_KEY="x", SIGNATURE_TOLERANCE_SECONDS="900")["SIGNATURE_TOLERANCE_SECONDS"]

    assert nonces.KEEP_FOR.total_seconds() >= longest + 2 * TOLERATED.total_seconds()


def test_no_domain_is_put_into_the_browsers_lists_unasked(read: Any) -> None:
    by_itself, asked, without_tls = (
        read(SECRET_KEY="x", REDIS_URL=BOARDS, **more)["SECURE_HSTS_PRELOAD"]
        for more in ({}, {"HSTS_PRELOAD": "on"}, {"HSTS_PRELOAD": "on", "HTTPS": "off"})
    )

    assert (by_itself, asked, without_tls) == (False, True, False)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/", LOGIN, "/admin/login/", "/api/v1/boards", "/api/v1/boards/999", "/nothing", "/healthz"]
)
def test_with_tls_every_answer_bears_the_headers_that_documents_promise(read: Any, path: str) -> None:
    found = read(SECRET_KEY="x", REDIS_URL=BOARDS)
    named = ("SECURE_", "X_FRAME", "CONTENT_SECURITY")

    with override_settings(**{name: value for name, value in found.items() if name.startswith(named)}):
        answer = Client().get(path, secure=True)

    policy = {each.split()[0]: each.split()[1:] for each in answer["Content-Security-Policy"].split("; ")}
    assert {name: answer.get(name) for name in HEADERS} == HEADERS
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == ["'none'"]
    assert policy["script-src"] == policy["style-src"] == policy["form-action"] == ["'self'"]
    assert re.fullmatch(r"text/(html|plain); charset=utf-8|application/(problem\+)?json", answer["Content-Type"])


@pytest.mark.parametrize("given", ["0", "65536", "-1", "9808x", "٩"])
def test_a_port_of_the_worker_that_is_none_is_refused(read: Any, given: str) -> None:
    with pytest.raises(
        ImproperlyConfigured, match=r"METRICS_PORT: .* is no port; write a whole number from 1 to 65535"
    ):
        read(SECRET_KEY="x", METRICS_PORT=given)


def test_the_worker_has_no_port_of_its_own_unless_set_and_then_on_loopback(read: Any) -> None:
    assert read(SECRET_KEY="x")["METRICS_PORT"] == read(SECRET_KEY="x", METRICS_PORT="")["METRICS_PORT"] == 0
    found = read(SECRET_KEY="x", METRICS_PORT="9808")
    assert (found["METRICS_ADDRESS"], found["METRICS_PORT"]) == ("127.0.0.1", 9808)
    assert read(SECRET_KEY="x", METRICS_ADDRESS="::")["METRICS_ADDRESS"] == "::"
    with pytest.raises(ImproperlyConfigured, match=r"METRICS_ADDRESS: 'worker' is no IP address; write"):
        read(SECRET_KEY="x", METRICS_ADDRESS="worker")


def test_a_pod_answers_to_its_own_address_too(read: Any) -> None:
    assert read(SECRET_KEY="x", ALLOWED_HOSTS="a.example", POD_IP="10.1.2.3")["ALLOWED_HOSTS"] == [
        "a.example",
        "10.1.2.3",
    ]
    assert read(SECRET_KEY="x", ALLOWED_HOSTS="a.example", POD_IP="fd00::7")["ALLOWED_HOSTS"] == [
        "a.example",
        "[fd00::7]",
    ]
    with pytest.raises(ImproperlyConfigured, match="POD_IP: 'web-1' is no IP address"):
        read(SECRET_KEY="x", POD_IP="web-1")


WATCHED = "redis+sentinel://:p%40ss@h1,h2:26380/boards"


def test_behind_sentinels_the_page_cache_and_the_broker_have_the_next_databases_of_the_same_primary(read: Any) -> None:
    found = read(SECRET_KEY="x", REDIS_URL=WATCHED)

    assert found["CACHE_URL"] == f"{WATCHED}?db=1"
    assert found["CACHES"]["default"]["LOCATION"] == [f"{WATCHED}?db=1"]
    assert found["CACHES"]["boards"]["OPTIONS"]["CONNECTION_POOL_CLASS"] == "foundation.redis.sentinel.SentinelPool"
    assert found["CELERY_BROKER_URL"] == "sentinel://:p%40ss@h1:26379/2;sentinel://:p%40ss@h2:26380/2"
    options = found["CELERY_BROKER_TRANSPORT_OPTIONS"]
    assert (options["master_name"], options["sentinel_kwargs"]) == ("boards", {})
    own = read(SECRET_KEY="x", REDIS_URL=f"{WATCHED}?sentinel_password=s&db=14")
    assert own["CELERY_BROKER_TRANSPORT_OPTIONS"]["sentinel_kwargs"] == {"password": "s"}
    assert database_of(own["BROKER_URL"]) == 0
    socket = "redis+socket:///run/redis.sock?virtual_host=2"  # as the demo gives it to Celery
    assert read(SECRET_KEY="x", REDIS_URL=WATCHED, BROKER_URL=socket)["CELERY_BROKER_URL"] == socket
    with_password = read(SECRET_KEY="x", REDIS_URL="redis+sentinel://h1,h2:26380/boards", REDIS_PASSWORD="p@ss")
    assert with_password["REDIS_URL"] == WATCHED


def test_a_cluster_has_page_cache_and_broker_beside_it(read: Any) -> None:
    nodes = "redis+cluster://:p%40ss@h1,h2:7001"
    found = read(SECRET_KEY="x", REDIS_URL=nodes, CACHE_URL="redis://h3/0", BROKER_URL="redis://h3/1")

    assert found["CACHES"]["boards"]["LOCATION"] == [nodes]
    assert found["CACHES"]["default"]["LOCATION"] == "redis://h3/0"
    assert found["CELERY_BROKER_URL"] == "redis://h3/1"


@pytest.mark.parametrize(
    ("urls", "why"),
    [
        ({"REDIS_URL": "redis+cluster://h1,h2"}, "CACHE_URL: it is not set; a cluster has a single database"),
        ({"REDIS_URL": "redis+cluster://h1", "CACHE_URL": "redis://h2"}, "BROKER_URL: it is not set"),
        ({"REDIS_URL": BOARDS, "CACHE_URL": "redis+cluster://h1"}, "CACHE_URL: page cache and broker cannot be in"),
        ({"REDIS_URL": "redis+cluster://h1/0/2"}, "REDIS_URL: a cluster has one database"),
        ({"REDIS_URL": "redis+sentinel://h1,h2"}, "REDIS_URL: it lacks the name of the primary"),
        ({"REDIS_URL": BOARDS, "CACHE_URL": "redis+sentinel://h1,/boards"}, "CACHE_URL: a host is missing"),
        ({"REDIS_URL": "rediss+sentinel://h1/boards"}, "BROKER_URL: the broker cannot be reached through"),
        ({"REDIS_URL": WATCHED, "CACHE_URL": "redis+sentinel://h2:26380,h1/boards?db=0"}, "CACHE_URL names the same"),
        ({"REDIS_URL": "redis+elsewhere://h1/0"}, "REDIS_URL: the scheme is unknown"),
    ],
)
def test_addresses_behind_sentinels_that_cannot_be_meant_are_refused(read: Any, urls: Any, why: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=why):
        read(SECRET_KEY="x", **urls)


@pytest.mark.parametrize(
    ("name", "wrong", "said"),
    [
        (
            "DEFAULT_TIMEZONE",
            "Asia/Seul",
            "must be the name of a time zone, such as Asia/Seoul or UTC; got 'Asia/Seul'",
        ),
        (
            "SITE_URL",
            "boards.example",
            "must be the address of the site with its scheme, such as https://boards.example",
        ),
        ("SITE_URL", "https://", "must be the address of the site with its scheme"),
        ("EMBED_SITES", "https://a.example,javascript:alert(1)", "'javascript:alert(1)' is none"),
        ("EMBED_SITES", "https://a.example; script-src *", "is none"),
    ],
)
def test_a_wrong_value_of_the_site_ends_the_start_with_a_sentence(read: Any, name: str, wrong: str, said: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        read(SECRET_KEY="x", **{name: wrong})

    assert str(refused.value).startswith(f"{name} must ")
    assert said in str(refused.value)


def test_sites_that_may_embed_are_those_that_a_browser_reads(read: Any) -> None:
    sites = ["https://example.org", "http://localhost:3000", "https://*.example.org:*", "example.org", "*"]

    assert read(SECRET_KEY="x", EMBED_SITES=",".join(sites))["EMBED_SITES"] == sites
