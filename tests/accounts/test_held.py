"""What is held about people: the table names each kind that is held, and the page what the table says of it."""

import re
from html import unescape
from pathlib import Path
from typing import NamedTuple

import pytest
from django.apps import apps
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client

from leaderboards.models import Player
from tests.accounts.people import PASSWORD, sign_in
from tests.leaderboards.factories import PlayerFactory, UserFactory
from tests.playing import make_board

PAGE = "/accounts/privacy/"
DOCUMENT = Path(__file__).parents[2] / "docs/security/privacy.md"
NOTHING_OF_IT = "-"


class Row(NamedTuple):
    """A row of the table: its models and cookies by name, and the words of the page."""

    what: str
    models: set[str]
    cookies: set[str]
    said: str


def held() -> list[Row]:
    """The table."""
    text = DOCUMENT.read_text().partition("# What is held about people\n")[2].partition("\n## ")[0]
    lines = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| ")][2:]
    return [
        Row(
            what.strip(),
            set(re.findall(r"`([\w.]+)`", models)),
            set(re.findall(r"cookie `(\w+)`", where)),
            said.strip(),
        )
        for what, where, _until, models, said in lines
    ]


def names(model: type[Model]) -> set[str]:
    """How the table may call it: with its app, where there are two of the name."""
    alike = [each for each in apps.get_models() if each.__name__ == model.__name__]
    return {model.__name__ if len(alike) == 1 else model._meta.label}


def pointing_at(model: type[Model]) -> set[str]:
    """All whose rows are of one of these: those that Django lists, and those that are asked the other way alone."""
    fields = model._meta.get_fields(include_hidden=True)
    related = {each.related_model for each in fields if each.auto_created and not each.concrete and each.is_relation}
    ours = {each for each in related if isinstance(each, type) and not each._meta.auto_created}
    assert {each.related_model for each in model._meta.related_objects} <= ours
    return {name for each in ours for name in names(each)}


def test_the_table_names_all_that_points_at_a_player_or_an_account_and_nothing_that_is_not() -> None:
    named = {name for row in held() for name in row.models}

    assert (pointing_at(Player) | pointing_at(User) | {"Player", "User"}) - named == set()
    assert named - {name for model in apps.get_models() for name in names(model)} == set()


@pytest.mark.django_db
def test_the_page_says_what_the_table_says_that_it_does() -> None:
    page = Client().get(PAGE).content.decode()

    said = {unescape(each) for each in re.findall(r"<dt>(.*?)</dt>", page)}

    assert said == {row.said for row in held()} - {NOTHING_OF_IT}
    assert page.count("<dt>") == page.count("<dd>") == len(said)
    assert [row.what for row in held() if row.said == NOTHING_OF_IT] == ["nonces of signed requests, by key"]


@pytest.mark.django_db
def test_the_table_names_every_cookie_and_none_that_is_not_set(client: Client, settings: LazySettings) -> None:
    UserFactory.create(username="robin", password=PASSWORD)
    PlayerFactory.create(external_id="alice")
    client.get(f"/boards/{make_board()}/?player=alice")
    client.get("/accounts/login/")
    sign_in(client, "robin")
    client.post("/i18n/setlang/", {"language": "ko"})
    client.post("/account/profile/", {"language": "ko", "theme": "dark"})

    named = {name for row in held() for name in row.cookies}

    assert set(client.cookies) == named
    year = 365 * 86_400
    lasting = ("csrftoken", "device", "player", "django_language", "theme")
    ages = {name: client.cookies[name]["max-age"] for name in lasting}
    assert ages["device"] == 90 * 86_400
    assert all(abs(int(ages[name]) - year) < 10 * 86_400 for name in ages.keys() - {"device"})
    assert settings.SESSION_COOKIE_AGE == 14 * 86_400
