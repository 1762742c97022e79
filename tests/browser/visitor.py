"""A browser of one language, with scripts or without, that goes from page to page as whoever looks at each."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser import checks
from tests.browser.crowd.page import SitePage, session
from tests.browser.variants import Variant


@dataclass(frozen=True, slots=True)
class Site:
    """Where it is, what is called by a name on it in any language, and who keeps pictures."""

    url: str
    names: Sequence[str]
    photograph: Callable[[Page, str], None]


class Visitor:
    """Looks at pages; what is wrong with each it answers as sentences."""

    def __init__(self, context: BrowserContext, site: Site) -> None:
        self._context, self._site = context, site
        self._watcher = checks.Watcher(context, site.url)
        self._page = context.new_page()
        self._sessions: dict[str, str] = {}

    def look(self, page: SitePage, variants: Sequence[Variant]) -> dict[str, list[str]]:
        """Visits it once, and looks in each of these ways; what is wrong, by page and way."""
        self._become(page.who)
        self._page.set_viewport_size(variants[0].size)
        answer = self._page.goto(page.address)
        assert answer is not None
        wrong_status = [] if answer.status == page.status else [f"answers {answer.status}"]
        found = {f"{page.title}-{each}": self._looked(page, each) for each in variants}
        found[f"{page.title}-{variants[0]}"] += wrong_status + self._watcher.taken()
        return found

    def _become(self, who: str) -> None:
        self._context.clear_cookies()
        if not who:
            return
        if who not in self._sessions:
            self._sessions[who] = session(who)
        self._context.add_cookies([{"name": "sessionid", "value": self._sessions[who], "url": self._site.url}])

    def _looked(self, page: SitePage, variant: Variant) -> list[str]:
        self._page.set_viewport_size(variant.size)
        self._page.emulate_media(color_scheme=variant.colours)
        self._site.photograph(self._page, f"{page.title}-{variant}")
        found = checks.wrong_frame(self._page, variant.language)
        if not page.foreign:
            return found + self._wrong(variant)
        says = variant.language != "ko" or page.foreign in self._page.inner_text("body")
        return found + ([] if says else [f"does not say {page.foreign}"])

    def _wrong(self, variant: Variant) -> list[str]:
        found = checks.wrong_boxes(self._page, thumbs=variant.device == "phone")
        if variant.language == "ko":
            found += checks.english_words(self._page, self._site.names)
        if variant.axe:
            found += checks.wrong_mirrored(self._page) + checks.serious(self._page)
        return found


@contextmanager
def visitor(browser: Browser, site: Site, variant: Variant) -> Iterator[Visitor]:
    """Someone with this variant's language, with its scripts or without."""
    context = browser.new_context(
        base_url=site.url, locale=variant.language, java_script_enabled=variant.scripts, reduced_motion="reduce"
    )
    if variant.axe:
        context.add_init_script(checks.AXE_CORE)
    yield Visitor(context, site)
    context.close()
