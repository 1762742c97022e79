"""The project: settings, addresses, schedule. It imports everything and is imported by nobody.

Celery's application is named here so that `celery -A config` and `shared_task` find the same one.
"""

from config.celery import app as celery_app

__all__ = ["celery_app"]
