"""Staff without permissions, and with those of one group: what they ask for that is not theirs.

The walk over every address of the site is in tests/competitions/test_permission_walk.py.
"""

from contextlib import suppress

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import NoReverseMatch, reverse

from leaderboards.models import Board, Visibility
from tests.competitions.site import draft, make_board, open_competition, raced
from tests.leaderboards.factories import AdminFactory, UserFactory
from tests.staff import staff

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

GROUPS = ("viewer", "moderator", "judge", "operator", "admin")
POINTS = 76543


def addresses(*names: str) -> list[str]:
    """These pages of every admin that has them."""
    found = []
    admin.autodiscover()
    for model in admin.site._registry:
        for name in names:
            with suppress(NoReverseMatch):  # what is only shown has no such page
                found.append(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}"))
    return found


def test_staff_without_permissions_open_nothing_in_the_admin() -> None:
    client = staff()

    answers = {path: client.get(path).status_code for path in addresses("changelist", "add")}

    assert len(answers) > 40
    assert set(answers.values()) == {403}
    index = client.get(reverse("admin:index")).content.decode()
    assert not [path for path in answers if f'href="{path}"' in index]


def test_staff_without_permissions_see_no_draft_no_private_board_and_nothing_behind_a_freeze() -> None:
    hidden = make_board(name="Hidden board")
    Board.objects.filter(pk=hidden.pk).update(visibility=Visibility.PRIVATE)
    kept = {
        f"/competitions/{draft(name='Draft cup').pk}/": 404,
        f"/boards/{hidden.seq}/": 404,
        f"/api/v1/boards/{hidden.seq}/standings": 401,  # cookies are not looked at
        f"/api/v1/boards/{hidden.seq}/standings.csv": 401,
    }
    frozen, plain = (open_competition(make_board(name=f"Cups {n}"), freeze_minutes=n) for n in (24 * 60, None))
    raced(frozen, {"ann": POINTS})
    raced(plain, {"ann": POINTS})

    client = staff()

    assert {path: client.get(path).status_code for path in kept} == kept
    told, usual = (_told(client, competition.pk) for competition in (frozen, plain))
    assert str(POINTS) not in told
    assert str(POINTS) in usual


def _told(client: Client, competition: int) -> str:
    """The page and the API's answer, without what parts thousands."""
    paths = (f"/competitions/{competition}/", f"/api/v1/competitions/{competition}/standings")
    return "".join(client.get(path).content.decode().replace(",", "") for path in paths)


@pytest.mark.parametrize("group", GROUPS)
def test_no_group_makes_itself_or_anybody_a_superuser_or_gives_a_right(group: str) -> None:
    client = staff(groups=[group])
    own = User.objects.get(pk=client.session["_auth_user_id"])
    other, root = UserFactory.create(username="other"), AdminFactory.create(username="root")
    superuser = Group.objects.get(name="admin")
    given = {
        "is_active": "on", "is_staff": "on", "is_superuser": "on", "groups": [superuser.pk],
        "date_joined_0": "2026-01-01", "date_joined_1": "00:00:00",
    }  # fmt: skip  # as a form

    for user in (own, other, root):
        client.post(f"/admin/auth/user/{user.pk}/change/", {"username": user.username, **given})
        client.post(f"/admin/auth/user/{user.pk}/password/", {"password1": "taken-over-1", "password2": "taken-over-1"})
        client.post(f"/admin/auth/user/{user.pk}/delete/", {"post": "yes"})
    client.post("/admin/auth/user/add/", {"username": "new", "password1": "taken-over-1", "password2": "taken-over-1",
                                          "usable_password": "true", **given})  # fmt: skip  # as a form
    client.post(f"/admin/auth/group/{superuser.pk}/change/", {"name": "admin", "permissions": []})

    assert list(User.objects.filter(is_superuser=True)) == [root]
    assert User.objects.get(pk=root.pk).password == root.password
    assert {user: list(user.groups.values_list("name", flat=True)) for user in User.objects.exclude(pk=own.pk)} == {
        user: [] for user in User.objects.exclude(pk=own.pk)
    }
    assert list(own.groups.values_list("name", flat=True)) == [group]
    assert superuser.permissions.exists()
    assert not User.objects.filter(username="new", is_staff=True).exists()


def test_a_viewer_changes_nothing() -> None:
    board = make_board(name="Theirs")
    client = staff(groups=["viewer"])

    answers = {path: client.get(path).status_code for path in addresses("add")}
    changed = client.post(reverse("admin:leaderboards_board_change", args=[board.pk]), {"name": "Mine"}).status_code

    assert set(answers.values()) == {403}
    assert changed == 403
    assert Board.objects.get(pk=board.pk).name == "Theirs"
