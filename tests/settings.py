"""The project's settings for programs that only read them, as mypy's plugin does.

Tests themselves run on config.settings, with the servers that tests/servers.py starts.
"""

import os

os.environ.setdefault("SECRET_KEY", "only-for-reading-settings-never-for-serving")

from config.settings import *  # noqa: F403 - it takes all settings and changes some
