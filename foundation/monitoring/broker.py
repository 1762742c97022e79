"""How many tasks wait in the queue of Celery's broker."""

from collections.abc import Iterator
from typing import Any

from celery import current_app

from foundation.errors import Unavailable
from foundation.monitoring.readings import Reading

TIMEOUT = 0.25  # seconds


class BrokerAway(Unavailable):
    """The broker does not answer, or its queue cannot be measured."""

    code = "broker_away"


def queue_length() -> int:
    """Ask how many tasks wait. Raises ``BrokerAway``."""
    timeouts = {"socket_connect_timeout": TIMEOUT, "socket_timeout": TIMEOUT, "max_retries": 0}
    options: dict[str, Any] = {**current_app.conf.broker_transport_options, **timeouts}
    try:
        with current_app.connection_for_read(transport_options=options) as broker:
            channel: Any = broker.transport.create_channel(broker.transport.establish_connection())
            return int(channel._size(current_app.conf.task_default_queue))
    except Exception as error:  # each broker's driver raises its own errors
        raise BrokerAway(f"The broker's queue cannot be measured ({type(error).__name__}).") from error


def read_queue() -> Iterator[Reading]:
    """Read the length of the queue."""
    yield Reading("sunwi_broker_queue_length", "Tasks that wait in the broker's queue.", queue_length())
