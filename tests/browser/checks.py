"""What is wrong with a page as it stands: checks.js looks at its boxes, words.js at its words, axe at the rest.

They say what they find and raise nothing, so that one run tells of all pages at once.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, Response

CHECKS, WORDS = (Path(__file__).with_name(name).read_text("utf-8") for name in ("checks.js", "words.js"))
AXE_CORE: str = Axe().axe_script
# Answers little: what Playwright carries over costs more than the look itself.
AXE = """() => axe.run(document, { resultTypes: ["violations"], preload: false, selectors: false }).then((found) =>
    found.violations.filter((each) => ["serious", "critical"].includes(each.impact))
    .map((each) => `axe ${each.id}: ${each.nodes[0].html.slice(0, 140)}`))"""
SHORT_AND_OPEN = """() => {
    document.querySelectorAll("main details").forEach((each) => { each.open = true; });
    document.querySelectorAll("tbody tr:nth-child(n + 10):not(.is-me)").forEach((each) => each.remove());
}"""
LATIN = re.compile(r"[A-Za-z]{2,}")

# What stays Latin on a Korean page: the product, zones, and what Korean has no word of its own for.
STAY_LATIN = {
    "Sunwi",
    "UTC",
    "KST",
    "Asia",
    "Seoul",
    "English",
    "JavaScript",
    "CSV",
    "JSON",
    "SHA",
    "ID",
    "QR",
    "PIN",
    "IP",
}


def wrong_frame(page: Page, language: str) -> list[str]:
    """Whether the page says its language, and cannot be scrolled sideways."""
    said, by = page.evaluate("[document.documentElement.lang, document.documentElement.scrollWidth - innerWidth]")
    wrong = [] if said == language else [f"says it is in {said}"]
    return wrong + ([f"scrolls sideways by {by}"] if by > 0 else [])


def wrong_boxes(page: Page, thumbs: bool = False) -> list[str]:
    """What sticks out, is cut off, too small for a thumb, or says nothing to whoever listens."""
    found: list[str] = page.evaluate(CHECKS, {"thumbs": thumbs})
    return found


def wrong_mirrored(page: Page) -> list[str]:
    """The same where the language reads from right to left."""
    page.evaluate("document.documentElement.dir = 'rtl'")
    found = wrong_boxes(page)
    page.evaluate("document.documentElement.dir = 'ltr'")
    return [f"right to left: {each}" for each in found]


def english_words(page: Page, names: Sequence[str] = ()) -> list[str]:
    """Sentences of the site in which a word is Latin that should not be; ``names``, the longest first, are theirs."""
    theirs = re.compile("|".join([*map(re.escape, names), r"https?://\S+"]))
    said: dict[str, str] = {each: theirs.sub(" ", each) for each in page.evaluate(WORDS)}
    return [f"English: {each}" for each in sorted(said) if set(LATIN.findall(said[each])) - STAY_LATIN]


def serious(page: Page) -> list[str]:
    """What axe calls serious, each with its first place. All is opened that opens.

    Of a long table there stay the rows of hard names and one's own: axe would take seconds for many that are alike.
    """
    page.evaluate(AXE_CORE)
    page.evaluate(SHORT_AND_OPEN)
    found: list[str] = page.evaluate(AXE)
    return found


class Watcher:
    """Hears what a browser complains of, and sees what it asks for: other sites, and what is not there."""

    def __init__(self, context: BrowserContext, own: str) -> None:
        self._heard: list[str] = []
        self._own = own
        context.on("console", self._console)
        context.on("weberror", lambda error: self._heard.append(str(error.error)))
        context.on("request", self._request)
        context.on("response", self._response)

    def taken(self) -> list[str]:
        """All since the last time."""
        heard, self._heard = self._heard, []
        return heard

    def _console(self, message: ConsoleMessage) -> None:
        """Errors of scripts and of the content policy; that an answer is missing is told by the answer itself."""
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self._heard.append(message.text)

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self._own, "data:")):
            self._heard.append(f"asks another site: {request.url}")

    def _response(self, response: Response) -> None:
        asked_for = response.request.resource_type  # pages and scripts deal with what they are answered themselves
        if response.status >= 400 and asked_for not in ("document", "fetch"):
            self._heard.append(f"{response.status}: {response.url}")
