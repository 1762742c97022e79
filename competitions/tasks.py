"""What the clock pulls: each step is a service. When they run is in ``config/schedule.py``.

A step that fails does not keep the others waiting, and is not forgotten: the task fails when all have run.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from celery import shared_task

from competitions.services.finish import finish_due
from competitions.services.freeze import freeze_due
from competitions.services.league_turn import turn_due
from competitions.services.leagues import begin_due, place_due
from competitions.services.mail import send_due
from competitions.services.notices import release_held
from competitions.services.notify import compare_due
from competitions.services.outcomes import tell_results
from competitions.services.retain import retain_due
from competitions.services.revise import revise_due
from competitions.services.reward import follow_due, grant_due
from competitions.services.series import score_due
from competitions.services.snapshot import take_due
from competitions.services.strays import take_out_due
from competitions.services.tell_let_in import tell_let_in
from competitions.services.tell_rewards import tell_rewards
from foundation import clock
from foundation.each import run_each


@shared_task
def advance() -> None:
    """Freeze what is due, take out who is gone, keep the standings, tell who passed whom, and end what has ended.

    Final results that have changed are published last.
    """
    _run(freeze_due, take_out_due, take_due, compare_due, finish_due, revise_due)


@shared_task
def tell() -> None:
    """Let go of what was held through the night, and send e-mails."""
    _run(release_held, send_due)


@shared_task
def reward() -> None:
    """Grant what final rankings earn, let it follow later revisions, and tell players their places and rewards."""
    _run(grant_due, follow_due, tell_let_in, tell_results, tell_rewards)


@shared_task
def score_series() -> None:
    """Count what series have not counted, and write their totals."""
    _run(score_due)


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
    return step(clock.agreed())
