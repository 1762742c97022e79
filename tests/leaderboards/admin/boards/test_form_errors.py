"""A refused form says at its top which fields are wrong, by their labels, and leads to each."""

import re

import pytest
from django.test import Client

from tests.leaderboards.admin.typed import ADD, page, settings

pytestmark = pytest.mark.django_db


def links(html: str) -> dict[str, str]:
    """The labels by what their links lead to."""
    listed = re.search(r'<ul class="error-links">(.*?)</ul>', html, re.DOTALL)
    return dict(re.findall(r'<a href="#([^"]+)">([^<]+)</a>', listed[1])) if listed else {}


def test_the_top_of_a_refused_form_leads_to_each_wrong_field(admin: Client) -> None:
    typed = settings(name="", storage="hybrid", period="week", ties="shared", decimals="many")

    html = admin.post(ADD, typed).content.decode()

    assert links(html).keys() == {"id_name", "id_decimals"}
    for field in links(html):
        assert f'id="{field}"' in html


def test_what_an_encoding_cannot_be_is_told_at_the_top_with_the_fields_label(admin: Client) -> None:
    typed = settings(storage="hybrid", period="week", ties="first_come", encoding="compact", partitions=4)

    html = admin.post(ADD, typed).content.decode()

    [(field, _label)] = links(html).items()
    assert field == "id_encoding"
    assert html.index('class="error-links"') < html.index('id="id_encoding"')


def test_a_form_without_errors_has_no_list_of_them(admin: Client) -> None:
    assert links(page(admin, ADD)) == {}


def test_a_refusal_says_the_labels_of_fields_not_the_names_of_settings(admin: Client) -> None:
    typed = settings(storage="hybrid", period="week", minimum="50", maximum="10")

    html = admin.post(ADD, typed).content.decode()

    assert "“Minimum” 50 lies above “Maximum” 10" in html
    assert "`" not in html.partition('class="error-links"')[2].partition("</ul>")[0]


def test_all_that_is_wrong_is_told_at_once_and_the_side_says_it_by_labels_too(admin: Client) -> None:
    typed = settings(storage="hybrid", period="week", minimum="50", maximum="10", timezone="Mars/Olympus")

    html = admin.post(ADD, typed).content.decode()

    assert links(html).keys() == {"id_minimum", "id_timezone"}
    wide = admin.post(ADD, settings(storage="hybrid", encoding="compact", tie_break="member")).content.decode()
    packed = wide.partition('class="packing')[2].partition("</dd>")[0]
    assert "“Tie break”" in packed
    assert "`" not in packed
