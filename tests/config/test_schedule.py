"""The schedule: every entry is a task, and what others wait for is done first where a worker is behind."""

import pytest
from celery import current_app
from kombu import Connection

from config.celery import app
from config.components import redis_urls
from config.schedule import SCHEDULE
from foundation.worker import due
from foundation.worker.urgent import URGENT
from tests.faults.servers import RedisServer

THREADS = 4
BUSY = 4.0  # seconds that a run takes where there is much to do
IDLE = 0.005
FIRST = [name for name, entry in SCHEDULE.items() if entry["options"] == URGENT]


def longest_pauses(seconds: int) -> dict[str, float]:
    """Between two runs of each entry, where four threads take what waits as the broker gives it out, and every entry
    that does not go first has much to do. What has expired is passed over."""
    free, waiting = [0.0] * THREADS, list[tuple[int, float, str]]()
    last, found = dict.fromkeys(SCHEDULE, 0.0), dict.fromkeys(SCHEDULE, 0.0)
    for second in range(seconds):
        for name, entry in SCHEDULE.items():
            if second % entry["schedule"] == 0:
                waiting.append((entry["options"]["priority"], float(second), name))
        waiting.sort()
        while waiting and min(free) <= second:
            thread = free.index(min(free))
            _, since, name = waiting.pop(0)
            at = max(free[thread], since)
            if since + SCHEDULE[name]["options"]["expires"] >= at:
                free[thread] = at + (IDLE if name in FIRST else BUSY)
                found[name], last[name] = max(found[name], at - last[name]), at
    return {name: max(found[name], seconds - last[name]) for name in SCHEDULE}


def test_every_entry_names_a_task() -> None:
    current_app.loader.import_default_modules()

    assert {entry["task"] for entry in SCHEDULE.values()} <= set(current_app.tasks)


@pytest.mark.parametrize("name", FIRST)
def test_what_goes_first_waits_for_one_free_thread_and_no_longer(name: str) -> None:
    assert longest_pauses(600)[name] <= SCHEDULE[name]["schedule"] + BUSY + 1


def test_each_second_somebody_looks_and_what_may_be_due_comes_by_itself_too() -> None:
    spoken_for = {task for tasks in due._checks.values() for task in tasks}
    by_themselves = {entry["task"] for name, entry in SCHEDULE.items() if name in FIRST and entry["schedule"] > 1}

    assert SCHEDULE["look"]["schedule"] == 1
    assert spoken_for == by_themselves


def test_no_entry_is_waiting_more_than_ten_times() -> None:
    for name, entry in SCHEDULE.items():
        assert entry["options"]["expires"] <= 10 * entry["schedule"], name
        assert name in FIRST or entry["options"]["expires"] >= entry["schedule"], name


def test_the_broker_gives_out_first_what_others_wait_for(broker: RedisServer) -> None:
    names: list[str] = []
    options = app.conf.broker_transport_options
    with Connection(redis_urls.for_broker(broker.made.url), transport_options=options) as connection:
        for name in ("reward", "verify", "mirror", "tell", "settle"):
            entry = SCHEDULE[name]
            app.send_task(entry["task"], connection=connection, **entry["options"])
        queue = app.amqp.queues[app.conf.task_default_queue](connection.default_channel)
        while (message := queue.get(no_ack=True)) is not None:
            names.append(message.headers["task"].rpartition(".")[2])

    assert names == ["mirror", "settle", "reward", "verify", "tell"]
