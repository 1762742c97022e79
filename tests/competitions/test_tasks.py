"""What the schedule asks for: every step in its turn, each at the time that it is by then."""

from datetime import UTC, datetime, timedelta

import pytest

from competitions import tasks

START = datetime(2026, 11, 20, 12, tzinfo=UTC)
STEPS = {
    "advance": ["freeze_due", "take_out_due", "take_due", "compare_due", "finish_due"],
    "tell": ["release_held", "send_due"],
    "reward": ["grant_due"],
}


class Journal:
    """Stands for every step, and for a clock that has moved on by each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, failing: str = "") -> None:
        self.steps: list[str] = []
        self.times: list[datetime] = []
        monkeypatch.setattr("foundation.clock.now", lambda: START + timedelta(seconds=len(self.steps)))
        for name in {step for steps in STEPS.values() for step in steps}:
            monkeypatch.setattr(tasks, name, self._step(name, failing))

    def _step(self, name: str, failing: str) -> object:
        def run(at: datetime) -> int:
            self.steps.append(name)
            self.times.append(at)
            if name == failing:
                raise ValueError(name)
            return 0

        return run


@pytest.mark.parametrize("task", STEPS)
def test_a_task_runs_its_steps_in_order_each_with_the_time_of_its_turn(
    monkeypatch: pytest.MonkeyPatch, task: str
) -> None:
    journal = Journal(monkeypatch)

    getattr(tasks, task)()

    assert journal.steps == STEPS[task]
    assert journal.times == [START + timedelta(seconds=nth) for nth in range(len(journal.steps))]


def test_a_step_that_fails_keeps_no_other_waiting_and_fails_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(monkeypatch, failing="take_due")

    with pytest.raises(ExceptionGroup) as failed:
        tasks.advance()

    assert journal.steps == STEPS["advance"]
    assert [str(each) for each in failed.value.exceptions] == ["take_due"]


@pytest.mark.django_db
def test_tasks_run_with_nothing_to_do() -> None:
    for task in STEPS:
        getattr(tasks, task)()
