"""Who tests of accounts are about, and no brakes that an earlier test pulled."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from foundation.throttling import rate_limit
from tests.accounts.people import PASSWORD
from tests.leaderboards.factories import UserFactory


@pytest.fixture(autouse=True)
def _no_brakes_of_others() -> Any:
    rate_limit.reset()
    yield
    rate_limit.reset()


@pytest.fixture
def robin() -> User:
    robin: User = UserFactory.create(username="robin", password=PASSWORD)
    return robin
