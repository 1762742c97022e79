"""Every control on the pages that add and change rows has a name: a label, or one of its own."""

from html.parser import HTMLParser

import pytest
from django.contrib import admin as django_admin
from django.test import Client

from tests.competitions.factories import LeagueFactory, SeriesFactory
from tests.competitions.site import draft, open_competition
from tests.leaderboards.admin.typed import make_board

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]
_UNSEEN = {"hidden", "submit", "button", "reset", "image"}


class _Controls(HTMLParser):
    """Collects controls by id, and the ids that labels are for."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.controls: list[dict[str, str | None]] = []
        self.labelled: set[str | None] = set()
        self._in_label = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag == "label":
            self._in_label += 1
            self.labelled.add(told.get("for"))
        is_seen = tag in ("select", "textarea") or (tag == "input" and told.get("type", "text") not in _UNSEEN)
        if is_seen and not self._in_label:
            self.controls.append(told)

    def handle_endtag(self, tag: str) -> None:
        self._in_label -= tag == "label"


def nameless(html: str) -> list[str]:
    """The controls without a name, by their own."""
    page = _Controls(html)
    named = ("aria-label", "aria-labelledby", "title")
    return [
        str(each.get("name"))
        for each in page.controls
        if each.get("id") not in page.labelled and not any(each.get(name) for name in named)
    ]


def test_every_control_of_the_pages_that_add_rows_has_a_name(admin: Client) -> None:
    missing, seen = {}, 0
    for model in django_admin.site._registry:
        answer = admin.get(f"/admin/{model._meta.app_label}/{model._meta.model_name}/add/")
        if answer.status_code == 200:
            seen += 1
            missing[model._meta.label] = nameless(answer.content.decode())

    assert seen >= 5
    assert {label: names for label, names in missing.items() if names} == {}


def test_every_control_of_the_pages_that_change_competitions_series_and_leagues_has_a_name(admin: Client) -> None:
    rows = [draft(), open_competition(), SeriesFactory.create(), LeagueFactory.create(board=make_board(name="Weekly"))]
    missing = {}
    for row in rows:
        answer = admin.get(f"/admin/competitions/{row._meta.model_name}/{row.pk}/change/")
        assert answer.status_code == 200
        missing[f"{row._meta.label} {row.pk}"] = nameless(answer.content.decode())

    assert {label: names for label, names in missing.items() if names} == {}


def test_a_control_without_a_name_is_found() -> None:
    assert nameless('<label for="a">A</label><input id="a" name="a"><select id="b" name="b"></select>') == ["b"]
