"""What the schedule asks for: every step in its turn, each at the time that it is by then."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from competitions import tasks

START = datetime(2026, 11, 20, 12, tzinfo=UTC)
STEPS = {
    "advance": ["freeze_due", "take_out_due", "take_due", "compare_due", "finish_due"],
    "tell": ["release_held", "send_due"],
    "reward": ["grant_due"],
    "retain": ["retain_due"],
}


@pytest.mark.parametrize("task", STEPS)
def test_steps_run_in_order_at_the_time_of_their_turns_and_none_that_fails_keeps_others_waiting(
    monkeypatch: pytest.MonkeyPatch, task: str
) -> None:
    journal: list[tuple[str, datetime]] = []

    def fails(name: str, at: datetime) -> int:
        journal.append((name, at))
        raise ValueError(name)

    monkeypatch.setattr("foundation.clock.agreed", lambda: START + timedelta(seconds=len(journal)))
    for name in STEPS[task]:
        monkeypatch.setattr(tasks, name, partial(fails, name))

    with pytest.raises(ExceptionGroup) as failed:
        getattr(tasks, task)()

    assert [str(each) for each in failed.value.exceptions] == STEPS[task]
    assert journal == [(name, START + timedelta(seconds=nth)) for nth, name in enumerate(STEPS[task])]
