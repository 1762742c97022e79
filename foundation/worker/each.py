"""Run work for each of several rows, or several steps, so that one failure does not stop the others."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from django.db.models import Model

from foundation.db.resilience import CONNECTION_ERRORS, is_busy
from foundation.errors import Unavailable

logger = logging.getLogger(__name__)

Row = TypeVar("Row", bound=Model)
Answer = TypeVar("Answer")


def for_each(rows: Iterable[Row], action: Callable[[Row], Answer]) -> list[Answer]:
    """Call ``action`` for each row and return the results.

    A row whose work is ``Unavailable`` or meets a busy SQL is left alone; the next run tries it again. Other errors are
    raised together at the end, as an ``ExceptionGroup``. An unavailable SQL is raised at once.
    """
    results: list[Answer] = []
    errors: list[Exception] = []
    for row in rows:
        try:
            results.append(action(row))
        except Unavailable as error:
            logger.warning("%s %s waits: %s", type(row).__name__, row.pk, error.detail)
        except CONNECTION_ERRORS as error:
            if not is_busy(error):
                raise
            logger.warning("%s %s waits: %s", type(row).__name__, row.pk, error)
        except Exception as error:
            errors.append(error)
    if errors:
        raise ExceptionGroup("some could not be done", errors)
    return results


def run_each(*steps: Callable[[], int]) -> list[int]:
    """Run all steps and return their results. Errors are raised together at the end, as an ``ExceptionGroup``."""
    results: list[int] = []
    errors: list[Exception] = []
    for step in steps:
        try:
            results.append(step())
        except Exception as error:
            errors.append(error)
    if errors:
        raise ExceptionGroup("some steps failed", errors)
    return results
