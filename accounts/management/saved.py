"""Django's commands keep to themselves whom they save: told as it happens."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models.signals import post_save

from foundation import clock
from foundation.audit import acting


@contextmanager
def notify_on_save(command: str, notify: Callable[[User, datetime], None]) -> Iterator[None]:
    """Call ``notify`` with each account that is saved in this block, as done by the command of this name."""

    def saved(instance: User, **_: Any) -> None:
        notify(instance, clock.now())

    post_save.connect(saved, sender=User, weak=False)
    try:
        with acting(command=command):
            yield
    finally:
        post_save.disconnect(saved, sender=User)
