"""Comments and likes in a real browser: with a script and without, and when an answer fails."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from competitions.models import Comment, Competition
from likes import selectors
from tests.browser.conftest import Opened
from tests.competitions.site import open_competition, raced
from tests.competitions.talking import liked, say
from tests.playing import account

LIKED = 'name="liked"\r\n\r\n1'


@pytest.fixture
def talked(live_server: LiveServer) -> Competition:
    """Mina has said something that eleven like; robin has an account."""
    competition = open_competition(name="Spring run")
    raced(competition, {"mina": 50, "robin": 30})
    liked(say(competition, "mina", "What a run!"), *(f"fan-{number}" for number in range(11)))
    account("robin", "robin")
    return competition


@pytest.fixture
def read(talked: Competition, opened: Opened) -> Callable[..., Page]:
    """Opens the competition for robin."""
    return lambda **options: opened(f"/competitions/{talked.pk}/", "robin", **options)


def like_of(page: Page, likes: int | None = None) -> Locator:
    """The button below what mina said, with so many likes."""
    rest = "" if likes is None else f", {likes} likes"
    return page.get_by_role("button", name=f"Like the comment of mina{rest}")


def shown_likes() -> int:
    comment = str(Comment.objects.get().pk)
    return selectors.read_like_summaries("comment", [comment], None)[comment].count


def hold_first(held: list[Route]) -> Callable[[Route], None]:
    """Keeps the first request until the test lets it go."""
    return lambda route: route.continue_() if held else held.append(route)


def test_liking_and_commenting_work_without_javascript(read: Callable[..., Page]) -> None:
    page = read(java_script_enabled=False)

    like_of(page, 11).click()
    expect(like_of(page, 12)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("You and 11 others")).to_be_visible()
    assert page.url.endswith(f"#comment-{Comment.objects.get().pk}")
    like_of(page, 12).click()
    expect(like_of(page, 11)).to_be_visible()

    page.get_by_label("Your comment").fill("Thank you,\nall of you.")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.locator(".comment-text").first).to_have_text("Thank you,\nall of you.", use_inner_text=True)
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Your comment").fill("Thank you.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("edited")).to_be_visible()
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator(".comment")).to_have_count(1)


def test_a_like_is_shown_at_once_and_settles_to_the_servers_answer(read: Callable[..., Page]) -> None:
    page = read()
    page.evaluate("window.kept = true")
    held: list[Route] = []
    page.route("**/like/", hold_first(held))

    like_of(page).click()
    expect(like_of(page)).to_have_attribute("aria-pressed", "true")
    expect(like_of(page)).to_have_text("12")
    assert shown_likes() == 11
    liked(Comment.objects.get(), "one-more")
    held[0].continue_()

    expect(like_of(page)).to_have_text("13")
    expect(like_of(page, 13)).to_be_visible()
    expect(page.get_by_role("link", name="You and 12 others")).to_be_visible()
    assert shown_likes() == 13
    assert page.evaluate("window.kept") is True


def test_a_double_click_is_one_like_the_last_press_wins_and_one_request_is_under_way(read: Callable[..., Page]) -> None:
    page = read()
    sent: list[bool] = []
    page.on("request", lambda request: sent.append(LIKED in request.post_data) if request.post_data else None)

    like_of(page).dblclick()
    expect(like_of(page, 12)).to_be_visible()
    assert (sent, shown_likes()) == ([True], 12)

    held: list[Route] = []
    page.route("**/like/", hold_first(held))
    for _ in range(4):
        page.keyboard.press("Enter")
    expect(like_of(page)).to_have_attribute("aria-pressed", "true")
    assert sent == [True, False]
    with page.expect_event("response", lambda response: response.url.endswith("/like/") and len(sent) == 3):
        held[0].continue_()

    expect(like_of(page)).to_have_text("12")
    expect(like_of(page)).to_be_focused()
    assert (sent, shown_likes()) == ([True, False, True], 12)


def test_what_fails_goes_back_and_says_so(read: Callable[..., Page]) -> None:
    page = read()
    failures: list[Callable[[Route], None]] = [lambda route: route.abort(), lambda route: route.fulfill(status=500)]

    for fail in failures:
        page.route("**/like/", fail)
        like_of(page, 11).click()
        expect(page.locator("[data-like-said]")).to_have_text("This was not saved. Try again.")
        expect(like_of(page, 11)).to_have_attribute("aria-pressed", "false")
        expect(like_of(page)).to_have_text("11")

        page.unroute("**/like/")
        like_of(page).click()
        expect(like_of(page, 12)).to_be_visible()
        expect(page.locator("[data-like-said]")).to_be_empty()
        like_of(page).click()
        expect(like_of(page, 11)).to_be_visible()


def test_the_characters_left_are_counted_and_words_stay_while_the_standings_refresh(
    talked: Competition, read: Callable[..., Page]
) -> None:
    page = read()
    field, left = page.get_by_label("Your comment"), page.locator("#comment-left")
    expect(left).to_have_text("Up to 2,000 characters.")

    field.fill("x" * 3000)
    assert len(field.input_value()) == 2000
    field.fill("12345")
    expect(left).to_have_text("Characters left: 1,995")
    raced(talked, {"aiko": 900})

    expect(page.locator(".top tbody tr").first).to_contain_text("aiko")
    expect(field).to_have_value("12345")
