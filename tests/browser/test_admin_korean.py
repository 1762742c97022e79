"""The admin in Korean: its pages speak it, and nothing sticks out of them."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, Opened
from tests.playing import make_board

pytestmark = pytest.mark.django_db(transaction=True)

PAGES = {
    "index": ("/admin/", "순위표"),
    "board": ("/admin/leaderboards/board/{board}/change/", "이 설정의 뜻"),
    "boards": ("/admin/leaderboards/board/", "다음 경계"),
    "competition": ("/admin/competitions/competition/add/", "게임에 쓰는 코드"),
    "key": ("/admin/foundation/servicekey/add/", "권한 범위"),
    "activity": ("/admin/likes/activityday/", "날짜별 방문자"),
}


@pytest.fixture
def cookie(client: Client) -> str:
    """The session of an administrator."""
    client.force_login(User.objects.create_superuser("admin"))
    return client.cookies["sessionid"].value


@pytest.mark.parametrize("name", PAGES)
def test_the_admin_speaks_korean_and_nothing_sticks_out(
    opened: Opened, cookie: str, photograph: Callable[[Page, str], None], name: str
) -> None:
    address, words = PAGES[name]
    board = make_board(name="주간 점수")
    page = opened("/healthz", viewport=DESKTOP, locale="ko-KR")
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": page.url}])

    page.goto(address.format(board=board))

    expect(page.get_by_text(words).first).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    photograph(page, f"admin-{name}-korean")
