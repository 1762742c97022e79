"""The project's Celery application on a faster beat: where an hour passes in a second, five seconds are a long time.

For a worker and a beat of a test: `celery -A tests.flows.quick`.
"""

from config.celery import app

FASTEST_SECONDS = 0.5
TEN_TIMES = 10

app.conf.beat_schedule = {
    name: {**entry, "schedule": max(entry["schedule"] / TEN_TIMES, FASTEST_SECONDS)}
    for name, entry in app.conf.beat_schedule.items()
    if entry["schedule"] < 60
}

__all__ = ["app"]
