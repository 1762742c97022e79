"""Subjects of the audit log whose keys are no numbers: those of a project's own accounts."""

from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse

from foundation.audit import record
from foundation.audit.models import AuditEntry, AuditSubject
from foundation.audit.retention import forget_own_name
from leaderboards.admin.audit_log.subject_names import load_subject_names
from leaderboards.admin.audit_log.visibility import entries_url, row_url
from tests.leaderboards.factories import PlayerFactory, UserFactory

pytestmark = pytest.mark.django_db
KEY = "m_41:x/y z&kind=1"


def test_links_keep_a_key_with_signs_of_addresses() -> None:
    address = entries_url("account", KEY)

    assert parse_qs(urlsplit(address).query) == {"subject": [f"account:{KEY}"]}
    assert row_url("account", "m_41") == reverse("admin:auth_user_change", args=["m_5F41"])
    assert row_url("account", "7") == "/admin/auth/user/7/change/"


def test_names_are_told_of_keys_that_there_are_and_no_key_of_another_kind_is_a_fault() -> None:
    ann, user = PlayerFactory.create(external_id="ann"), UserFactory.create(username="robin")
    keys = [("player", str(ann.pk)), ("account", str(user.pk)), ("account", KEY), ("account", "0e8b4d0c-1f7b-4f2e")]

    names = load_subject_names(AuditSubject(kind=kind, key=key) for kind, key in keys)

    assert names == {("player", str(ann.pk)): str(ann), ("account", str(user.pk)): "robin"}


def test_an_address_that_was_the_name_goes_from_entries_about_the_account_and_stays_in_those_about_others() -> None:
    user, player = UserFactory.create(username="ann@example.org"), PlayerFactory.create()
    at: Any = datetime(2026, 3, 2, tzinfo=UTC)
    own: list[tuple[str, object]] = [("account", user.pk)]
    record("account.changed", at=at, by=user, subjects=own, note={"row": str(user), "more": 1})
    record("player.changed", at=at, by=user, subjects=[("player", player.pk)], note={"row": "a player"})

    forget_own_name(user.pk)

    told = AuditEntry.objects.order_by("pk").values_list("by_name", "note")
    assert list(told) == [("", {"more": 1}), ("ann@example.org", {"row": "a player"})]
