"""The site is searched in the browser of tests/browser."""

from tests.browser.conftest import browser_type_launch_args

__all__ = ["browser_type_launch_args"]
