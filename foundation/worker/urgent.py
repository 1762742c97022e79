"""Celery options of urgent tasks: first in the queue, and expired if no worker takes them within ten seconds.

The settings import this module, so it imports nothing of the project.
"""

from typing import Any

URGENT: dict[str, Any] = {"expires": 10, "priority": 0}  # with Redis as the broker 0 is the highest
