"""Pages for everybody: axe finds nothing serious on two variants of each page. The rules are axe-core's."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import DESKTOP, PHONE, Opened
from tests.browser.test_looks import site
from tests.playing import account

__all__ = ["site"]

VARIANTS = (
    {"viewport": PHONE, "color_scheme": "light", "locale": "en-US"},
    {"viewport": DESKTOP, "color_scheme": "dark", "locale": "ko-KR"},
)
SERIOUS = {"serious", "critical"}


def serious(page: Page) -> list[str]:
    """What axe calls serious, each with its first place."""
    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:160]}" for each in found if each["impact"] in SERIOUS]


@pytest.mark.slow
@pytest.mark.parametrize("variant", range(len(VARIANTS)))
def test_axe_finds_nothing_serious(site: dict[str, str], opened: Opened, variant: int) -> None:
    page = opened("/", **VARIANTS[variant], bypass_csp=True, reduced_motion="reduce")
    complaints = {}

    for title, address in site.items():
        page.goto(address)
        for summary in page.locator("main summary").all():
            summary.click()
        if found := serious(page):
            complaints[title] = found

    assert complaints == {}


def test_axe_finds_nothing_serious_where_one_is_signed_in(weekly: int, opened: Opened) -> None:
    account("robin", player="robin")
    page = opened("/accounts/login/?next=/account/", bypass_csp=True)
    page.get_by_label("Username").fill("robin")
    page.get_by_label("Password").fill("secret")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/account/")

    assert serious(page) == []


def test_the_check_finds_what_is_wrong(opened: Opened) -> None:
    page = opened("/accounts/login/", bypass_csp=True)

    page.evaluate("document.querySelector('#main').innerHTML = '<img src=\"/x\"><input>'")

    assert {each.partition(":")[0] for each in serious(page)} >= {"image-alt", "label"}
