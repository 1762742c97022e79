"""Celery's settings, ``CELERY_…``: a task may be lost or run twice, since rows, versions and scripts decide."""

from collections.abc import Mapping
from typing import Any

from config.schedule import SCHEDULE


def celery_settings(broker_url: str, transport: Mapping[str, Any]) -> dict[str, Any]:
    """Build the settings for the broker at ``broker_url``, with more options of its transport."""
    return {
        # All three: Celery's command line takes BROKER_URL of the environment for the first, which has no password
        # from a file.
        **dict.fromkeys(("CELERY_BROKER_URL", "CELERY_BROKER_READ_URL", "CELERY_BROKER_WRITE_URL"), broker_url),
        # A worker waits for its broker without limit, also while that refuses: full, or a replica for a moment.
        "CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP": True,
        "CELERY_BROKER_CONNECTION_MAX_RETRIES": None,
        "CELERY_BROKER_CHANNEL_ERROR_RETRY": True,
        "CELERY_BROKER_TRANSPORT_OPTIONS": {
            "socket_connect_timeout": 2,
            "socket_timeout": 10,
            "queue_order_strategy": "priority",  # foundation/worker/schedule.py sets the priorities
            "ack_emulation": False,  # tasks are not given back, so the broker need not know who has them
            **transport,
        },
        "CELERY_ACCEPT_CONTENT": ["json"],
        "CELERY_TASK_SERIALIZER": "json",
        "CELERY_TASK_IGNORE_RESULT": True,
        # Ends the process of a task, so with `--pool prefork` alone; on a thread SQL's limits end a long task.
        "CELERY_TASK_TIME_LIMIT": 600,
        "CELERY_WORKER_PREFETCH_MULTIPLIER": 1,
        "CELERY_WORKER_HIJACK_ROOT_LOGGER": False,
        "CELERY_WORKER_REDIRECT_STDOUTS": False,
        "CELERY_TIMEZONE": "UTC",
        "CELERY_BEAT_SCHEDULE": SCHEDULE,
        # It keeps nothing on disk: every interval is short, and a file can break.
        "CELERY_BEAT_SCHEDULER": "config.quiet_scheduler:QuietScheduler",
    }
