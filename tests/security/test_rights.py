"""Whoever may change accounts tries to become more than he is. Only superusers give rights."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from competitions.migrations import _groups as groups
from tests.leaderboards.factories import AdminFactory, UserFactory
from tests.staff import browser_of, member

pytestmark = pytest.mark.django_db

invitations = import_module("accounts.migrations.0001_squashed_0003_mails_about_changes")
DATES = {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
GIVEN = {"is_active": "on", "is_staff": "on", "is_superuser": "on"}


@pytest.fixture
def clerk() -> User:
    """Staff who may do all with accounts and groups that permissions can say."""
    return member(*Permission.objects.filter(content_type__app_label="auth"), name="clerk")


def change(client: Client, user: User, **typed: Any) -> int:
    return client.post(f"/admin/auth/user/{user.pk}/change/", {"username": user.username, **DATES, **typed}).status_code


def test_who_may_change_accounts_makes_no_superuser_and_gives_no_right(clerk: User) -> None:
    other, client = UserFactory.create(username="other"), browser_of(clerk)
    permission = Permission.objects.get(codename="change_board")

    answer = change(client, other, **GIVEN, groups=[Group.objects.get(name="admin").pk], user_permissions=permission.pk)

    other.refresh_from_db()
    assert answer == 302  # the rest of the form is taken
    assert (other.is_staff, other.is_superuser) == (False, False)
    assert (other.groups.count(), other.user_permissions.count()) == (0, 0)


@pytest.mark.parametrize("rights", [{"is_superuser": True}, {"is_staff": True}, {"groups": "judge"}])
def test_an_account_with_rights_is_not_taken_over_by_its_password_nor_deleted(
    clerk: User, rights: dict[str, Any]
) -> None:
    group = rights.pop("groups", None) if (rights := dict(rights)) else None
    target: User = UserFactory.create(username="target", **rights)
    target.groups.set(Group.objects.filter(name=group))
    client, before = browser_of(clerk), target.password
    typed = {"password1": "taken-over-1", "password2": "taken-over-1", "usable_password": "true"}

    answers = [
        client.post(f"/admin/auth/user/{target.pk}/password/", typed).status_code,
        change(client, target, email="mine@example.org"),
        client.post(f"/admin/auth/user/{target.pk}/delete/", {"post": "yes"}).status_code,
    ]
    by_the_dozen = {"action": "delete_selected", "_selected_action": [target.pk], "post": "yes"}
    client.post("/admin/auth/user/", by_the_dozen)

    after = User.objects.get(pk=target.pk)
    assert answers == [403, 403, 403]
    assert (after.password, after.email) == (before, "")


def test_a_clerk_raises_himself_neither_by_his_account_nor_by_a_group(clerk: User) -> None:
    client = browser_of(clerk)
    group = Group.objects.get(name="viewer")
    permission = Permission.objects.get(codename="change_board")
    typed = {"name": "viewer", "permissions": [permission.pk]}

    assert change(client, clerk, **GIVEN) == 403
    assert client.post(f"/admin/auth/group/{group.pk}/change/", typed).status_code == 403
    assert client.post("/admin/auth/group/add/", typed | {"name": "mine"}).status_code == 403
    assert client.post(f"/admin/auth/group/{group.pk}/delete/", {"post": "yes"}).status_code == 403


def test_a_superuser_gives_rights() -> None:
    other = UserFactory.create(username="other")
    judge = Group.objects.get(name="judge")

    answer = change(browser_of(AdminFactory.create()), other, is_active="on", is_staff="on", groups=[judge.pk])

    other.refresh_from_db()
    assert (answer, other.is_staff, other.is_superuser, list(other.groups.all())) == (302, True, False, [judge])


def test_the_groups_come_with_the_tables_and_each_may_what_its_name_says() -> None:
    held = {
        group.name: {f"{each.content_type.app_label}.{each.codename}" for each in group.permissions.all()}
        for group in Group.objects.prefetch_related("permissions__content_type")
    }

    invites = {f"accounts.{act}_invitation" for act in invitations.ACTS}
    assert held == groups.GROUPS | {"admin": groups.ADMIN | invites}
    assert held["viewer"] < held["moderator"] < held["admin"]
    assert held["viewer"] < held["judge"] < held["admin"]
    assert held["viewer"] < held["operator"] < held["admin"]
    assert not [each for each in held["viewer"] if ".view_" not in each]
    assert "foundation.view_webhookendpoint" not in held["viewer"] | held["moderator"] | held["judge"]
    assert "auth.change_group" not in held["admin"]


def test_a_group_of_the_same_name_that_was_there_before_keeps_its_rights() -> None:
    Group.objects.get(name="judge").permissions.clear()
    Group.objects.filter(name="viewer").delete()

    groups.make_groups(apps, None)

    assert Group.objects.get(name="judge").permissions.count() == 0
    assert Group.objects.get(name="viewer").permissions.count() == len(groups.VIEWER)
