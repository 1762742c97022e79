"""Celery's application. The settings are `CELERY_*` in settings.py, the schedule is schedule.py."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("sunwi")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
