"""What lies beside the pages: fonts under names of their content, as sheet and head name them; flags by country."""

import re
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

import pytest
from django.test import Client

from config.local import fonts
from leaderboards.countries import country_name
from leaderboards.models import Player
from leaderboards.views.components.faces import flag_html
from tests.playing import make_board, name, score

ROOT = Path(__file__).parents[3]
FONTS = ROOT / "static" / "fonts"
FONT = re.compile(r"fonts/([\w-]+\.[0-9a-f]{12}\.woff2)")


def test_fonts_have_the_digest_of_their_content_in_their_name_and_are_asked_for_by_it() -> None:
    files = {path.name: path.read_bytes() for path in FONTS.glob("*.woff2")}
    sheet, head = ((ROOT / path).read_text("utf-8") for path in ("static/css/type.css", "templates/base.html"))

    drawn_with = {each for each in files if each.startswith("sunwi-names.")}  # by the server alone: no page loads it

    assert len(drawn_with) == 1
    assert set(FONT.findall(sheet)) == set(files) - drawn_with
    assert FONT.findall(head) == [each for each in files if each.startswith("archivo-latin.")]
    for file, content in files.items():
        assert file.split(".")[1] == blake2b(content, digest_size=6).hexdigest(), file
    assert {path.name for path in FONTS.glob("*-OFL.txt")} == {
        *("archivo-OFL.txt", "sunwi-hangul-OFL.txt", "sunwi-names-OFL.txt")
    }


def test_the_font_has_every_korean_syllable_of_the_players_texts() -> None:
    sheet = (ROOT / "static/css/type.css").read_text("utf-8")

    [more] = re.findall(r"sunwi-hangul-more\.[^}]*?unicode-range:\s*([^;}]+)", sheet)

    assert more.split(", ") == fonts.syllables()[1].split(",")  # else: python -m config.local.fonts


def test_every_flag_has_a_name_and_a_code_of_none_has_no_flag() -> None:
    flags = {path.stem.upper() for path in (ROOT / "static" / "flags").glob("*.webp")}

    assert len(flags) > 240
    assert {code for code in flags if not country_name(code, "ko")} == set()
    assert 'title="South Korea"' in flag_html("KR")
    assert (flag_html("ZZ"), flag_html("")) == ("", "")


@pytest.mark.django_db
def test_a_files_policy_allows_nothing_and_is_short(client: Client) -> None:
    for path in ("flags/kr.webp", "img/icon.svg"):
        with closing(client.get(f"/static/{path}")) as answer:
            assert answer["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"


@pytest.mark.parametrize("sheet", ["standings", "race", "face"])
def test_no_rule_of_rows_is_tried_on_every_element(sheet: str) -> None:
    """One whose subject is ``:is(.result, td…)`` is: a page's styles took twice as long with forty of them."""
    rules = re.sub(r"/\*.*?\*/", "", (ROOT / "static" / "css" / f"{sheet}.css").read_text("utf-8"), flags=re.DOTALL)

    subjects = re.findall(r"(?<=[\s>,]):is\([^{,]*,\s*:where\([^{]*?\)\)[^\s>]*(?=\s*[,{])", rules)

    assert subjects == []


@pytest.mark.django_db
def test_a_row_has_the_flag_of_its_player(client: Client) -> None:
    board = make_board()
    score(board, {"robin": 5, "mina": 3})
    name("robin", "Robin")
    Player.objects.filter(external_id="robin").update(country="KR")
    page = client.get(f"/boards/{board}/").content.decode()

    assert page.partition('data-part="top"')[2].count("/flags/") == 1
    assert 'src=/static/flags/kr.webp title="South Korea"' in page
