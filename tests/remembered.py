"""Reading an address until this process asks SQL for nothing."""

from typing import Any, Protocol

from django.db import connection
from django.test.utils import CaptureQueriesContext


class Reader(Protocol):
    """Whoever can ask for an address."""

    def get(self, path: str, /) -> Any: ...


def read_until_remembered(reader: Reader, path: str, times: int) -> None:
    """Read ``path`` so often; the read after that is answered without SQL."""
    for _ in range(times):
        reader.get(path)
    with CaptureQueriesContext(connection) as asked:
        assert reader.get(path).status_code == 200
    assert list(asked) == []
