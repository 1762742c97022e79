"""What the schedule asks for: every step in its turn, each at the time that it is by then."""

from datetime import UTC, datetime, timedelta
from functools import partial
from types import ModuleType
from unittest.mock import Mock

import pytest

from competitions import tasks
from competitions.services import (
    finish,
    freeze,
    league_turn,
    leagues,
    notify,
    outcomes,
    revise,
    reward,
    series,
    snapshot,
)
from leaderboards.services import close as closing
from leaderboards.services import keep_ranks as keeping
from leaderboards.services import open as opening
from leaderboards.services import retain as retaining

START = datetime(2026, 11, 20, 12, tzinfo=UTC)
STEPS = {
    "advance": ["freeze_due", "take_out_due", "take_due", "compare_due", "finish_due", "revise_due"],
    "tell": ["release_held", "send_due"],
    "reward": ["grant_due", "follow_due", "tell_let_in", "tell_results", "tell_rewards"],
    "score_series": ["score_due"],
    "leagues": ["begin_due", "place_due", "turn_due"],
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


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("module", "loop"),
    [
        *((opening, "open_due"), (closing, "close_due"), (keeping, "keep_due")),
        *((retaining, "expire_due"), (retaining, "drop_submissions"), (retaining, "fold_submissions")),
        *((freeze, "freeze_due"), (snapshot, "take_due"), (notify, "compare_due"), (finish, "finish_due")),
        *((revise, "revise_due"), (reward, "grant_due"), (reward, "follow_due"), (outcomes, "tell_results")),
        (series, "score_due"),
        *((leagues, "begin_due"), (leagues, "place_due"), (league_turn, "turn_due")),
    ],
    ids=lambda part: part if isinstance(part, str) else part.__name__,
)
def test_in_each_loop_over_rows_one_that_fails_keeps_no_other_waiting(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, loop: str
) -> None:
    for_each = Mock(return_value=[])
    monkeypatch.setattr(module, "for_each", for_each)

    getattr(module, loop)(START)

    for_each.assert_called_once()
