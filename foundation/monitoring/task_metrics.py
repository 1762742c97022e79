"""How long tasks take, and which fail. Celery tells by its signals."""

from time import perf_counter
from typing import Any

from celery import Task
from celery.signals import task_postrun, task_prerun

from foundation.monitoring.instruments import LONG, LabelledCounter, LabelledHistogram

_seconds = LabelledHistogram("sunwi_task_seconds", "Seconds that a task of the worker took.", ["task"], LONG)
_failed = LabelledCounter("sunwi_task_failures_total", "Tasks of the worker that raised an error.", ["task"])
_begun: dict[str, float] = {}


def listen() -> None:
    """Count from now on. Asking twice changes nothing."""
    task_prerun.connect(_begins, dispatch_uid="watch")
    task_postrun.connect(_ends, dispatch_uid="watch")


def _begins(task_id: str, **_: Any) -> None:
    _begun[task_id] = perf_counter()


def _ends(task_id: str, task: "Task[Any, Any]", state: str | None = None, **_: Any) -> None:
    begun = _begun.pop(task_id, None)
    if begun is not None:
        _seconds.add(perf_counter() - begun, task.name)
    if state == "FAILURE":
        _failed.add(task.name)
