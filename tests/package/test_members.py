"""A project with a user model of its own: what people and staff do there, and what it is told that its model lacks."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.package.conftest import ROOT, Environment, done
from tests.package.hosts import APPS, Host, make_host
from tests.package.members import LACKING, MODELS
from tests.package.test_host import BOARDS, postgresql, redis

pytestmark = pytest.mark.long

__all__ = ["postgresql", "redis"]  # fixtures

WALK = ROOT / "tests" / "package" / "member_walk.py"
SETTINGS = (
    'INSTALLED_APPS += ["people"]',
    'AUTH_USER_MODEL = "people.Member"',
    'ALLOWED_HOSTS = ["testserver"]',
    'SUNWI["SIGN_UP"] = "open"',
    'SUNWI["RATE_LIMITS"] |= {"account_mail": "0", "account_mail_address": "0", "login": "0"}',
    'PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]',
)


def with_members(environment: Environment, folder: Path, models: str, redis: str, database: str = "") -> Host:
    """A project with these users."""
    host = make_host(environment, folder, APPS, redis, database)
    host.add_app("people", models=models)
    (folder / "people" / "migrations").mkdir()
    (folder / "people" / "migrations" / "__init__.py").touch()
    host.add("settings.py", *SETTINGS)
    return host


def superuser(host: Host, models: str) -> None:
    """Made as anybody makes one, without questions."""
    name = "boss@example.org" if 'USERNAME_FIELD = "email"' in models else "boss"
    field = re.search(r'USERNAME_FIELD = "(\w+)"', models)
    given = {field[1] if field else "username": name} | (
        {"full_name": "The Boss"} if field else {"email": "b@example.org"}
    )
    options = [part for key, value in given.items() for part in (f"--{key}", value)]
    secret = {"DJANGO_SUPERUSER_PASSWORD": "a long enough password"}
    done(host.python, "manage.py", "createsuperuser", "--noinput", *options, cwd=host.folder, **secret)


def walk(host: Host, models: str) -> str:
    host.manage("makemigrations", "people", "--verbosity", "0")
    assert "no issues" in host.manage("check")
    host.manage("migrate", "--verbosity", "0")
    host.manage("makemigrations", "--check", "--dry-run")
    (host.folder / "boards.json").write_text(json.dumps(BOARDS))
    host.manage("apply_boards", "boards.json")
    superuser(host, models)
    shutil.copy(WALK, host.folder)
    return done(host.python, "-W", "always", WALK.name, cwd=host.folder)


@pytest.mark.parametrize(
    "models",
    [
        pytest.param(models, id=name, marks=[] if name == "text-nickname" else [pytest.mark.deep])
        for name, models in MODELS.items()
    ],
)
def test_a_project_with_users_of_its_own_has_all_pages_for_them(
    installed: Environment, tmp_path: Path, redis: str, models: str
) -> None:
    said = walk(with_members(installed, tmp_path, models, redis), models)

    assert said.splitlines()[-1] == "walked"


def test_and_on_postgresql_with_uuids(installed: Environment, tmp_path: Path, redis: str, postgresql: str) -> None:
    said = walk(with_members(installed, tmp_path, MODELS["uuid-email"], redis, postgresql), MODELS["uuid-email"])

    assert said.splitlines()[-1] == "walked"


def test_a_model_that_lacks_something_is_told_what(installed: Environment, tmp_path: Path) -> None:
    host = with_members(installed, tmp_path, LACKING, "redis://127.0.0.1:1/0")

    said = host.refused("check")

    lacks = "is_active, is_staff, is_superuser, groups, user_permissions"
    assert f"(sunwi.E014) people.Member lacks {lacks}." in said
    assert "Traceback" not in said
