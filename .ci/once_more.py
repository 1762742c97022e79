"""Run once more, each by itself, the few long tests that failed beside others: what fails again fails the run.

Long tests wait for servers, browsers and processes within limits of time, two or three of them at once; on a machine
that stands still for a moment one is too late by chance. A fault of ours fails alone too. All names are printed, since
a test that often passes only alone has a race or a limit that is too tight. More than ``MOST`` are no chance.

Usage: python .ci/once_more.py, in the folder and environment of the run before.
"""

import json
import subprocess
import sys
from pathlib import Path

FAILED = Path(".pytest_cache/v/cache/lastfailed")
MOST = 8


def main() -> int:
    """Return the status of the second run: 0 if all passed; 1 where there were too many, or none is known."""
    names = sorted(json.loads(FAILED.read_text("utf-8"))) if FAILED.exists() else []
    if not 0 < len(names) <= MOST:
        print(f"{len(names)} failed: none is run once more (1 to {MOST} would be)", flush=True)
        return 1
    print("\nFAILED BESIDE OTHERS, now each by itself:", *names, sep="\n  ", flush=True)
    command = [sys.executable, "-m", "pytest", "-q", "--hypothesis-profile=whole", *names]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
