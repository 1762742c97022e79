"""What tests of imports stand on: the clock at the moment of the files."""

from collections.abc import Iterator

import pytest

from foundation import clock
from tests.leaderboards.imports.files import AT


@pytest.fixture(autouse=True)
def _noon() -> Iterator[None]:
    """The clock stands where the files are imported."""
    with clock.freeze_at(AT):
        yield
