"""The board's form in the admin: the preview follows as one types, presets fill it in place."""

from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, Opened, Photograph
from tests.leaderboards.factories import AdminFactory

FORM = "/admin/leaderboards/board/add/"


def test_the_preview_follows_as_one_types_and_says_what_cannot_work(
    transactional_db: None, opened: Opened, photograph: Photograph
) -> None:
    AdminFactory.create()
    page = opened(FORM, "admin", viewport=DESKTOP)
    preview, zone = page.locator("[data-board-preview]"), page.get_by_label("Time zone")
    expect(preview).to_contain_text("Every Monday at 00:00 (UTC)")

    zone.fill("Asia/Seoul")
    page.get_by_label("Period", exact=False).first.select_option("month")
    expect(preview).to_contain_text("On the first of every month at 00:00 (Asia/Seoul)")
    expect(preview.locator("tbody tr")).to_have_count(5)
    expect(preview.locator("tbody tr").first).to_contain_text("00:00 KST")
    expect(preview.locator("tbody tr").first).to_contain_text("15:00")
    photograph(page, "admin-board-form")

    zone.fill("Asia/Seou")
    expect(preview).to_contain_text("is no time zone")
    zone.fill("Asia/Seoul")
    expect(preview).not_to_contain_text("can not work")

    page.get_by_text("What is compared", exact=True).click()
    page.get_by_label("Tie break").select_option("score")
    expect(preview).to_contain_text("31 bits of points, 22 bits of seconds: ties go to whoever was first")
    page.get_by_label("Total maximum").fill("1099511627775")
    expect(preview).to_contain_text("put the time in the member")


def test_a_preset_fills_the_form_and_leaves_the_name_that_was_typed(transactional_db: None, opened: Opened) -> None:
    AdminFactory.create()
    page = opened(FORM, "admin", viewport=DESKTOP)
    name, preview = page.get_by_label("Name"), page.locator("[data-board-preview]")

    page.get_by_role("link", name="Golf").click()
    expect(name).to_have_value("Golf")
    expect(preview).to_contain_text("Less points are better")

    name.fill("Ours")
    page.get_by_role("link", name="Raid").click()
    expect(name).to_have_value("Ours")
    expect(preview).to_contain_text("stage (0 to 32,750, more is better), then members")
    expect(page).to_have_url(page.url.partition("?")[0])

    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".messagelist")).to_contain_text("Ours")
