"""Celery's application. The settings are `CELERY_*` in settings.py, the schedule is schedule.py.

The trap: a worker whose broker dies gives back what it has not begun, over the connection that is lost, and kombu 5.7
may fail at that in a way that ends the worker. Nothing need be given back: beat sends every task again.
"""

import os

from celery import Celery
from kombu.transport.redis import Channel

Channel.do_restore = False

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Who migrates has made the checks (`manage.py check`), for which a worker would load every page.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("sunwi")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
