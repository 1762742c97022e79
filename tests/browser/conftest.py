"""A real Chromium before the real site: live server, real database, real Redis.

Looks in PATH for Chromium and skips, saying so, where there is none. With SCREENSHOTS=1 pictures go to
build/screenshots. All is for `make check` but test_walk.py, which goes through the main journeys.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.checks import Watcher
from tests.browser.crowd.page import session
from tests.playing import make_board

SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
NAMES = ("chromium", "chromium-browser", "google-chrome")

PHONE = ViewportSize(width=390, height=844)
SMALL_PHONE = ViewportSize(width=360, height=740)
DESKTOP = ViewportSize(width=1280, height=900)

# Once started, Playwright keeps an event loop in this thread until pytest ends, and Django refuses SQL beside one.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

# A busy machine takes longer than the usual five seconds to answer a page.
expect.set_options(timeout=20_000)

Opened = Callable[..., Page]
Photograph = Callable[[Page, str], None]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if item.path.name != "test_walk.py":
                item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    binary = next(filter(None, map(shutil.which, NAMES)), None)
    if binary is None:
        pytest.skip(f"There is no Chromium in PATH (looked for {', '.join(NAMES)}): install one, e.g. apt chromium.")
    # Chromium's sandbox does not start as root, nor its shared memory in small containers.
    arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.getuid() == 0 else [])]
    return {**browser_type_launch_args, "executable_path": binary, "args": arguments}


@pytest.fixture
def opened(browser: Browser, live_server: LiveServer) -> Iterator[Opened]:
    """Opens an address of the site in a context of its own, for ``who`` has signed in; what it complains of fails.

    With ``clock`` the page's time goes on only as the test says.
    """
    contexts: list[BrowserContext] = []
    watchers: list[Watcher] = []

    def open_page(path: str, who: str = "", clock: bool = False, **options: Any) -> Page:
        context = browser.new_context(base_url=live_server.url, **{"viewport": PHONE, **options})
        contexts.append(context)
        watchers.append(Watcher(context, live_server.url))
        if who:
            context.add_cookies([{"name": "sessionid", "value": session(who), "url": live_server.url}])
        page = context.new_page()
        if clock:
            page.clock.install()
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [each for watcher in watchers for each in watcher.taken()] == []


@pytest.fixture
def photograph() -> Photograph:
    """Keeps a picture of the page for people to look at, where they asked for that."""

    def keep(page: Page, name: str) -> None:
        if not os.environ.get("SCREENSHOTS"):
            return
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(full_page=True, path=SCREENSHOTS / f"{re.sub(r'[^a-z0-9-]+', '-', name.lower())}.jpg")

    return keep


@pytest.fixture
def weekly(live_server: LiveServer) -> int:
    """A weekly board of points that add up; live_server brings a database that other threads see."""
    return make_board(name="Weekly wins", update="increment")
