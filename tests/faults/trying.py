"""Trying again where a session was ended or a server is away, as callers do and as the worker's schedule does."""

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import OperationalError

from foundation.errors import Unavailable
from tests.faults.history import like_a_request

logger = logging.getLogger(__name__)
Done = TypeVar("Done")


def at_last(act: Callable[[], Done], seconds: float = 30.0) -> Done:
    """Act again and again until nothing that decides is away or being resynced, and no session was ended for idling.

    Who holds a period's barrier may idle for ``SQL_ALONE_SECONDS`` only; a loaded machine takes that long at times.
    """
    until = time.monotonic() + seconds
    while True:
        try:
            with like_a_request():
                return act()
        except (Unavailable, OperationalError):
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


def as_a_task(name: str, act: Callable[[], object]) -> None:
    """Act as a task of the worker does: what fails is logged, and the schedule comes again."""
    try:
        with like_a_request():
            act()
    except Exception as error:
        logger.warning("%s did not get through: %r", name, error)
