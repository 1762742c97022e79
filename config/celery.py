"""Celery's application. Its settings are in components/task_queue.py, the schedule in schedule.py.

The trap: when the broker dies, a worker tries to return its unstarted tasks over the lost connection, and kombu 5.7 may
fail at that and end the worker. So returning is switched off: beat sends every task again.
"""

import os

from celery import Celery
from kombu.transport.redis import Channel

Channel.do_restore = False

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# The checks are run when migrating (`manage.py check`); in a worker they would import every view.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("sunwi")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
