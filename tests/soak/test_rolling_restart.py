"""Rolling restarts as docs/operations describes them: not one request fails while everything is restarted, with the
same code, with the next release's, and back with that of the release before.
"""

import sys
from pathlib import Path

import pytest

from tests.faults.processes import ROOT
from tests.soak.deployment import Deployment
from tests.soak.release_before import checkout
from tests.soak.run import Run, check_stores

pytestmark = [pytest.mark.long, pytest.mark.alone]


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def nothing_failed(run: Run) -> None:
    """No request at all, and every score that was acknowledged counts once."""
    for line in run.record.figures(run.began):
        say(line)
    assert not run.record.failed(), run.told(run.record.failed()[:5])
    check_stores(run.site.world)


def test_no_request_fails_while_web_worker_and_beat_are_restarted_one_after_the_other(seed: int) -> None:
    with Deployment() as site:
        run = Run(site, seed, say)
        run.begin()
        before = {pid for each in site.web for pid in each.pids()}

        site.restart_worker()
        site.restart_web()
        run.wait_until_answered()

        run.end()
        assert not before & {pid for each in site.web for pid in each.pids()}
        nothing_failed(run)


def test_no_request_fails_while_a_release_is_rolled_out_beside_the_one_before_and_taken_back(
    seed: int, tmp_path: Path
) -> None:
    """Old web processes with a new worker, old and new ones side by side, all of the new release; and the way back."""
    before = checkout(tmp_path)
    with Deployment(before) as site:
        run = Run(site, seed, say)
        run.begin()

        site.restart_worker(ROOT)
        run.wait_until_answered()
        site.restart_web(ROOT)
        run.wait_until_answered()
        site.restart_web(before)
        run.wait_until_answered()
        site.restart_worker(before)
        run.wait_until_answered()

        run.end()
        nothing_failed(run)
