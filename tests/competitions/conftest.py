"""The links as a fresh process has them, and pages that are read anew each time."""

import pytest

from leaderboards.views.http import micro_cache
from tests.links import links

__all__ = ["links"]


@pytest.fixture(autouse=True)
def pages_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test sees each page as it is at that moment; one that is about what is kept has a fixture of this name."""
    monkeypatch.setattr(micro_cache, "is_anonymous_read", lambda _: False)
