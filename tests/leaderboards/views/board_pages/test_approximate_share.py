"""A viewer whose rank SQL cannot count in time reads which best part of the players they are in, and since when."""

from datetime import timedelta

import pytest
from django.test import Client
from pytest_django import Settings

from foundation import clock
from leaderboards.models import PeriodHistogram
from leaderboards.selectors.rankings import store_routing
from leaderboards.selectors.rankings.histograms import clear_histogram_cache
from leaderboards.services.periods.histograms import take_due_histograms
from leaderboards.stores.sql import reads
from leaderboards.views.board_pages import shared_page
from leaderboards.views.http import micro_cache
from tests.leaderboards.api.conftest import take_redis_away
from tests.leaderboards.views.pages import make_full_board, signed_in, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def board(settings: Settings) -> int:
    """A hundred and twenty players, who are many; their histogram is 45 s old."""
    board, settings.HISTOGRAM_PLAYERS = make_full_board(ties="shared"), 100
    take_due_histograms(clock.now(), 20)
    PeriodHistogram.objects.update(taken_at=clock.now() - timedelta(seconds=45))
    clear_histogram_cache()
    return board


def without_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    take_redis_away(monkeypatch)
    monkeypatch.setattr(store_routing, "PATIENCE_MS", 300)
    monkeypatch.setattr(reads._View, "_count_shared_ranks", lambda *_: {})
    micro_cache.forget()
    shared_page.forget()


@pytest.mark.parametrize(
    ("language", "known", "unknown"),
    [("en", "of 120, ahead of 98.3 %", "of 120, top 2.5 %, 40 s ago"), ("ko", "98.3%보다 앞", "상위 2.5%, 40초 전")],
)
def test_a_card_without_a_rank_says_the_best_part(
    client: Client, board: int, monkeypatch: pytest.MonkeyPatch, language: str, known: str, unknown: str
) -> None:
    viewer = signed_in(client, "viewer", "p002")
    ranked = text(viewer.get(f"/boards/{board}/", headers={"Accept-Language": language}))

    without_ranks(monkeypatch)
    unranked = text(viewer.get(f"/boards/{board}/", headers={"Accept-Language": language}))

    assert known in ranked
    assert unknown not in ranked
    assert unknown in unranked
    assert known not in unranked


def test_without_a_histogram_a_card_without_a_rank_says_nothing_more(
    client: Client, board: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    PeriodHistogram.objects.all().delete()
    clear_histogram_cache()
    without_ranks(monkeypatch)

    shown = text(signed_in(client, "viewer", "p002").get(f"/boards/{board}/"))

    assert "of 120" in shown
    assert "top " not in shown


def test_the_live_parts_change_with_its_age(client: Client, board: int, monkeypatch: pytest.MonkeyPatch) -> None:
    without_ranks(monkeypatch)
    viewer = signed_in(client, "viewer", "p110")
    first = viewer.get(f"/boards/{board}/?fragment=1")

    PeriodHistogram.objects.update(taken_at=clock.now() - timedelta(seconds=75))
    clear_histogram_cache()
    micro_cache.forget()
    later = viewer.get(f"/boards/{board}/?fragment=1")

    assert "40 s ago" in text(first)
    assert "70 s ago" in text(later)
    assert first["ETag"] != later["ETag"]
