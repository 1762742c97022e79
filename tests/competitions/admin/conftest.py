"""An administrator, as the boards' tests have him."""

from tests.leaderboards.admin.conftest import admin, stranger
from tests.links import links

__all__ = ["admin", "links", "stranger"]
