"""The schedule: every entry is a task, and what others wait for is done first where a worker is behind."""

import pytest
from celery import current_app
from kombu import Connection

from config import addresses
from config.celery import app
from config.schedule import SCHEDULE
from tests.faults.servers import RedisServer

PROCESSES = 4
BUSY = 4.0  # seconds that a run takes where there is much to do
IDLE = 0.005
URGENT = [name for name, entry in SCHEDULE.items() if entry["schedule"] == 1]


def longest_pauses(seconds: int) -> dict[str, float]:
    """Between two runs of each entry, where four processes take what waits as the broker gives it out, and every entry
    that does not come each second has much to do. What has expired is passed over."""
    free, waiting = [0.0] * PROCESSES, list[tuple[int, float, str]]()
    last, found = dict.fromkeys(SCHEDULE, 0.0), dict.fromkeys(SCHEDULE, 0.0)
    for second in range(seconds):
        for name, entry in SCHEDULE.items():
            if second % entry["schedule"] == 0:
                waiting.append((entry["options"]["priority"], float(second), name))
        waiting.sort()
        while waiting and min(free) <= second:
            process = free.index(min(free))
            _, since, name = waiting.pop(0)
            at = max(free[process], since)
            if since + SCHEDULE[name]["options"]["expires"] >= at:
                free[process] = at + (IDLE if name in URGENT else BUSY)
                found[name], last[name] = max(found[name], at - last[name]), at
    return {name: max(found[name], seconds - last[name]) for name in SCHEDULE}


def test_every_entry_names_a_task() -> None:
    current_app.loader.import_default_modules()

    assert {entry["task"] for entry in SCHEDULE.values()} <= set(current_app.tasks)


@pytest.mark.parametrize("name", URGENT)
def test_what_comes_each_second_waits_for_one_free_process_and_no_longer(name: str) -> None:
    assert longest_pauses(600)[name] <= BUSY + 2


def test_no_entry_is_waiting_more_than_ten_times() -> None:
    for name, entry in SCHEDULE.items():
        assert entry["schedule"] <= entry["options"]["expires"] <= 10 * entry["schedule"], name


def test_the_broker_gives_out_first_what_comes_each_second(broker: RedisServer) -> None:
    names: list[str] = []
    options = app.conf.broker_transport_options
    with Connection(addresses.for_broker(broker.made.url), transport_options=options) as connection:
        for name in ("reward", "verify", "mirror", "tell", "settle"):
            entry = SCHEDULE[name]
            app.send_task(entry["task"], connection=connection, **entry["options"])
        queue = app.amqp.queues[app.conf.task_default_queue](connection.default_channel)
        while (message := queue.get(no_ack=True)) is not None:
            names.append(message.headers["task"].rpartition(".")[2])

    assert names == ["mirror", "settle", "reward", "verify", "tell"]
