"""The race on a competition's page in a browser: lines that end in their rows, and a phone that folds it."""

import pytest
from playwright.sync_api import ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from competitions.models import Competition
from competitions.services.lifecycle.snapshots import take_snapshot
from tests.browser import checks
from tests.browser.conftest import SMALL_PHONE, Opened, Photograph
from tests.browser.test_race import ends
from tests.competitions.factories import CompetitionFactory
from tests.competitions.site import HOUR, MINUTE, START, make_board, raced, score

WIDE = ViewportSize(width=1440, height=900)


@pytest.fixture
def cup(live_server: LiveServer) -> Competition:
    """Twelve have raced for two hours, and the fifth has come up."""
    del live_server
    competition = CompetitionFactory.create(board=make_board(update="increment"), name="Spring cup")
    raced(competition, {f"p{number:02d}": 1000 - 10 * number for number in range(12)}, START + MINUTE)
    for nth in (1, 2):
        take_snapshot(competition, START + nth * HOUR / 2, START + nth * HOUR / 2)
        score(competition, {"p05": 12, f"p{8 + nth:02d}": 35}, START + nth * HOUR / 2 + MINUTE)
    return competition


@pytest.mark.parametrize(("language", "colors"), [("en", "light"), ("ko", "dark")])
def test_every_line_ends_in_its_row(
    cup: Competition, opened: Opened, photograph: Photograph, language: str, colors: str
) -> None:
    page = opened(f"/competitions/{cup.pk}/?player=p05", viewport=WIDE, locale=language, color_scheme=colors)

    found = ends(page)

    assert sorted(each["nth"] for each in found) == list(range(1, 11))
    assert [each for each in found if each["by"] > 1.5 or not -2 <= each["apart"] <= 8] == []
    expect(page.locator(".race-open")).to_be_hidden()
    assert checks.wrong_frame(page, language) == []
    photograph(page, f"competition-race-{language}-{colors}")


def test_on_a_phone_it_opens_by_its_button(cup: Competition, opened: Opened, photograph: Photograph) -> None:
    page = opened(f"/competitions/{cup.pk}/", viewport=SMALL_PHONE)
    expect(page.locator(".race-drawing")).to_be_hidden()

    page.get_by_text("Race", exact=True).click()

    expect(page.locator(".race-drawing")).to_be_visible()
    assert checks.wrong_frame(page, "en") == []
    photograph(page, "competition-race-phone")
