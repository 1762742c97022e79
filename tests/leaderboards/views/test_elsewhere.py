"""Boards on other sites and on big screens: frames only where the settings allow, a picture, and ten rows at a time."""

from io import BytesIO

import pytest
from django.test import Client
from PIL import Image
from pytest_django import Settings

from leaderboards.drawing import BoardPicture, CardRow, draw_card, drawable
from leaderboards.drawing import text as drawn_text
from leaderboards.views.http import micro_cache
from tests.leaderboards.views.pages import make_full_board, text
from tests.playing import HARD_NAMES, make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)


def picture_of(*rows: CardRow, title: str = "Weekly") -> BoardPicture:
    return BoardPicture(hue="rose", title=title, mark="W", under="This week", places=rows)


def test_a_site_that_the_settings_name_may_frame_what_is_asked_for_so(client: Client, settings: Settings) -> None:
    board = make_board()
    score(board, {"robin": 5})
    by_default = client.get(f"/boards/{board}/?embed=1")
    settings.EMBED_SITES = ["https://example.org"]
    micro_cache.forget()

    assert "frame-ancestors 'none'" in by_default["Content-Security-Policy"]
    assert by_default["X-Frame-Options"] == "DENY"
    for _ in range(2):  # made, and kept
        framed = client.get(f"/boards/{board}/?embed=1")
        whole = client.get(f"/boards/{board}/")

        assert "frame-ancestors https://example.org" in framed["Content-Security-Policy"]
        assert "X-Frame-Options" not in framed
        assert "frame-ancestors 'none'" in whole["Content-Security-Policy"]
        assert whole["X-Frame-Options"] == "DENY"
        assert "1 robin 5" in text(framed)
        assert "Sign in" not in text(framed)
        assert 'href="?" target="_blank"' in framed.content.decode()


def test_a_big_screen_shows_ten_rows_and_names_the_next_page(client: Client) -> None:
    board = make_full_board(25)

    pages = [client.get(f"/boards/{board}/?screen=1&page={page}").content.decode() for page in (1, 3, 9)]

    assert [page.count("hall-row ") for page in pages] == [10, 5, 0]
    assert 'content="12; url=?screen=1&amp;page=2"' in pages[0]
    assert 'content="12; url=?screen=1&amp;page=1"' in pages[1]


def test_the_picture_is_a_png_kept_for_a_while_and_the_page_names_it(client: Client, settings: Settings) -> None:
    settings.SITE_URL = "https://boards.example"
    board = make_board(name="Weekly wins")
    score(board, {"robin": 1200, "mina": 5})

    picture = client.get(f"/boards/{board}/card.png")
    page = client.get(f"/boards/{board}/").content.decode()

    again = client.get(f"/boards/{board}/card.png", headers={"If-None-Match": picture["ETag"]})
    name("robin", "Robin")
    assert (again.status_code, again.content) == (304, b"")
    assert client.get(f"/boards/{board}/card.png").content != picture.content  # a name is never older than the page's
    assert picture["Content-Type"] == "image/png"
    assert Image.open(BytesIO(picture.content)).size == (1200, 630)
    assert f'content="https://boards.example/boards/{board}/card.png"' in page
    assert 'property="og:description" content="1. robin 1,200 points · 2. mina 5 points"' in page


def test_hard_names_can_be_drawn_even_without_a_font_and_no_letter_becomes_a_box(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for title, *hard in (HARD_NAMES[:4], HARD_NAMES[4:]):
        rows = [CardRow(1, each, each, "1,200 points") for each in hard]
        assert draw_card(picture_of(*rows, title=title))[:4] == b"\x89PNG"
    assert [drawable(each) for each in ("Robin", "\ue000\ue001")] == ["Robin", ""]
    monkeypatch.setattr(drawn_text, "FONTS", ())
    drawn_text.forget()

    without_fonts = draw_card(picture_of(CardRow(1, "김서연", "robin", "5")))[:4], drawable("김서연")

    drawn_text.forget()
    assert without_fonts == (b"\x89PNG", "")


def test_the_picture_and_its_words_say_which_ranks_are_shared(client: Client) -> None:
    board = make_board(name="Weekly wins", ties="shared")
    score(board, {"robin": 5, "mina": 5, "zoe": 1})

    page = client.get(f"/boards/{board}/").content.decode()
    drawn = [draw_card(picture_of(CardRow(1, "Ann", "ann", "5", tied=tied))) for tied in (False, True)]

    told = page.partition('og:description" content="')[2].partition('"')[0]
    assert told == "=1. robin 5 points · =1. mina 5 points · 3. zoe 1 point"
    assert drawn[0] != drawn[1]
