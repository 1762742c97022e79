"""The CSV of an ended competition is kept, unless something of it is hidden yet."""

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from competitions.services.lifecycle.finish import finish
from competitions.services.lifecycle.freeze import reveal
from foundation import clock
from leaderboards.models import FinalStanding
from tests.competitions.factories import DAY, HOUR, START
from tests.competitions.site import SOON, make_board, open_competition, raced, reloaded
from tests.leaderboards.api.conftest import Caller

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def lines_and_reads(caller: Caller, path: str) -> tuple[int, int]:
    """How many players the file has, and how often final standings were read in their order for it."""
    with CaptureQueriesContext(connection) as asked:
        content = b"".join(caller.get(path))
    table = FinalStanding._meta.db_table
    reads = [each for each in asked.captured_queries if table in each["sql"] and "ORDER BY" in each["sql"]]
    return len(content.splitlines()) - 1, len(reads)


def test_what_is_hidden_is_not_kept_and_what_is_shown_is_kept(anybody: Caller) -> None:
    window = {"starts_at": START - DAY, "ends_at": START + HOUR}
    hidden = open_competition(make_board("sql"), freeze_minutes=1440, **window)
    shown = open_competition(make_board("sql"), **window)
    for each in (hidden, shown):
        raced(each, {"alice": 30, "bob": 20}, SOON - DAY)
        assert finish(each, clock.now())
    cache.clear()

    anybody.get(f"/competitions/{hidden.pk}/standings.csv")
    assert not cache.keys("files:*")  # type: ignore[attr-defined]  # django-redis adds it

    path = f"/competitions/{shown.pk}/standings.csv"
    assert [lines_and_reads(anybody, path) for _ in range(2)] == [(2, 1), (2, 0)]
    reveal(reloaded(hidden), clock.now(), None)
    path = f"/competitions/{hidden.pk}/standings.csv"
    assert [lines_and_reads(anybody, path) for _ in range(2)] == [(2, 1), (2, 0)]
