"""What a new account is asked for, of whatever user model."""

from typing import Any

import pytest
from django.db import models

from accounts.views import new_account_form as form
from tests.foundation.member_models import member


def test_djangos_own_users_choose_a_name() -> None:
    assert [form.new_account_columns(address) for address in ("ann@example.org", "")] == [["username"], ["username"]]
    assert list(form.new_account_form("").base_fields) == ["username", "password1", "password2"]


@pytest.mark.parametrize(
    ("changed", "with_address", "without"),
    [
        ({}, ["full_name"], ["full_name", "email"]),
        ({"REQUIRED_FIELDS": ["email"], "USERNAME_FIELD": "phone"}, ["phone"], ["phone", "email"]),
        (
            {"USERNAME_FIELD": "phone", "REQUIRED_FIELDS": [], "email": models.EmailField(blank=True)},
            ["phone"],
            ["phone"],
        ),
    ],
    ids=["the address is the name", "each has an address", "an address may lack"],
)
def test_the_address_is_asked_for_where_the_model_needs_one_and_the_link_has_none(
    changed: dict[str, Any], with_address: list[str], without: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = member(**changed)
    monkeypatch.setattr(form, "user_model", lambda: model)

    assert form.new_account_columns("ann@example.org") == with_address
    assert form.new_account_columns("") == without
