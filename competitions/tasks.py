"""Celery tasks of competitions; each step is a service. ``foundation/worker/schedule.py`` says when they run.

If a step fails, the others still run, and the task fails at the end.
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
from competitions.services.notices.push import send_due_push
from competitions.services.notices.rank_notices import compare_due_snapshots
from competitions.services.notices.reminders import remind_due
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
    """Freeze, remove withdrawn players, take and compare snapshots, and finish competitions, as they are due.

    Final results that have changed are published last.
    """
    _run(freeze_due, remove_withdrawn_due, take_due_snapshots, compare_due_snapshots, finish_due, publish_due_revisions)


@shared_task
def tell() -> None:
    """Remind players of starts, release notices that were deferred through quiet hours, and send e-mails."""
    _run(remind_due, release_deferred, send_due)


@shared_task
def push() -> None:
    """Send notices to the browsers of players."""
    _run(send_due_push)


@shared_task
def reward() -> None:
    """Grant rewards, adjust them to later revisions, and notify players of places and rewards."""
    _run(grant_due_rewards, settle_due_rewards, notify_after_bans, notify_results, notify_rewards)


@shared_task
def score_series() -> None:
    """Count the results of series, and write their totals."""
    _run(count_due_series)


@shared_task
def leagues() -> None:
    """Begin league seasons, place players into groups, and promote and demote them once a period is final."""
    _run(begin_due, place_due, turn_due)


@shared_task
def retain() -> None:
    """Delete old notices, snapshots and records of competitions that ended long ago."""
    _run(retain_due)


def _run(*steps: Callable[[datetime], int]) -> None:
    """Run each step with the time at its start; none if this server's clock is not trusted."""
    run_each(*(partial(_now, step) for step in steps))


def _now(step: Callable[[datetime], int]) -> int:
    return step(clock.trusted_now())
