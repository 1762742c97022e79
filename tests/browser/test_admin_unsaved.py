"""A changed form of the admin is not left without a word; one that is as it was, or is saved, asks nothing."""

from playwright.sync_api import Dialog, expect
from pytest_django.live_server_helper import LiveServer

from competitions.models import Competition
from tests.browser.conftest import DESKTOP, Opened
from tests.competitions.admin.typed import change
from tests.competitions.site import draft
from tests.leaderboards.factories import AdminFactory


def test_publishing_a_changed_draft_asks_first(live_server: LiveServer, opened: Opened) -> None:
    del live_server
    AdminFactory.create()
    competition = draft()
    page = opened(change(competition), who="admin", viewport=DESKTOP)
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", answer)
    publish = page.get_by_role("link", name="Publish", exact=True)
    page.wait_for_load_state("load")
    page.locator("[name=name]").fill("Not saved")
    publish.click(no_wait_after=True)
    expect(page.locator("[name=name]")).to_be_visible()
    assert asked == ["beforeunload"]

    page.locator("[name=name]").fill(competition.name)
    publish.click()
    page.wait_for_url("**/publish/")
    page.go_back()
    page.locator("[name=name]").fill("Saved")
    page.locator("[name=_continue]").click()
    page.wait_for_load_state("load")

    assert asked == ["beforeunload"]
    assert Competition.objects.get().name == "Saved"
