"""What the clock pulls: each step is a service. When they run is in ``config/schedule.py``.

A step that fails does not keep the others waiting, and is not forgotten: the task fails when all have run.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from celery import shared_task

from competitions.services.leagues.promotion import turn_due
from competitions.services.leagues.seasons import begin_due, place_due
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.freeze import freeze_due
from competitions.services.lifecycle.snapshots import take_due_snapshots
from competitions.services.notices.after_ban import notify_after_bans
from competitions.services.notices.mail import send_due
from competitions.services.notices.notices import release_deferred
from competitions.services.notices.rank_notices import compare_due_snapshots
from competitions.services.notices.result_notices import notify_results
from competitions.services.notices.reward_notices import notify_rewards
from competitions.services.participants.remove_withdrawn import remove_withdrawn_due
from competitions.services.results.revisions import publish_due_revisions
from competitions.services.retain import retain_due
from competitions.services.rewards.reward import grant_due_rewards, settle_due_rewards
from competitions.services.series.count_results import count_due_series
from foundation import clock
from foundation.worker.each import run_each


@shared_task
def advance() -> None:
    """Freeze what is due, take out who is gone, keep the standings, tell who passed whom, and end what has ended.

    Final results that have changed are published last.
    """
    _run(freeze_due, remove_withdrawn_due, take_due_snapshots, compare_due_snapshots, finish_due, publish_due_revisions)


@shared_task
def tell() -> None:
    """Let go of what was held through the night, and send e-mails."""
    _run(release_deferred, send_due)


@shared_task
def reward() -> None:
    """Grant what final rankings earn, let it follow later revisions, and tell players their places and rewards."""
    _run(grant_due_rewards, settle_due_rewards, notify_after_bans, notify_results, notify_rewards)


@shared_task
def score_series() -> None:
    """Count what series have not counted, and write their totals."""
    _run(count_due_series)


@shared_task
def leagues() -> None:
    """Begin seasons of leagues, put players who have scored into groups, and move them where a period is final."""
    _run(begin_due, place_due, turn_due)


@shared_task
def retain() -> None:
    """Thin out what was told and kept of competitions long over."""
    _run(retain_due)


def _run(*steps: Callable[[datetime], int]) -> None:
    """Each step, told the time as it is by then; none if this process's clock is off."""
    run_each(*(partial(_now, step) for step in steps))


def _now(step: Callable[[datetime], int]) -> int:
    return step(clock.trusted_now())
