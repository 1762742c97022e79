"""The application of beat, which only says when things are due: `python -m config.run_celery -A config.beat beat`.

It sends tasks by their names and loads none of them, so that it has half the memory of a process that could run them.
"""

from logging.config import dictConfig

from celery import Celery
from django.conf import settings

app = Celery("sunwi-beat", fixups=[])
app.config_from_object("django.conf:settings", namespace="CELERY")

dictConfig(settings.LOGGING)  # without Django's own loggers, whose handlers load models and views
