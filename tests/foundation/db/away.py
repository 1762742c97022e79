"""A table that can be away, for tests of what is asked of SQL."""

from collections.abc import Collection

from django.db import OperationalError


class Source:
    """A table that can be away, and counts how often it is asked."""

    def __init__(self) -> None:
        self.rows = {"a": 1}
        self.is_away = False
        self.asked = 0

    def load(self, keys: Collection[str]) -> dict[str, int]:
        self.asked += 1
        if self.is_away:
            raise OperationalError("the server closed the connection")
        return {key: self.rows[key] for key in keys if key in self.rows}
