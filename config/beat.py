"""The application of beat, which only says when things are due: `celery -A config.beat beat`.

It sends tasks by their names and loads none of them, so that it has half the memory of a process that could run them.
"""

from celery import Celery
from django.conf import settings
from django.utils.log import configure_logging

app = Celery("sunwi-beat", fixups=[])
app.config_from_object("django.conf:settings", namespace="CELERY")

configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)  # as Django does where it is set up
