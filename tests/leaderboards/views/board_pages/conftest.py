"""Searches have all the time that they take: what a busy machine finds in half a second is not what is tried here."""

import pytest

from leaderboards.selectors.player_data import search


@pytest.fixture(autouse=True)
def _patient_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PATIENCE_MS", 20_000)
