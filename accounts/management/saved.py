"""Find out which account one of Django's commands saves: the commands do not return it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db.models.signals import post_save

from foundation import clock
from foundation.audit import acting
from foundation.users import User, user_model


@contextmanager
def notify_on_save(command: str, notify: Callable[[User, datetime], None]) -> Iterator[None]:
    """Call ``notify`` with each account saved in this block; the audit log names ``command`` as the actor."""

    def on_save(instance: User, **_: Any) -> None:
        notify(instance, clock.now())

    post_save.connect(on_save, sender=user_model(), weak=False)
    try:
        with acting(command=command):
            yield
    finally:
        post_save.disconnect(on_save, sender=user_model())
