"""What `test_killed_runs.py` starts and kills: a test that has both servers and says so. Not collected by itself."""

import os
import time
from pathlib import Path

import pytest
import redis
from django.contrib.auth.models import User


@pytest.mark.parametrize("nth", range(2))
def test_something_slow(redis_server: list[redis.Redis], transactional_db: None, nth: int) -> None:
    assert not User.objects.exists()
    Path(os.environ["SAY_READY"], str(nth)).touch()
    time.sleep(300)
