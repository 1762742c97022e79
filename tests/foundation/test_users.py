"""Accounts of any user model: names, keys in JSON, emptied rows; and that no code of ours asks Django's own model."""

import ast
import uuid
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from foundation import users
from foundation.users import find_by_name, key_in_json, name_given, name_of
from foundation.users_blanked import blank
from tests.foundation.member_models import member
from tests.leaderboards.factories import UserFactory

ROOT = Path(settings.BASE_DIR)
APPS = ("accounts", "competitions", "foundation", "leaderboards", "likes")
KEY = uuid.UUID("0e8b4d0c-1f7b-4f2e-9a38-2b8f5f1f0c11")


@pytest.mark.parametrize(("key", "in_json"), [(7, 7), (KEY, str(KEY)), ("m:1", "m:1")])
def test_a_key_of_any_kind_goes_into_json_and_numbers_stay_numbers(key: object, in_json: object) -> None:
    assert key_in_json(key) == in_json


def test_a_name_is_cut_where_the_audit_log_ends() -> None:
    assert name_of(User(username="a" * 200)) == "a" * 150
    assert name_of(member()(email="ann@example.org")) == "ann@example.org"


@pytest.mark.parametrize(
    ("credentials", "name"),
    [
        ({"username": "ann", "email": "other"}, "ann"),
        ({"username": None, "email": "ann@example.org"}, "ann@example.org"),
        ({"password": "x"}, ""),
    ],
)
def test_the_name_is_found_among_credentials(credentials: dict[str, str | None], name: str) -> None:
    assert name_given(credentials) == name


@pytest.mark.django_db
def test_an_account_is_found_by_the_whole_name_alone() -> None:
    ann = UserFactory.create(username="ann")

    assert [find_by_name(name) for name in ("ann", "Ann", "an", "", "ann\0")] == [ann, None, None, None, None]


def test_djangos_emptied_row_has_neither_name_nor_address() -> None:
    user = User(pk=7, username="ann", email="ann@example.org", first_name="Ann", last_name="Lee", password="x")

    blank(user)

    assert (user.username, user.email, user.first_name, user.last_name) == ("deleted-7", "", "", "")
    assert (user.is_active, user.has_usable_password(), user.last_login) == (False, False, None)
    assert user.date_joined is not None


def test_of_a_projects_own_columns_each_that_may_be_empty_is_emptied_and_unique_ones_stay_unique() -> None:
    person = {"email": "ann@example.org", "full_name": "Ann", "phone": "123", "born": date(2000, 1, 1)}
    rows = [member()(id=KEY, notes={"shoe": 38}, joined=date(2026, 2, 3), **person) for _ in range(2)]

    for row in rows:
        blank(row)

    row, other = rows
    assert (row.id, row.email) == (KEY, f"deleted-{KEY}@deleted.invalid")
    assert (row.full_name, row.born, row.notes, row.joined) == ("", None, {}, date(2026, 2, 3))
    assert len(row.phone) == 12  # its column takes no more
    assert row.phone not in ("123", other.phone)
    assert not row.is_active


def modules() -> Iterator[tuple[str, Any]]:
    for app in APPS:
        for file in sorted((ROOT / app).rglob("*.py")):
            name = file.relative_to(ROOT).as_posix()
            if "/migrations/" not in name and name != "foundation/users.py":
                yield name, ast.parse(file.read_text())


def asks_djangos_own(node: Any) -> bool:
    match node:
        case ast.ImportFrom(module=str(module), names=names):
            given = {each.name for each in names}
            return module.startswith("django.contrib.auth") and bool({"User", "get_user_model"} & given)
        case ast.Attribute(attr="username") | ast.Attribute(value=ast.Name("User"), attr="objects" | "_meta"):
            return True
        case ast.Constant(value=str(text)):
            return text.lower() in ("auth.user", "auth_user")
    return False


def test_no_code_of_the_apps_asks_djangos_own_model() -> None:
    """A project may have another one: rows come from ``foundation.users``."""
    wrong = [name for name, tree in modules() for node in ast.walk(tree) if asks_djangos_own(node)]
    assert wrong == []


def test_the_model_is_the_one_of_the_settings() -> None:
    assert (users.user_model(), users.user_label(), users.has_djangos_users()) == (User, "auth.user", True)
