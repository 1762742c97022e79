"""In how many ways a page is looked at: five for each page, so that each two of four choices meet in all ways.

Device × colours, device × language, colours × scripts and so on: every pair of values stands in one row at least. Rows
that share language and scripts share one visit of the page.
"""

from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from playwright.sync_api import ViewportSize

SIZES: dict[str, ViewportSize] = {
    "phone": ViewportSize(width=360, height=740),
    "desktop": ViewportSize(width=1280, height=900),
}


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to look; ``axe`` looks too."""

    language: Literal["en", "ko"]
    scripts: bool
    device: Literal["phone", "desktop"]
    colours: Literal["light", "dark"]
    axe: bool = False

    def __str__(self) -> str:
        scripts = [] if self.scripts else ["without-scripts"]
        return "-".join([self.device, self.colours, self.language, *scripts])

    @property
    def size(self) -> ViewportSize:
        return SIZES[self.device]

    @property
    def visit(self) -> tuple[str, bool]:
        """What takes a visit of its own; the rest can be changed on a page that stands."""
        return (self.language, self.scripts)


VARIANTS = (
    Variant("en", True, "phone", "light", axe=True),
    Variant("ko", False, "phone", "dark"),
    Variant("ko", False, "desktop", "light"),
    Variant("en", False, "desktop", "dark"),
    Variant("ko", True, "desktop", "dark", axe=True),
)
VISITS = [list(rows) for _, rows in groupby(VARIANTS, lambda each: each.visit)]
