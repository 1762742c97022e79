"""Fixtures of the soak: its seed, which the head of the run shows (tests/servers.py)."""

import os

import pytest


@pytest.fixture
def seed() -> int:
    return int(os.environ["FAULT_SEED"])
