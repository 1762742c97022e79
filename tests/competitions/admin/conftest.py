"""An administrator and somebody who may do nothing, as the boards' tests have them."""

from tests.leaderboards.admin.conftest import admin, stranger

__all__ = ["admin", "stranger"]
