"""System checks of a project that Sunwi's apps are installed in: each says what to write."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from celery import Celery
from django.conf import settings as actual
from django.db.models import Model
from django.http import HttpResponse
from django.urls import path
from pytest_django import Settings

from foundation.conf import redis_cache
from foundation.monitoring import setup_checks
from foundation.worker.schedule import SCHEDULE, schedule_of

urlpatterns = [path("", lambda _: HttpResponse(), name="home")]  # a project without our addresses


def said(check: Any) -> list[tuple[str, str]]:
    return [(each.id, f"{each.msg} {each.hint}") for each in check()]


def test_our_own_project_passes_them_all() -> None:
    for check in (
        setup_checks.celery_app_is_imported,
        setup_checks.boards_have_a_redis, setup_checks.middleware_is_there, setup_checks.processors_are_there,
        setup_checks.database_can_hold_locks, setup_checks.project_suits, setup_checks.addresses_are_there,
        setup_checks.broker_has_a_database_of_its_own, setup_checks.tables_are_in_default,
        setup_checks.changes_are_committed, setup_checks.requests_have_ids,
    ):  # fmt: skip  # as a table
        assert said(check) == []


@pytest.mark.parametrize(
    ("check", "changed", "id_", "hint"),
    [
        (setup_checks.boards_have_a_redis, {"CACHES": {"default": {}}}, "sunwi.E010", "redis_cache("),
        (setup_checks.middleware_is_there, {"MIDDLEWARE": []}, "sunwi.E011", "ApiFastPath. Add it, before all others"),
        (
            setup_checks.requests_have_ids,
            {"MIDDLEWARE": [setup_checks.FAST_PATH, setup_checks.REQUEST_IDS]},
            "sunwi.W007",
            "RequestIds first in MIDDLEWARE",
        ),
        (setup_checks.requests_have_ids, {"MIDDLEWARE": [setup_checks.FAST_PATH]}, "sunwi.W007", "no X-Request-ID"),
        (setup_checks.processors_are_there, {"TEMPLATES": []}, "sunwi.E012", "context_processors.auth"),
        (
            setup_checks.database_can_hold_locks,
            {"DATABASES": {"default": {"ENGINE": "django.db.backends.sqlite3"}}},
            "sunwi.E013",
            '"transaction_mode": "IMMEDIATE"',
        ),
        (
            setup_checks.database_can_hold_locks,
            {"DATABASES": {"default": {"ENGINE": "django.db.backends.postgresql"}}},
            "sunwi.W008",
            "inherits from foundation.postgresql.base.DatabaseWrapper",
        ),
        (
            setup_checks.database_can_hold_locks,
            {"DATABASES": {"default": {"ENGINE": "django.db.backends.dummy"}}},
            "sunwi.E013",
            '"ENGINE": "foundation.postgresql"',
        ),
        (setup_checks.database_can_hold_locks, {"DATABASES": {}}, "sunwi.E013", "foundation.postgresql"),
        (setup_checks.changes_are_committed, {"DATABASES": {"default": {"AUTOCOMMIT": False}}}, "sunwi.E020", "Leave"),
        (setup_checks.project_suits, {"USE_TZ": False}, "sunwi.E015", "USE_TZ = True"),
        (setup_checks.addresses_are_there, {"ROOT_URLCONF": __name__}, "sunwi.E016", 'include("leaderboards.urls")'),
    ],
)
def test_what_is_missing_is_named_with_what_to_write(
    check: Any, changed: dict[str, Any], id_: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Changed:
        """The settings, but for these."""

        def __getattr__(self, name: str) -> Any:
            return changed[name] if name in changed else getattr(actual, name)

    if "ROOT_URLCONF" in changed:
        monkeypatch.setattr(setup_checks, "reverse", reverse_here)
    monkeypatch.setattr(setup_checks, "settings", Changed())

    found = said(check)

    assert {each for each, _ in found} == {id_}
    assert any(hint in text for _, text in found)


def test_a_backend_that_inherits_from_ours_is_as_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a project has it that needs another one's too, such as PostGIS."""
    package = tmp_path / "places_and_boards"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "base.py").write_text(
        "from foundation.postgresql import base\n\n\nclass DatabaseWrapper(base.DatabaseWrapper):\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        setup_checks, "settings", SimpleNamespace(DATABASES={"default": {"ENGINE": "places_and_boards"}})
    )

    assert said(setup_checks.database_can_hold_locks) == []


class ScoresElsewhere:
    """A router that writes our boards to a database of their own."""

    def db_for_write(self, model: type[Model], **_: Any) -> str | None:
        return "scores" if model._meta.app_label in ("leaderboards", "likes") else None


class NoTables:
    """A router that makes the tables of accounts elsewhere."""

    def allow_migrate(self, db: str, app_label: str, **_: Any) -> bool | None:
        return False if (db, app_label) == ("default", "auth") else None


class Replicas:
    """A router that reads from a replica."""

    def db_for_read(self, *_: Any, **__: Any) -> str:
        return "replica"


@pytest.mark.parametrize(
    ("routers", "kept_out"), [([ScoresElsewhere()], "leaderboards, likes"), ([NoTables()], "auth"), ([Replicas()], "")]
)
def test_routers_that_keep_our_tables_elsewhere_are_told_which(
    routers: list[Any], kept_out: str, settings: Settings
) -> None:
    settings.DATABASE_ROUTERS = routers

    found = said(setup_checks.tables_are_in_default)

    assert [each for each, _ in found] == (["sunwi.E019"] if kept_out else [])
    assert all(f'keep {kept_out} out of the database "default". Let the routers' in text for _, text in found)


@pytest.mark.parametrize(
    ("boards", "broker", "is_refused"),
    [
        ("redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/0", True),
        ("redis://127.0.0.1/0", "redis://:hush@127.0.0.1:6379", True),
        ("unix:///run/redis.sock?db=2", "redis+socket:///run/redis.sock?virtual_host=2", True),
        ("redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/2", False),
        ("redis://127.0.0.1:6379/0", "redis://broker:6379/0", False),
        ("redis://127.0.0.1:6379/0", "amqp://127.0.0.1:5672//", False),
        ("redis://127.0.0.1:6379/0", "redis://127.0.0.1:port/0", False),
    ],
)
def test_a_broker_in_the_boards_database_is_refused(
    boards: str, broker: str, is_refused: bool, settings: Settings
) -> None:
    settings.CACHES = {**settings.CACHES, "boards": redis_cache(boards)}
    settings.CELERY_BROKER_URL = broker

    found = said(setup_checks.broker_has_a_database_of_its_own)

    assert [id_ for id_, _ in found] == ["sunwi.E018"] * is_refused
    assert all("hush" not in text and "Give it another database number" in text for _, text in found)


def test_a_project_whose_celery_app_is_not_imported_is_told_so() -> None:
    assert said(setup_checks.celery_app_is_imported) == []

    with patch.object(setup_checks, "current_app", Celery("default")):
        ((id_, text),) = said(setup_checks.celery_app_is_imported)
    assert id_ == "sunwi.E021"
    assert "from .celery import app as celery_app" in text


def reverse_here(name: str, args: Any) -> str:
    from django.urls import reverse

    return reverse(name, urlconf=__name__, args=args)


def test_a_project_gets_the_tasks_of_its_apps_alone() -> None:
    tasks = {
        each["task"].partition(".")[0] for each in schedule_of(["foundation", "accounts", "leaderboards"]).values()
    }

    assert tasks == {"foundation", "accounts", "leaderboards"}
    assert schedule_of(["foundation", "accounts", "leaderboards", "likes", "competitions"]) == SCHEDULE
