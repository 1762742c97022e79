"""Doing something for each of several rows, or one thing after another: none of them may keep the others waiting."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from django.db.models import Model

from foundation.db.resilience import CONNECTION_ERRORS, is_busy
from foundation.errors import Unavailable

logger = logging.getLogger(__name__)

Row = TypeVar("Row", bound=Model)
Answer = TypeVar("Answer")


def for_each(rows: Iterable[Row], deed: Callable[[Row], Answer]) -> list[Answer]:
    """What ``deed`` returns for each. What is unavailable now is left out, and tried again by the next run.

    What fails is raised when all had their turn; but without SQL nobody's turn would come to anything.
    """
    done: list[Answer] = []
    failed: list[Exception] = []
    for row in rows:
        try:
            done.append(deed(row))
        except Unavailable as error:
            logger.warning("%s %s waits: %s", type(row).__name__, row.pk, error.detail)
        except CONNECTION_ERRORS as error:
            if not is_busy(error):
                raise
            logger.warning("%s %s waits: %s", type(row).__name__, row.pk, error)
        except Exception as error:
            failed.append(error)
    if failed:
        raise ExceptionGroup("some could not be done", failed)
    return done


def run_each(*steps: Callable[[], int]) -> list[int]:
    """What each step returns. What failed is raised, all of it, when all have run."""
    done: list[int] = []
    failed: list[Exception] = []
    for step in steps:
        try:
            done.append(step())
        except Exception as error:
            failed.append(error)
    if failed:
        raise ExceptionGroup("some steps failed", failed)
    return done
