"""The Django project: settings, URLs, schedule. It imports the apps; no app imports it.

Celery's application is imported here, so that `celery -A config` and `shared_task` use the same one.
"""

from config.celery import app as celery_app

__all__ = ["celery_app"]
