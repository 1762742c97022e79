"""How comments look: nothing sticks out, thumbs find what they press, and whoever listens hears what each is called."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from competitions.models import Comment
from foundation import clock
from tests.browser.conftest import Opened
from tests.browser.test_competition_looks import UNNAMED, as_robin, wrong_looks
from tests.competitions.site import open_competition, raced
from tests.competitions.talking import liked, say
from tests.playing import HARD_NAMES, account, name

HARD_TEXTS = (
    "W" * 300,
    "가나다라마바사" * 40,
    "سلام! این یک دیدگاه است.\nThis line goes the other way.\nو این یکی دوباره.",
    "Z̷̢̛a̴̡͝l̶̨̕g̸̡͠o̷̧͝ " * 8,
    "<img src=x onerror=alert(1)> <script>alert(1)</script> javascript:alert(1)",
    "👩‍👩‍👧‍👦🏳️‍🌈🇰🇷 " * 20,
    "one\n\ntwo\n\n\nthree",
)


@pytest.fixture
def site(live_server: LiveServer) -> dict[str, str]:
    """Everything that is hard to lay out."""
    talked = open_competition(name="Spring run")
    raced(talked, {"mina": 50, "robin": 30})
    liked(say(talked, "mina", "What a run!"), *(f"fan-{number}" for number in range(11)))
    account("robin", "robin")
    for number, (hard, words) in enumerate(zip(HARD_NAMES, HARD_TEXTS, strict=False)):
        comment = say(talked, f"hard-{number}", words)
        name(f"hard-{number}", hard)
        liked(comment, *(f"fan-{each}" for each in range(number)))
    for number in range(16):
        say(
            talked, "mina", f"Lap {number + 1} done." + " It gets harder, but the weather is kind to us." * (number % 4)
        )
    own = say(talked, "robin", "I am late, but I will catch up with you all before the weekend is over.")
    liked(own, "mina", "fan-1")
    hidden = say(talked, "robin", "Something rude.")
    Comment.objects.filter(pk=hidden.pk).update(hidden_at=clock.now(), hidden_reason="Please be kind.")
    quiet = open_competition(talked.board, name="Nothing said")
    said = f"/competitions/{talked.pk}/comments/"
    first = Comment.objects.order_by("pk")[0]
    return {
        "competition": f"/competitions/{talked.pk}/",
        "comments": f"{said}?page=2",
        "most-liked": f"{said}?order=likes",
        "at-a-comment": f"{said}{own.pk}/",
        "nothing-said": f"/competitions/{quiet.pk}/comments/",
        "edit": f"{said}{own.pk}/edit/",
        "delete": f"{said}{own.pk}/delete/",
        "liked-by": f"{said}{first.pk}/likes/",
    }


@pytest.mark.slow
def test_nothing_scrolls_sideways_and_all_can_be_pressed(
    site: dict[str, str], opened: Opened, photograph: Callable[[Page, str], None]
) -> None:
    assert wrong_looks(site, opened, lambda page, name: photograph(page, f"talk-{name}")) == {}


def test_everything_has_a_name_and_headings_are_in_order(site: dict[str, str], opened: Opened) -> None:
    page = opened("/accounts/login/")
    as_robin(page)
    found: dict[str, object] = {}

    for title, address in site.items():
        page.goto(address)
        found[title] = page.evaluate(UNNAMED)

    assert {where: what for where, what in found.items() if what} == {}


def test_hostile_words_stay_words(site: dict[str, str], opened: Opened) -> None:
    page = opened(site["at-a-comment"])

    expect(page.get_by_text("<img src=x onerror=alert(1)>")).to_be_visible()
    assert page.locator(".comment-text :is(img, script, a)").count() == 0
