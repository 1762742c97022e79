"""A key's page: what it may do in words, where, who made it, its last use, a ready command, and how to replace it."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils.html import strip_tags

from foundation import clock
from foundation.models import ServiceKey
from foundation.security import service_keys
from leaderboards.admin.integrations.scope_words import WORDS
from tests.leaderboards.admin.typed import act, make_board, page
from tests.staff import staff

pytestmark = pytest.mark.django_db(transaction=True)

KEYS = "/admin/foundation/servicekey/"


def made(admin: Client, **typed: object) -> ServiceKey:
    admin.post(f"{KEYS}add/", {"name": "game", "scopes": ["scores:write", "boards:read"]} | typed)
    return ServiceKey.objects.latest("pk")


def address(key: ServiceKey) -> str:
    return f"{KEYS}{key.pk}/change/"


def said(html: str) -> str:
    return re.sub(r"\s+", " ", unescape(strip_tags(html.partition('id="content"')[2].replace("<", " <"))))


def test_every_scope_has_words() -> None:
    assert set(WORDS) == set(service_keys.SCOPES)


def test_a_key_says_what_it_may_do_where_and_who_made_it(admin: Client) -> None:
    board = make_board(name="Weekly wins")
    key = made(admin, boards=[str(board.pk)], limit="100/10", expires_at_0="2099-01-02", expires_at_1="03:04:05")

    html = page(admin, address(key))

    told = said(html)
    assert "Live: requests with it are taken. It was never used yet." in told
    assert "send scores scores:write" in told
    assert "read private boards boards:read" in told
    assert f'<a href="/admin/leaderboards/board/{board.pk}/change/">Weekly wins</a>' in html
    assert "Last used never yet" in told
    assert re.search(r"Made \w{3} \d+ \w{3} \d{4} \d\d:\d\d UTC · admin", told)
    assert re.search(r"Expires Fri 2 Jan 2099 03:04 UTC, in \d+ d", told)
    assert "100 requests in 10 s" in told
    assert "Used from anywhere" in told
    assert f"sunwi_{key.prefix}_…" in told
    assert "None" not in told
    assert "curl 'http" in told
    assert "$SUNWI_KEY" in told
    assert 'data-copies="ready-curl"' in html


def test_its_last_use_is_told_and_so_is_its_end(admin: Client) -> None:
    key, at = made(admin), clock.now()
    ServiceKey.objects.filter(pk=key.pk).update(last_used_at=at - timedelta(hours=3, minutes=5))
    used = said(page(admin, address(key)))
    ServiceKey.objects.filter(pk=key.pk).update(expires_at=at - timedelta(hours=1))
    expired = said(page(admin, address(key)))
    ServiceKey.objects.filter(pk=key.pk).update(revoked_at=at)
    revoked = page(admin, address(key))

    assert re.search(r"Last used .* UTC, 3 h 5 min ago", used)
    assert "Live: requests with it are taken." in used
    assert "Expired since" in expired
    assert "Revoked since" in said(revoked)
    assert 'value="revoke"' not in revoked


def test_it_is_revoked_from_its_page_and_a_new_key_in_its_place_may_do_the_same(admin: Client) -> None:
    board = make_board()
    key = made(admin, boards=[str(board.pk)])

    html = page(admin, address(key))
    successor = unescape(re.findall(r'href="(/admin/foundation/servicekey/add/[^"]+)"', html)[0])
    form = page(admin, successor)
    asked = act(admin, KEYS, "revoke", key)

    assert 'name="action" value="revoke"' in html
    assert "can not be undone" in asked
    assert 'value="game"' in form
    assert set(re.findall(r'name="(?:scopes|boards)" value="([^"]+)"[^>]*checked', form)) == {
        *("scores:write", "boards:read", str(board.pk))
    }


def test_readers_see_neither_who_made_it_nor_how_to_end_it(admin: Client) -> None:
    key = made(admin)

    html = page(staff("view_servicekey"), address(key))

    assert "· admin" not in said(html)
    assert 'value="revoke"' not in html
    assert "New key in its place" not in html


def test_the_page_of_a_new_key_leads_on_to_its_boards(admin: Client) -> None:
    board = make_board(name="Weekly wins")
    typed = {"name": "game", "scopes": ["scores:write"]}

    limited = admin.post(f"{KEYS}add/", typed | {"boards": [str(board.pk)]}).content.decode()
    unlimited = admin.post(f"{KEYS}add/", typed | {"name": "other"}).content.decode()

    way = f'<a href="/admin/leaderboards/board/{board.pk}/change/" class="button">To board “Weekly wins”</a>'
    assert way in limited
    assert "To board" not in unlimited


def test_the_list_has_words_and_names_and_no_codes(admin: Client) -> None:
    board = make_board(name="Weekly wins")
    made(admin, boards=[str(board.pk)])

    english = page(admin, KEYS)
    korean = admin.get(KEYS, headers={"accept-language": "ko"}).content.decode()
    added = admin.get(f"{KEYS}add/", headers={"accept-language": "ko"}).content.decode()

    for html, words in ((english, "send scores, read private boards"), (korean, "기록 보내기, 비공개 순위표 읽기")):
        row = html.partition('id="result_list"')[2].partition("</table>")[0]
        assert words in row
        assert "Weekly wins" in row
        assert "scores:write" not in row
    assert "기록 보내기 (scores:write)" in added


@pytest.mark.parametrize(("state", "names"), [("live", {"a"}), ("expired", {"b"}), ("revoked", {"c"})])
def test_keys_are_listed_by_state(admin: Client, state: str, names: set[str]) -> None:
    at = clock.now()
    ends = {"a": {}, "b": {"expires_at": at - timedelta(1)}, "c": {"revoked_at": at}}
    for name, end in ends.items():
        made(admin, name=name)
        ServiceKey.objects.filter(name=name).update(**end) if end else None

    html = page(admin, f"{KEYS}?state={state}")

    assert set(re.findall(r'field-name"><a[^>]*>(\w)<', html)) == names
