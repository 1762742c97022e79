"""An administrator with a browser of their own."""

import pytest
from django.test import Client

from tests.leaderboards.factories import AdminFactory, UserFactory
from tests.links import links

__all__ = ["admin", "links", "stranger"]


@pytest.fixture
def admin(db: None) -> Client:
    client = Client()
    client.force_login(AdminFactory.create())
    return client


@pytest.fixture
def stranger(db: None) -> Client:
    """Signed in, staff, and allowed nothing."""
    client = Client()
    client.force_login(UserFactory.create(username="stranger", is_staff=True))
    return client
