"""The worker's connection to a broker that is killed: letting go of it raises nothing that would end the worker."""

from contextlib import suppress

from kombu import Consumer, Exchange, Queue
from kombu.common import ignore_errors

from config.celery import app
from config.components import redis_urls
from tests.faults.servers import RedisServer

TASKS = Queue("tasks", Exchange("tasks"), routing_key="tasks")
ORDERS = Queue("orders", Exchange("orders", type="fanout"), auto_delete=True)


def test_a_worker_outlives_a_broker_that_is_killed_while_tasks_wait_in_it(broker: RedisServer) -> None:
    received: list[object] = []
    connection = app.connection_for_read(redis_urls.for_broker(broker.made.url))
    for queue, channel in ((TASKS, connection.default_channel), (ORDERS, connection.channel())):
        consumer = Consumer(channel, [queue], callbacks=[lambda body, message: received.append(message)])
        consumer.consume()
    connection.Producer().publish("a task", exchange=TASKS.exchange, routing_key="tasks", declare=[TASKS])
    while not received:
        connection.drain_events(timeout=5)
    with suppress(TimeoutError):
        connection.drain_events(timeout=0.1)  # asks for the next one, as a worker does all the while

    broker.kill()

    with suppress(Exception):  # as the worker does when it has noticed
        connection.collect(socket_timeout=1)
    ignore_errors(connection, connection.close)
    assert connection.connected is False
