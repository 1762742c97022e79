"""Comments and likes in a real browser: with a script and without, by keyboard, and when an answer fails."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Request, Route, expect
from pytest_django.live_server_helper import LiveServer

from competitions.models import Comment, Competition
from likes import selectors
from tests.browser.conftest import Opened
from tests.competitions.site import open_competition, raced
from tests.competitions.talking import liked, say
from tests.playing import account


@pytest.fixture
def talked(live_server: LiveServer) -> Competition:
    """Mina has said something that eleven like; robin has an account."""
    competition = open_competition(name="Spring run")
    raced(competition, {"mina": 50, "robin": 30})
    liked(say(competition, "mina", "What a run!"), *(f"fan-{number}" for number in range(11)))
    account("robin", "robin")
    return competition


def of(competition: Competition) -> str:
    return f"/competitions/{competition.pk}/"


def shown_likes() -> int:
    comment = Comment.objects.order_by("pk").first()
    assert comment is not None
    return selectors.shown("comment", [str(comment.pk)], None)[str(comment.pk)].count


def as_reader(opened: Opened, address: str, **options: object) -> Page:
    return opened(address, "robin", **options)


def hold_first(held: list[Route]) -> Callable[[Route], None]:
    """Keeps the first request until the test lets it go."""

    def handle(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    return handle


def posts(page: Page) -> list[str]:
    """Filled from now on with what each like sends."""
    sent: list[str] = []

    def note(request: Request) -> None:
        if request.url.endswith("/like/"):
            sent.append("1" if 'name="liked"\r\n\r\n1' in (request.post_data or "") else "0")

    page.on("request", note)
    return sent


def test_liking_and_commenting_work_without_javascript(talked: Competition, opened: Opened) -> None:
    page = as_reader(opened, of(talked), java_script_enabled=False)

    page.get_by_role("button", name="Like the comment of mina, 11 likes").click()
    pressed = page.get_by_role("button", name="Like the comment of mina, 12 likes")
    expect(pressed).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("You and 11 others")).to_be_visible()
    assert page.url.endswith(f"#comment-{Comment.objects.get().pk}")
    pressed.click()
    expect(page.get_by_role("button", name="Like the comment of mina, 11 likes")).to_be_visible()

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


def test_who_is_signed_out_signs_in_and_comes_back_to_the_comment(talked: Competition, opened: Opened) -> None:
    page = opened(of(talked))

    page.get_by_role("link", name="Like the comment of mina, 11 likes").click()
    page.get_by_label("Username").fill("robin")
    page.get_by_label("Password").fill("secret")
    page.get_by_role("button", name="Sign in").click()

    expect(page.get_by_role("button", name="Like the comment of mina")).to_be_visible()
    assert page.url.endswith(f"{of(talked)}#comment-{Comment.objects.get().pk}")


def test_a_like_is_shown_at_once_and_settles_to_the_servers_answer(talked: Competition, opened: Opened) -> None:
    page = as_reader(opened, of(talked))
    page.evaluate("window.kept = true")
    held: list[Route] = []
    page.route("**/like/", hold_first(held))
    button = page.get_by_role("button", name="Like the comment of mina")

    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(button).to_have_text("12")
    assert shown_likes() == 11
    liked(Comment.objects.get(), "one-more")
    held[0].continue_()

    expect(button).to_have_text("13")
    expect(page.get_by_role("button", name="Like the comment of mina, 13 likes")).to_be_visible()
    expect(page.get_by_role("link", name="You and 12 others")).to_be_visible()
    assert shown_likes() == 13
    assert page.evaluate("window.kept") is True


def test_the_last_press_wins_and_one_request_is_under_way(talked: Competition, opened: Opened) -> None:
    page = as_reader(opened, of(talked))
    held: list[Route] = []
    page.route("**/like/", hold_first(held))
    sent = posts(page)
    button = page.get_by_role("button", name="Like the comment of mina")
    button.focus()

    for _ in range(4):
        page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert sent == ["1"]
    with page.expect_event("response", lambda response: response.url.endswith("/like/") and len(sent) == 2):
        held[0].continue_()

    expect(button).to_have_text("11")
    assert sent == ["1", "0"]
    assert shown_likes() == 11


def test_a_double_click_is_one_like(talked: Competition, opened: Opened) -> None:
    page = as_reader(opened, of(talked))
    sent = posts(page)

    page.get_by_role("button", name="Like the comment of mina").dblclick()

    expect(page.get_by_role("button", name="Like the comment of mina, 12 likes")).to_be_visible()
    assert sent == ["1"]
    assert shown_likes() == 12


@pytest.mark.parametrize("failing", ["abort", "500"])
def test_what_fails_goes_back_and_says_so(talked: Competition, opened: Opened, failing: str) -> None:
    page = as_reader(opened, of(talked))
    page.route("**/like/", lambda route: route.abort() if failing == "abort" else route.fulfill(status=500))
    button = page.get_by_role("button", name="Like the comment of mina, 11 likes")

    button.click()

    expect(page.locator("[data-like-said]")).to_have_text("This was not saved. Try again.")
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(button).to_have_text("11")
    page.unroute("**/like/")
    button.click()
    expect(page.get_by_role("button", name="Like the comment of mina, 12 likes")).to_be_visible()
    expect(page.locator("[data-like-said]")).to_be_empty()


def test_all_of_it_is_reached_by_keyboard(talked: Competition, opened: Opened) -> None:
    page = as_reader(opened, f"{of(talked)}comments/")
    page.get_by_label("Your comment").focus()

    walked = []
    for _ in range(5):
        page.keyboard.press("Tab")
        walked.append(page.evaluate("document.activeElement.className"))
    page.locator(".like").focus()
    page.keyboard.press("Space")

    assert walked == ["button is-main", "comment-by", "comment-when", "like", "like-who"]
    expect(page.locator(".like")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".like")).to_be_focused()


def test_the_characters_left_are_counted(talked: Competition, opened: Opened) -> None:
    page = as_reader(opened, of(talked))
    field = page.get_by_label("Your comment")
    expect(page.locator("#comment-left")).to_have_text("Up to 2,000 characters.")

    field.fill("12345")
    expect(page.locator("#comment-left")).to_have_text("Characters left: 1,995")
    field.fill("x" * 3000)

    assert len(field.input_value()) == 2000


def test_comments_stay_while_the_standings_refresh(talked: Competition, opened: Opened) -> None:
    page = as_reader(opened, of(talked))
    field = page.get_by_label("Your comment")
    field.fill("Half a sent")

    with page.expect_response(lambda response: "fragment=1" in response.url):
        pass
    raced(talked, {"aiko": 900})

    expect(page.locator(".top tbody tr").first).to_contain_text("aiko")
    expect(field).to_have_value("Half a sent")


def test_hostile_words_stay_words(talked: Competition, opened: Opened) -> None:
    say(talked, "omar", "<img src=x onerror=alert(1)> <script>alert(1)</script> javascript:alert(1)")

    page = opened(of(talked))

    expect(page.get_by_text("<img src=x onerror=alert(1)>")).to_be_visible()
    expect(page.locator(".comment-text :is(img, script, a)")).to_have_count(0)
