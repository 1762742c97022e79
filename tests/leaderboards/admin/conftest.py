"""An administrator with a browser of their own."""

import pytest
from django.test import Client

from tests.links import links
from tests.staff import chief, staff

__all__ = ["admin", "links", "stranger"]


@pytest.fixture
def admin(db: None) -> Client:
    return chief()


@pytest.fixture
def stranger(db: None) -> Client:
    """Signed in, staff, and allowed nothing."""
    return staff(name="stranger")
