"""Every page of the site on phone and desktop, light and dark, in English and Korean, with and without scripts.

One site is made, and each page is looked at in five ways (visitor.py says which); axe looks at two of them, at
each page in one, and pictures of both are kept where somebody asks for them. All that is wrong is told at once.
"""

import re
from collections import defaultdict

from playwright.sync_api import Browser
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from foundation.push.keys import new_key
from tests.browser import checks
from tests.browser.conftest import SMALL_PHONE, Opened, Photograph
from tests.browser.crowd import everything, names
from tests.browser.visitor import VISITS, Site, visitor

# A page with one of everything that the checks look for.
WRONG = """() => {
    document.querySelector("#main").innerHTML = `<img src="data:,"><input class="field"><h4>나</h4><a href="#main"></a>
        <p id="same" aria-describedby="nowhere">Robin leads.</p><p id="same">UTC</p><p class="out">가</p>
        <p class="cut">가나다라마바사</p><p class="dots">가나다라마바사</p><button class="tight">가나다라</button>`;
    const style = (name, rules) => Object.assign(document.querySelector(`#main .${name}`).style, rules);
    const narrow = { width: "2rem", whiteSpace: "nowrap" };
    style("out", { width: "1000px" });
    style("cut", { ...narrow, overflow: "hidden" });
    style("dots", { ...narrow, overflow: "hidden", textOverflow: "ellipsis" });
    style("tight", { ...narrow, height: "20px" });
}"""


def test_every_page_is_whole_in_every_variant(
    live_server: LiveServer, browser: Browser, photograph: Photograph, settings: Settings
) -> None:
    settings.ROOT_URLCONF = "tests.browser.crowd.failures"
    settings.SIGN_UP, settings.PUSH_KEY = "open", new_key()
    pages = everything()
    site = Site(live_server.url, names(), photograph)
    found: dict[str, list[str]] = defaultdict(list)

    for visit, variants in enumerate(VISITS):  # the first and the last are those of axe
        with visitor(browser, site, variants[0]) as someone:
            for nth, page in enumerate(pages):
                for where, wrong in someone.look(page, variants, axe=(nth + visit) % 2 == 0).items():
                    for what in wrong:
                        found[what].append(where)

    assert not found, "\n".join(f"{what}\n    on {', '.join(where)}" for what, where in sorted(found.items()))


def test_the_checks_find_what_is_wrong(opened: Opened) -> None:
    page = opened("/accounts/login/", viewport=SMALL_PHONE, locale="ko")

    page.evaluate(WRONG)

    assert {re.sub(r"^\d+|:.*", "", each) for each in checks.wrong_boxes(page, thumbs=True)} == {
        "sticks out", "cut off", "ends in dots", "text beyond its box", " px high", "not one h1", "skips a level",
        "no label", "no name", "nothing is nowhere", "twice",
    }  # fmt: skip  # as a list of words
    assert checks.english_words(page, ["Robin"]) == ["English: Robin leads."]
    assert {each.split()[1].rstrip(":") for each in checks.serious(page)} >= {"image-alt", "label"}
    frame = [each.partition(" by ")[0] for each in checks.wrong_frame(page, "en")]
    assert frame == ["says it is in ko", "scrolls sideways"]
