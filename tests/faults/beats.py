"""A child that beats faster than the schedule does, and notes which of its beats came to something."""

import time

from leaderboards import tasks
from leaderboards.services import mirror as mirroring
from tests.faults.nursery import stopping
from tests.faults.writers import Notes, like_a_request


def mirror(notes: str, every: float) -> int:
    """Run the mirror's task until told to stop; returns how many beats that were."""
    book, made = Notes(notes), 0
    tried = []
    all_of_it = mirroring.mirror_all

    def noted() -> int:
        tried.append(made)
        return all_of_it()

    mirroring.mirror_all = noted
    while not stopping():
        made += 1
        with like_a_request():
            copied = tasks.mirror()
        book.write(at=time.monotonic(), tried=made in tried, copied=copied)
        time.sleep(every)
    return made
