"""Metrics of Celery tasks, by Celery's signals: duration and failures."""

from time import perf_counter
from typing import Any

from celery import Task, current_app
from celery.signals import task_postrun, task_prerun, worker_ready

from foundation.monitoring.instruments import LONG, LabelledCounter, LabelledHistogram

_seconds = LabelledHistogram("sunwi_task_seconds", "Seconds that a task of the worker took.", ["task"], LONG)
_failed = LabelledCounter("sunwi_task_failures_total", "Tasks of the worker that raised an error.", ["task"])
_started: dict[str, float] = {}


def listen() -> None:
    """Connect to the signals. Calling it twice has no effect."""
    task_prerun.connect(_note_start, dispatch_uid="watch")
    task_postrun.connect(_note_end, dispatch_uid="watch")
    worker_ready.connect(start_known, dispatch_uid="watch")


def start_known(**_: Any) -> None:
    """Let the failures of every task be told as 0 from the worker's start on."""
    for name in current_app.tasks:
        if not name.startswith("celery."):
            _failed.start(name)


def _note_start(task_id: str, **_: Any) -> None:
    _started[task_id] = perf_counter()


def _note_end(task_id: str, task: "Task[Any, Any]", state: str | None = None, **_: Any) -> None:
    started = _started.pop(task_id, None)
    if started is not None:
        _seconds.add(perf_counter() - started, task.name)
    if state == "FAILURE":
        _failed.add(task.name)
