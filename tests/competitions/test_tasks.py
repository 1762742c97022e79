"""What the schedule asks for: every step in its turn, each at the time that it is by then."""

from datetime import UTC, datetime, timedelta
from functools import partial
from types import ModuleType
from unittest.mock import Mock

import pytest

from competitions import tasks
from competitions.services.leagues import promotion as league_turn
from competitions.services.leagues import seasons as leagues
from competitions.services.lifecycle import finish, freeze
from competitions.services.lifecycle import snapshots as snapshot
from competitions.services.notices import rank_notices as notify
from competitions.services.notices import result_notices as outcomes
from competitions.services.results import revisions as revise
from competitions.services.rewards import reward
from competitions.services.series import count_results as series
from leaderboards.services.periods import close as closing
from leaderboards.services.periods import open as opening
from leaderboards.services.periods import rank_history as keeping
from leaderboards.services.periods import retention as retaining

START = datetime(2026, 11, 20, 12, tzinfo=UTC)
STEPS = {
    "advance": [
        "freeze_due",
        "remove_withdrawn_due",
        "take_due_snapshots",
        "compare_due_snapshots",
        "finish_due",
        "publish_due_revisions",
    ],
    "tell": ["remind_due", "release_deferred", "send_due"],
    "reward": ["grant_due_rewards", "settle_due_rewards", "notify_after_bans", "notify_results", "notify_rewards"],
    "score_series": ["count_due_series"],
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

    monkeypatch.setattr("foundation.clock.trusted_now", lambda: START + timedelta(seconds=len(journal)))
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
        *((opening, "open_due"), (closing, "close_due"), (keeping, "record_due_rank_history")),
        *((retaining, "expire_due"), (retaining, "drop_submissions"), (retaining, "compact_submissions")),
        *(
            (freeze, "freeze_due"),
            (snapshot, "take_due_snapshots"),
            (notify, "compare_due_snapshots"),
            (finish, "finish_due"),
        ),
        *(
            (revise, "publish_due_revisions"),
            (reward, "grant_due_rewards"),
            (reward, "settle_due_rewards"),
            (outcomes, "notify_results"),
        ),
        (series, "count_due_series"),
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
