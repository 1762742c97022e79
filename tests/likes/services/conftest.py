"""Kinds that Redis decides over."""

from collections.abc import Iterator

import pytest

from likes.registry import Likeable
from tests.likes.applause import applause


@pytest.fixture
def kind(links: None) -> Iterator[Likeable]:
    """Liked once."""
    with applause() as likeable:
        yield likeable


@pytest.fixture
def clap(links: None) -> Iterator[Likeable]:
    """Liked any number of times."""
    with applause(repeatable=True) as likeable:
        yield likeable
