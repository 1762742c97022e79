"""Several actions at the same moment, each in a thread and on connections of its own."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

Answer = TypeVar("Answer")


def at_once(actions: Sequence[Callable[[], Answer]]) -> list[Answer]:
    """What each returns, in their order. They wait for each other to begin; what one raises is raised here."""
    begin = threading.Barrier(len(actions))

    def run(action: Callable[[], Answer]) -> Answer:
        try:
            begin.wait()
            return action()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(actions)) as threads:
        return list(threads.map(run, actions))
