"""The admin of accounts shows what the user model has."""

from typing import Any

import pytest
from django.contrib.auth.admin import UserAdmin

from leaderboards.admin.users import account_layout as layout
from leaderboards.admin.users.user_admin import AccountAdmin
from tests.foundation.member_models import member

DJANGOS: Any = UserAdmin
SHOWN = ("fieldsets", "add_fieldsets", "list_display", "search_fields", "ordering")


def of_a_member(monkeypatch: pytest.MonkeyPatch, **changed: Any) -> None:
    model = member(**changed)
    monkeypatch.setattr(layout, "user_model", lambda: model)


def test_djangos_own_users_are_shown_as_django_shows_them() -> None:
    assert [getattr(AccountAdmin, name) for name in SHOWN] == [getattr(DJANGOS, name) for name in SHOWN]
    assert layout.personal_columns() == ["email", "first_name", "last_name"]
    assert not layout.name_is_personal()


def test_one_that_signs_in_by_email_has_no_username_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    of_a_member(monkeypatch)

    assert layout.columns(DJANGOS.list_display) == ("email", "is_staff")
    assert layout.columns(DJANGOS.ordering) == ("email",)
    changed, added = layout.fieldsets(DJANGOS.fieldsets), layout.add_fieldsets(DJANGOS.add_fieldsets)
    rights = ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")
    assert [options["fields"] for _, options in changed] == [
        ("email", "full_name", "password"),
        rights,
        ("last_login",),
    ]
    assert [options["fields"] for _, options in added] == [
        ("email", "full_name", "usable_password", "password1", "password2")
    ]


def test_an_address_that_is_the_name_is_forgotten_with_the_account_and_a_chosen_name_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of_a_member(monkeypatch)
    assert layout.personal_columns() == ["born", "email", "full_name", "joined", "notes", "phone"]

    of_a_member(monkeypatch, USERNAME_FIELD="phone")
    assert layout.personal_columns() == ["born", "email", "full_name", "joined", "notes"]
