"""A real Chromium before the real site: live server, real database, real Redis.

Looks in PATH for Chromium and skips, saying so, where there is none. Screenshots go to build/screenshots.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page
from pytest_django.live_server_helper import LiveServer

from tests.playing import make_board

SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
NAMES = ("chromium", "chromium-browser", "google-chrome")

PHONE = {"width": 390, "height": 844}
SMALL_PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1280, "height": 900}

# Once started, Playwright keeps an event loop in this thread until pytest ends, and Django refuses SQL beside one.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

Opened = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    binary = next(filter(None, map(shutil.which, NAMES)), None)
    if binary is None:
        pytest.skip(f"There is no Chromium in PATH (looked for {', '.join(NAMES)}): install one, e.g. apt chromium.")
    # Chromium's sandbox does not start as root, nor its shared memory in small containers.
    arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.getuid() == 0 else [])]
    return {**browser_type_launch_args, "executable_path": binary, "args": arguments}


def is_complaint(message: ConsoleMessage) -> bool:
    """Errors of scripts and of the content policy; that a page or an answer is missing is what some tests want."""
    return message.type == "error" and not message.text.startswith("Failed to load resource")


@pytest.fixture
def opened(browser: Browser, live_server: LiveServer) -> Iterator[Opened]:
    """Opens an address of the site in a browser of its own; errors on the page's console fail the test."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(path: str, **options: Any) -> Page:
        context = browser.new_context(base_url=live_server.url, **{"viewport": PHONE, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if is_complaint(message) else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def photograph(request: pytest.FixtureRequest) -> Callable[[Page, str], None]:
    """Keeps a picture of the page for people to look at."""

    def keep(page: Page, name: str) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"{re.sub(r'[^a-z0-9-]+', '-', name.lower())}.png")

    return keep


@pytest.fixture
def weekly(live_server: LiveServer) -> int:
    """A weekly board of points that add up; live_server brings a database that other threads see."""
    return make_board(name="Weekly wins", update="increment")
