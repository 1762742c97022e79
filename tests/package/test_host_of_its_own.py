"""What a project has of its own beside Sunwi's apps: addresses, users, admins and apps."""

import re
from pathlib import Path

import pytest

from tests.package.conftest import Environment
from tests.package.hosts import make_host

pytestmark = pytest.mark.long

# What a host has of its own, and what its own client gets of it: middleware that lets nobody through.
GUARDED = """
from django.http import HttpResponse
def write(request): return HttpResponse("written")
def guard(_): return lambda request: HttpResponse("guarded", status=403)
"""
ASK_OURSELVES = """
from django.test import Client
for path in ("/shop/write", "/api/v1/write", "/api/v1/nothing", "/api/v1/boards/1/standings"):
    print(path, Client().post(path).status_code)
"""


def test_a_hosts_own_addresses_below_the_apis_keep_its_middleware(installed: Environment, tmp_path: Path) -> None:
    host = make_host(installed, tmp_path, (), "redis://127.0.0.1:1/0")
    (tmp_path / "host" / "views.py").write_text(GUARDED)
    host.add(
        "urls.py",
        "from host.views import write",
        'urlpatterns = [path("api/v1/write", write), path("shop/write", write)] + urlpatterns',
    )
    host.add("settings.py", 'MIDDLEWARE.insert(2, "host.views.guard")', 'ALLOWED_HOSTS = ["testserver"]')

    said = host.manage("shell", "-v", "0", "-c", ASK_OURSELVES)

    answers = [line for line in said.splitlines() if line.startswith("/")]
    assert answers == [
        "/shop/write 403", "/api/v1/write 403", "/api/v1/nothing 403", "/api/v1/boards/1/standings 405",
    ]  # fmt: skip  # as a table


OWN_ADMIN = """
from django.contrib import admin
from django.contrib.auth.models import User
from {} import {} as Base
admin.site.unregister(User)
@admin.register(User)
class Ours(Base): pass
"""
WHICH = """
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.core.management import get_commands
for each in User, Group: print("registered", type(admin.site.get_model_admin(each)).__name__)
print("title", admin.site.site_title)
print("makemessages of", get_commands()["makemessages"])
"""


@pytest.mark.parametrize(
    "place", ["INSTALLED_APPS.index('foundation')", "len(INSTALLED_APPS)"], ids=["before", "after"]
)
@pytest.mark.parametrize(
    ("base", "is_warned"),
    [
        (("django.contrib.auth.admin", "UserAdmin"), True),
        (("leaderboards.admin.users.user_admin", "AccountAdmin"), False),
    ],
    ids=["djangos", "sunwis"],
)
def test_a_hosts_own_admin_of_users_stays_and_is_warned_of(
    installed: Environment, tmp_path: Path, base: tuple[str, str], is_warned: bool, place: str
) -> None:
    host = make_host(installed, tmp_path, (), "redis://127.0.0.1:1/0")
    host.add_app("staffing", admin=OWN_ADMIN.format(*base))
    host.add("settings.py", f"INSTALLED_APPS.insert({place}, 'staffing')")

    said = host.manage("check") + host.manage("shell", "-v", "0", "-c", WHICH)

    assert ("sunwi.W003" in said, "users is staffing.admin.Ours, not Sunwi's" in said) == (is_warned, is_warned)
    found = re.findall("^(?:registered|title|makemessages of) (.*)$", said, re.M)
    assert found == ["Ours", "RoleAdmin", "Django site admin", "django.core"]


@pytest.mark.parametrize("name", ["accounts", "likes"])
def test_an_app_of_the_host_with_a_name_of_ours_is_told_where_it_lies(
    installed: Environment, tmp_path: Path, name: str
) -> None:
    host = make_host(installed, tmp_path, ("likes",), "redis://127.0.0.1:1/0")
    host.add_app(name)

    said = host.refused("check").strip().splitlines()[-1]

    assert said.endswith(
        f"ImproperlyConfigured: The module {name!r} is {tmp_path / name}, not Sunwi's app of this name. "
        "If it is yours, give it another name."
    )
