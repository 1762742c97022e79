"""Celery's application for beat, which only sends tasks: `python -m config.run_celery -A config.beat beat`.

It sends tasks by name and imports none of them, so that it needs half the memory of a worker.
"""

from logging.config import dictConfig

from celery import Celery
from django.conf import settings

app = Celery("sunwi-beat", fixups=[])
app.config_from_object("django.conf:settings", namespace="CELERY")

dictConfig(settings.LOGGING)  # without Django's default logging, whose handlers import models and views
