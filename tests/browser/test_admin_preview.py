"""Forms in the admin: the preview of a board follows as one types, presets fill it, times are of an event's clock."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import expect

from foundation import clock
from tests.browser.conftest import DESKTOP, PHONE, Opened, Photograph
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
    expect(preview).to_contain_text("31 bits of points, 22 bits of seconds: ties go to the first")
    page.get_by_label("Total maximum").fill("1099511627775")
    expect(preview).to_contain_text("put the time in the member")


OUTSIDE = """() => [...document.querySelectorAll("#content .form-row")].flatMap((row) => {
    const end = row.getBoundingClientRect().right - parseFloat(getComputedStyle(row).paddingRight);
    return [...row.querySelectorAll("input:not([type=hidden]), select, textarea, .flex-container")]
        .filter((each) => each.offsetParent && each.getBoundingClientRect().right > end + 0.5)
        .map((each) => `${each.id || each.className} passes its row by ${each.getBoundingClientRect().right - end}`);
})"""


@pytest.mark.parametrize("kind", ["leaderboards/board", "competitions/competition", "foundation/servicekey"])
def test_on_a_phone_no_field_passes_the_edge_of_its_row(transactional_db: None, opened: Opened, kind: str) -> None:
    AdminFactory.create()
    page = opened(f"/admin/{kind}/add/", "admin", viewport=PHONE)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")

    assert page.locator("#content .form-row input").count() > 3
    assert page.evaluate(OUTSIDE) == []


def test_who_chooses_a_schedule_sees_the_fields_that_it_needs(transactional_db: None, opened: Opened) -> None:
    AdminFactory.create()
    page = opened(FORM, "admin", viewport=DESKTOP)
    schedule, preview = page.locator("#id_schedule"), page.locator("[data-board-preview]")
    expect(schedule).to_be_hidden()

    page.locator("#id_period").select_option("schedule")
    expect(schedule).to_be_visible()
    expect(preview).to_contain_text("has five fields")
    expect(preview).not_to_contain_text("Windows start by")

    schedule.fill("0 18 * * 5")
    expect(preview).to_contain_text("Windows start by 0 18 * * 5 (UTC)")
    page.get_by_text("When a period turns over", exact=True).click()
    page.get_by_label("Name:", exact=True).fill("Fridays")
    expect(schedule).to_be_hidden()


def test_after_a_refused_schedule_the_preview_goes_on(transactional_db: None, opened: Opened) -> None:
    AdminFactory.create()
    page = opened(FORM, "admin", viewport=DESKTOP)
    schedule, preview = page.locator("#id_schedule"), page.locator("[data-board-preview]")
    page.get_by_label("Name:", exact=True).fill("Fridays")
    page.locator("#id_period").select_option("schedule")
    schedule.fill("0 18 * * 8")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".errornote")).to_be_visible()
    expect(preview).to_contain_text("This can not work yet")

    schedule.fill("0 18 * * 5")

    expect(preview).to_contain_text("Windows start by 0 18 * * 5 (UTC)")
    expect(preview).not_to_contain_text("This can not work yet")


def test_a_preset_fills_the_form_and_leaves_the_name_that_was_typed(transactional_db: None, opened: Opened) -> None:
    AdminFactory.create()
    page = opened(FORM, "admin", viewport=DESKTOP)
    name, preview = page.get_by_label("Name:", exact=True), page.locator("[data-board-preview]")

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


def test_now_and_today_are_of_the_competitions_clock_wherever_the_admin_sits(
    transactional_db: None, opened: Opened, photograph: Photograph
) -> None:
    AdminFactory.create()
    page = opened("/admin/competitions/competition/add/", "admin", viewport=DESKTOP, timezone_id="America/New_York")
    told = page.locator("[data-event-clock]")
    for zone in ("Pacific/Auckland", "Asia/Kolkata"):
        page.get_by_label("Time zone").fill(zone)
        expect(told).to_contain_text(zone)

        page.locator(".field-starts_at").get_by_role("link", name="Today").click()
        page.locator(".field-starts_at").get_by_role("link", name="Now").click()

        typed = " ".join(page.locator(f"#id_starts_at_{part}").input_value() for part in (0, 1))
        meant = datetime.fromisoformat(typed).replace(tzinfo=ZoneInfo(zone))
        assert abs(clock.now() - meant) < timedelta(minutes=1)
    expect(page.locator(".timezonewarning").first).to_be_hidden()
    photograph(page, "admin-competition-clock")

    page.get_by_label("Time zone").fill("Asia/Kolkat")
    expect(told).to_be_hidden()
