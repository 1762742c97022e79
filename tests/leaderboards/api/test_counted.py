"""What boards count and tell at /metrics: submissions, companies, kept rows, closings, and what is late."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import Client

from foundation import clock
from foundation.monitoring import instruments as counts
from foundation.monitoring import readings
from foundation.redis import client as redis
from leaderboards.models import Period, PeriodHistogram
from leaderboards.selectors.rankings.encoded_pages import clear_encoded_cache
from leaderboards.services.periods.close import close_period
from leaderboards.stores.redis.publish import Publisher, announced_at, new_token
from leaderboards.tasks import mirror
from tests.foundation.monitoring.scraped import Samples, scrape, value
from tests.leaderboards.api.conftest import Caller, Make
from tests.leaderboards.api.test_encoded import known_board


@pytest.fixture(autouse=True)
def _read_anew() -> Iterator[None]:
    readings.forget()
    yield
    readings.forget()


def more(before: Samples, after: Samples, name: str, **labels: str) -> float:
    return value(after, name, **labels) - value(before, name, **labels)


def test_entries_are_counted_by_board_and_outcome_and_a_board_that_is_none_is_no_label(
    make_board: Make, game: Caller, client: Client
) -> None:
    board, before = make_board(storage="redis"), scrape(client)
    entry = {"board": board, "player": "alice", "points": 5, "id": "a"}

    game.submit(entry)
    game.submit(entry)
    game.submit(entry | {"id": "b"}, entry | {"id": "c", "points": 9}, {"board": 987654, "player": "bob", "points": 1})
    game.submit(entry | {"id": "d", "points": 99}, query="?dry_run=true")

    after, name = scrape(client), "sunwi_submissions_total"
    told = {
        outcome: more(before, after, name, board=str(board), outcome=outcome)
        for outcome in ("updated", "unchanged", "duplicate", "rejected")
    }
    assert told == {"updated": 2, "unchanged": 1, "duplicate": 1, "rejected": 0}
    assert more(before, after, name, board="none", outcome="rejected") == 1
    assert more(before, after, "sunwi_refusals_total", code="unknown_board") == 1
    assert not [labels for _, labels in after if ("board", "987654") in labels]
    assert (
        more(before, after, "sunwi_group_commit_batch_size_count") == 2
    )  # alone, twice; three boards at once are no company


def test_beyond_the_bound_labels_are_other() -> None:
    few = counts.LabelledCounter("test_few_total", "Two of them.", ["which"], most=2)
    for which in ("a", "b", "c", "d", "a"):
        few.add(which)

    samples = [sample for each in counts.own_families() if each.name == "test_few" for sample in each.samples]
    told = {sample.labels["which"]: sample.value for sample in samples}

    assert {name: told[name] for name in ("a", "b", "other")} == {"a": 2, "b": 1, "other": 2}
    assert "c" not in told


@pytest.mark.django_db(transaction=True)
def test_rows_that_a_process_has_are_told_from_those_that_are_read(
    anybody: Caller, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: moment)  # what is remembered for a second stays remembered
    number = known_board(anybody)
    clear_encoded_cache()
    before = scrape(client)

    for _ in range(3):
        anybody.get(f"/boards/{number}/standings")

    after, name = scrape(client), "sunwi_page_reads_total"
    assert (more(before, after, name, rows="read"), more(before, after, name, rows="cached")) == (1, 2)


def test_what_is_late_is_told_in_seconds_and_rows(make_board: Make, game: Caller, client: Client) -> None:
    burst, hybrid = make_board(storage="redis"), make_board(name="Other", storage="hybrid")
    game.score(burst, alice=5, bob=6)
    at = clock.now()
    period = Period.objects.get(board=hybrid, starts_at__lte=at, ends_at__gt=at)
    Publisher(redis.boards()).announce(period, ["ann"], new_token())
    waiting = scrape(client)
    mirror()
    Publisher(redis.boards()).publish(period, {})
    Period.objects.filter(pk=period.pk).update(stale_since=at - timedelta(minutes=2))
    readings.forget()
    mirrored = scrape(client)

    assert value(waiting, "sunwi_mirror_lag_standings") == 2
    assert value(waiting, "sunwi_mirror_lag_seconds") == -1
    assert value(waiting, "sunwi_inflight") == 1
    assert 0 <= value(waiting, "sunwi_inflight_seconds") < 60
    assert value(waiting, "sunwi_stale", part="periods") == 0
    assert value(mirrored, "sunwi_mirror_lag_standings") == 0
    assert 0 <= value(mirrored, "sunwi_mirror_lag_seconds") < 60
    assert value(mirrored, "sunwi_stale", part="periods") == 1
    assert value(mirrored, "sunwi_stale_seconds", part="periods") >= 120


def test_an_announcement_of_an_older_release_has_no_age() -> None:
    assert announced_at("AbCdEf12-_3z".ljust(65, ".")) is None
    assert announced_at(new_token()) is not None


def test_a_period_that_should_be_closed_is_told_until_it_is(make_board: Make, client: Client) -> None:
    board, at = make_board(), clock.now()
    ended, made = at - timedelta(hours=1), at - timedelta(days=1)
    Period.objects.filter(board=board, starts_at__lte=at).update(ends_at=ended, created_at=made)
    before = scrape(client)

    close_period(Period.objects.get(board=board, ends_at=ended), at)

    readings.forget()
    after = scrape(client)
    assert [value(each, "sunwi_periods_to_close") for each in (before, after)] == [1, 0]
    assert value(before, "sunwi_close_late_seconds") >= 3600 - 60  # its minute of grace
    assert more(before, after, "sunwi_close_seconds_count") == 1


def test_the_age_of_the_oldest_histogram_is_told(make_board: Make, client: Client) -> None:
    at = clock.now()
    none = scrape(client)
    for age in (30, 200):
        board = make_board(f"Board {age}")
        period = Period.objects.get(board=board, starts_at__lte=at, ends_at__gt=at)
        taken_at = at - timedelta(seconds=age)
        PeriodHistogram.objects.create(period=period, tried_at=taken_at, taken_at=taken_at, took_ms=3, content=b"")
    readings.forget()

    some = scrape(client)

    assert value(none, "sunwi_percentiles_age_seconds") == 0
    assert 200 <= value(some, "sunwi_percentiles_age_seconds") < 260
