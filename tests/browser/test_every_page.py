"""Every page of the site on phone and desktop, light and dark, in English and Korean, with and without scripts.

One site is made, and each page is looked at in five ways (variants.py says which); axe looks at two of them. All that
is wrong is told at once, and pictures of all are kept.
"""

from collections import defaultdict
from collections.abc import Callable
from itertools import combinations, product

import pytest
from playwright.sync_api import Browser, Page
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.browser.crowd import everything, names
from tests.browser.variants import VARIANTS, VISITS
from tests.browser.visitor import Site, visitor


def test_any_two_choices_meet_in_every_way() -> None:
    choices = [(each.language, each.scripts, each.device, each.colours) for each in VARIANTS]

    for first, second in combinations(range(4), 2):
        values = [{each[place] for each in choices} for place in (first, second)]
        assert {(each[first], each[second]) for each in choices} == set(product(*values))


@pytest.mark.slow
def test_every_page_is_whole_in_every_variant(
    live_server: LiveServer, browser: Browser, photograph: Callable[[Page, str], None], settings: Settings
) -> None:
    settings.ROOT_URLCONF = "tests.browser.crowd.failures"
    pages = everything()
    site = Site(live_server.url, names(), photograph)
    found: dict[str, list[str]] = defaultdict(list)

    for variants in VISITS:
        with visitor(browser, site, variants[0]) as someone:
            for page in pages:
                for where, wrong in someone.look(page, variants).items():
                    for what in wrong:
                        found[what].append(where)

    assert not found, "\n".join(f"{what}\n    on {', '.join(where)}" for what, where in sorted(found.items()))
