"""What organizers build in the admin, in a browser: criteria by rows, a series of competitions, hues, webhook kinds."""

from datetime import timedelta

import pytest
from playwright.sync_api import Page, ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from foundation import clock
from foundation.models import Heartbeat
from foundation.tasks import REDIS, WORKER
from leaderboards.models import Board
from tests.browser.checks import serious, wrong_frame
from tests.browser.conftest import DESKTOP, SMALL_PHONE, Opened, Photograph
from tests.competitions.factories import CompetitionFactory
from tests.competitions.site import make_board
from tests.leaderboards.factories import AdminFactory

TABLET = ViewportSize(width=768, height=1024)
ADD_BOARD = "/admin/leaderboards/board/add/"


@pytest.fixture
def admin(live_server: LiveServer) -> str:
    """Somebody who may do everything; the worker has just breathed."""
    del live_server
    AdminFactory.create()
    for name in (WORKER, REDIS):
        Heartbeat.note(name, clock.now())
    return "admin"


def names(page: Page) -> list[str]:
    """The names in the rows that are shown, from the top."""
    found: list[str] = page.evaluate(
        """[...document.querySelectorAll("[data-criterion]:not([hidden]) [name$='-name']")].map((each) => each.value)"""
    )
    return found


def test_criteria_are_added_moved_and_removed_by_rows(admin: str, opened: Opened, photograph: Photograph) -> None:
    page = opened(ADD_BOARD, who=admin, viewport=DESKTOP)
    page.locator("[name=name]").fill("Raid")
    page.get_by_text("What is compared", exact=True).click()
    page.locator("[name=criteria-0-name]").fill("stage")
    page.locator("[name=criteria-0-max]").fill("32750")
    page.get_by_role("button", name="Add a criterion").click()
    page.keyboard.type("members")
    page.locator("[name=criteria-1-max]").fill("255")
    page.get_by_role("button", name="Add a criterion").click()
    page.locator("[name=criteria-2-kind]").select_option("s")
    expect(page.locator("[name=criteria-2-name]")).to_be_disabled()

    page.get_by_role("button", name="Criterion 2 further up").click()
    assert names(page)[:2] == ["members", "stage"]
    expect(page.locator("[data-board-preview]")).to_contain_text("members up to 255, stage up to 32,750; the time of")
    photograph(page, "admin-criteria")
    page.locator("[name=_continue]").click()
    page.wait_for_url("**/change/")

    assert [each["name"] for each in Board.objects.get().criteria] == ["members", "stage", "achieved_at"]
    assert names(page)[:2] == ["members", "stage"]


def test_a_preset_fills_the_rows(admin: str, opened: Opened) -> None:
    page = opened(ADD_BOARD, who=admin, viewport=DESKTOP)
    page.get_by_role("link", name="Raid").click()

    assert names(page) == ["stage", "members", ""]
    page.get_by_role("link", name="Golf").click()
    assert names(page) == [""]


def test_without_scripts_rows_are_placed_by_number(admin: str, opened: Opened) -> None:
    page = opened(ADD_BOARD, who=admin, viewport=DESKTOP, java_script_enabled=False)
    page.locator("[name=name]").fill("Raid")
    page.locator("summary", has_text="What is compared").click()
    for nth, (name, most) in enumerate((("stage", "9"), ("deaths", "99"))):
        page.locator(f"[name=criteria-{nth}-name]").fill(name)
        page.locator(f"[name=criteria-{nth}-max]").fill(most)
    page.locator("[name=criteria-0-place]").fill("2")
    page.locator("[name=criteria-1-place]").fill("1")
    page.locator("[name=_continue]").click()
    page.wait_for_url("**/change/")

    assert [each["name"] for each in Board.objects.get().criteria] == ["deaths", "stage"]


@pytest.mark.parametrize(("size", "language"), [(DESKTOP, "en"), (TABLET, "ko"), (SMALL_PHONE, "en")])
def test_pages_that_build_fit_and_are_accessible(
    admin: str, opened: Opened, photograph: Photograph, size: ViewportSize, language: str
) -> None:
    cup = CompetitionFactory.create(
        board=make_board(), name="Friday cup", timezone="Europe/Berlin", ends_at=clock.now() + timedelta(days=2)
    )
    width = size["width"]
    for name, address in {
        "series": f"/admin/competitions/competition/{cup.pk}/make-series/",
        "duplicate": f"/admin/competitions/competition/{cup.pk}/duplicate/",
        "board": ADD_BOARD,
        "webhook": "/admin/foundation/webhookendpoint/add/",
    }.items():
        page = opened(address, who=admin, viewport=size, locale=language)
        if name in ("series", "duplicate"):
            page.locator("[name=look]").click()
            expect(page.locator(".planned tbody tr")).to_have_count(4 if name == "series" else 1)
        photograph(page, f"admin-{name}-{width}-{language}")
        assert wrong_frame(page, language) == [], name
        assert serious(page) == [], name
