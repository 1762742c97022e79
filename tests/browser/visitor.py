"""A browser of one language, with scripts or without, that looks at page after page as whoever looks at each.

Each page is looked at in five ways; rows that share language and scripts share one visit of the page.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

from playwright.sync_api import Browser, Page

from tests.browser import checks
from tests.browser.conftest import DESKTOP, SMALL_PHONE, Photograph
from tests.browser.crowd.page import SitePage, session

SIZES = {"phone": SMALL_PHONE, "desktop": DESKTOP}


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to look; ``axe`` looks too, at half of the pages."""

    language: Literal["en", "ko"]
    scripts: bool
    device: Literal["phone", "desktop"]
    colours: Literal["light", "dark"]
    axe: bool = False

    def __str__(self) -> str:
        scripts = [] if self.scripts else ["without-scripts"]
        return "-".join([self.device, self.colours, self.language, *scripts])


# Each two of the four choices meet in all ways: every pair of values stands in one row at least.
VARIANTS = (
    Variant("en", True, "phone", "light", axe=True),
    Variant("ko", False, "phone", "dark"),
    Variant("ko", False, "desktop", "light"),
    Variant("en", False, "desktop", "dark"),
    Variant("ko", True, "desktop", "dark", axe=True),
)
VISITS = [list(rows) for _, rows in groupby(VARIANTS, lambda each: (each.language, each.scripts))]


@dataclass(frozen=True, slots=True)
class Site:
    """Where it is, what is called by a name on it in any language, who keeps pictures, and who has signed in."""

    url: str
    names: Sequence[str]
    photograph: Photograph
    sessions: dict[str, str] = field(default_factory=dict)

    def session(self, who: str) -> str:
        return self.sessions.get(who) or self.sessions.setdefault(who, session(who))


@dataclass(frozen=True, slots=True)
class Visitor:
    """Looks at pages; what is wrong with each it answers as sentences."""

    tab: Page
    site: Site
    watcher: checks.Watcher

    def look(self, page: SitePage, variants: Sequence[Variant], *, axe: bool) -> dict[str, list[str]]:
        """Visits it once, and looks in each of these ways; what is wrong, by page and way. Axe only where told."""
        self.tab.goto("about:blank")  # else the page before goes on asking, without the session that it had
        self.tab.context.clear_cookies()
        if page.who:
            cookie = (page.cookie or self.site.session)(page.who)
            self.tab.context.add_cookies([{"name": "sessionid", "value": cookie, "url": self.site.url}])
        found: dict[str, list[str]] = {}
        for variant in variants:
            if len(variants) > 1:
                self.tab.set_viewport_size(SIZES[variant.device])
                self.tab.emulate_media(color_scheme=variant.colours)
            wrong = found.setdefault(f"{page.title}-{variant}", [])
            if variant is variants[0]:
                answer = self.tab.goto(page.address)
                wrong += [] if answer and answer.status == page.status else [f"answers {answer and answer.status}"]
            wrong += self._looked(page, variant, axe=axe) + self.watcher.taken()
        return found

    def _looked(self, page: SitePage, variant: Variant, *, axe: bool) -> list[str]:
        if variant.axe:
            self.site.photograph(self.tab, f"{page.title}-{variant}")
        found = checks.wrong_frame(self.tab, variant.language)
        if page.foreign:
            says = variant.language != "ko" or page.foreign in self.tab.inner_text("body")
            return found + ([] if says else [f"does not say {page.foreign}"])
        found += checks.wrong_boxes(self.tab, thumbs=variant.device == "phone")
        if variant.language == "ko":
            found += checks.english_words(self.tab, self.site.names)
        if variant.axe:
            found += checks.wrong_mirrored(self.tab) + (checks.serious(self.tab) if axe else [])
        return found


@contextmanager
def visitor(browser: Browser, site: Site, variant: Variant) -> Iterator[Visitor]:
    """Someone with this variant's language, with its scripts or without."""
    context = browser.new_context(
        base_url=site.url, locale=variant.language, java_script_enabled=variant.scripts, reduced_motion="reduce",
        viewport=SIZES[variant.device], color_scheme=variant.colours,
    )  # fmt: skip  # as a table
    yield Visitor(context.new_page(), site, checks.Watcher(context, site.url))
    context.close()
