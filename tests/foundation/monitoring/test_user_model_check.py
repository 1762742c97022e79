"""The check of the project's user model: it names what is missing, and nothing of a model that has all."""

from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User
from django.db import models

from foundation.monitoring import user_model_check
from foundation.monitoring.user_model_check import faults, user_model_suits
from tests.foundation.member_models import ShyManager, member


@pytest.fixture(autouse=True)
def _nobody_signs_up(settings: LazySettings) -> None:
    settings.SIGN_UP = "off"


def test_djangos_own_and_one_that_signs_in_by_email_have_all(settings: LazySettings) -> None:
    for sign_up in ("off", "invitation", "open"):
        settings.SIGN_UP = sign_up
        assert [list(faults(model)) for model in (User, member())] == [[], []]
    assert user_model_suits() == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"lacks": ("is_staff", "email"), "USERNAME_FIELD": "phone"}, "lacks email, is_staff"),
        ({"lacks": ("is_active",)}, "lacks is_active"),
        ({"bases": (AbstractBaseUser,)}, "lacks is_superuser, groups, user_permissions"),
        ({"bases": (models.Model,)}, "does not extend AbstractBaseUser"),
        (
            {"USERNAME_FIELD": "number", "number": models.IntegerField(unique=True)},
            "has no text in number, its",
        ),
        ({"id": models.TextField(primary_key=True)}, "has a primary key, id, of more than 100 characters"),
        ({"id": models.CharField(primary_key=True, max_length=101)}, "has a primary key, id, of more than 100"),
        ({"objects": models.Manager()}, "has a manager without get_by_natural_key"),
    ],
)
def test_what_is_missing_is_named_with_what_to_do(
    changed: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = member(**changed)
    monkeypatch.setattr(user_model_check, "user_model", lambda: model)

    found = user_model_suits()

    assert [each.id for each in found] == ["sunwi.E014"]
    assert f"people.Member {said}" in found[0].msg
    assert found[0].hint


def test_a_key_of_100_characters_fits() -> None:
    assert list(faults(member(id=models.CharField(primary_key=True, max_length=100)))) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"objects": ShyManager()}, "create_user(email=…, full_name=…, password=…)"),
        (
            {"REQUIRED_FIELDS": ["boss"], "boss": models.ForeignKey("self", models.CASCADE)},
            "requires boss, which people who sign up cannot choose",
        ),
    ],
)
def test_where_people_sign_up_the_manager_takes_what_they_type(
    settings: LazySettings, changed: dict[str, Any], said: str
) -> None:
    model = member(**changed)
    assert list(faults(model)) == []

    settings.SIGN_UP = "invitation"

    ((fault, hint),) = faults(model)
    assert said in fault
    assert '"SIGN_UP": "off"' in hint
