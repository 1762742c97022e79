"""An administrator with a browser of his own."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.links import links

__all__ = ["admin", "links", "stranger"]


@pytest.fixture
def admin(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("admin", password="secret"))
    return client


@pytest.fixture
def stranger(db: None) -> Client:
    """Signed in, staff, and allowed nothing."""
    client = Client()
    client.force_login(User.objects.create_user("stranger", password="secret", is_staff=True))
    return client
