"""The CPU of processes and of all that they started: what has ended is neither lost nor counted twice."""

import subprocess
import sys
import time
from itertools import pairwise

import pytest

from benchmarks.harness.meter import tree_seconds

ROUNDING_SECONDS = 0.05  # a child's hundredths are rounded anew when its parent gets them

# Sixteen children that each take a tenth of a second and end one after the other.
CHILDREN = """
import os, time
pids = set()
for nth in range(16):
    pid = os.fork()
    if not pid:
        while time.process_time() < 0.1:
            pass
        time.sleep(0.02 * nth)
        os._exit(0)
    pids.add(pid)
while pids:
    pids.discard(os.wait()[0])
time.sleep(60)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have no /proc")
def test_what_a_tree_has_spent_only_grows_while_its_children_end() -> None:
    parent = subprocess.Popen([sys.executable, "-c", CHILDREN])
    try:
        read, until = [tree_seconds([parent.pid])], time.monotonic() + 60
        while read[-1] < 1.5 and time.monotonic() < until:
            read.append(tree_seconds([parent.pid]))
        for _ in range(200):  # until the last has been seen to end
            read.append(tree_seconds([parent.pid]))
    finally:
        parent.kill()
        parent.wait()

    falls = [before - after for before, after in pairwise(read) if after < before]
    assert all(fall <= ROUNDING_SECONDS for fall in falls), falls
    assert read[-1] >= 1.5
