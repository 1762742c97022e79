"""The freeze, and what a process remembers of before: nothing of what follows is seen by it, whoever is slow."""

from collections.abc import Callable
from unittest.mock import patch

import pytest
from django.db import transaction

from competitions.models import Competition
from competitions.selectors.standings.cached_competition import period_in_redis
from competitions.services import reader_caches as readers
from competitions.services.lifecycle import change_end, freeze
from foundation import clock
from foundation.redis import client as redis
from leaderboards.selectors.catalog.cache_versions import MAX_READ_STALENESS_SECONDS
from leaderboards.services.moderation.ban import ban
from leaderboards.stores.redis.cache_versions import block_cache_version, fetch_cache_version
from tests.at_once import at_once
from tests.competitions.remembering import IN_REDIS, PATHS, Known, SetClock, elsewhere, scored, seen, shown
from tests.competitions.site import END, HOUR, MINUTE, SOON, player, reloaded
from tests.leaderboards.api.conftest import Caller
from tests.locked import only_postgresql

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.mark.parametrize("path", PATHS)
@IN_REDIS
def test_from_the_freeze_on_no_clock_needs_to_be_told(
    anybody: Caller, known: Known, now: SetClock, storage: str, path: str
) -> None:
    """Nobody does anything but to score: what is remembered is of before."""
    cup = known(storage, path, END - HOUR - MINUTE, freeze_minutes=60)
    before = shown(anybody, cup, path)
    scored(cup, {"bob": 90, "erin": 99}, END - HOUR)

    now(END - HOUR)
    after = shown(anybody, cup, path)

    assert after == before | {"as_of": after["as_of"]}


@pytest.mark.parametrize("path", PATHS)
@IN_REDIS
def test_who_is_an_hour_slow_sees_nothing_from_behind_the_freeze(
    anybody: Caller, known: Known, storage: str, path: str
) -> None:
    """The reader's clock stands before the freeze, which others have made."""
    cup = known(storage, path, END - 2 * HOUR, freeze_minutes=60)
    before = shown(anybody, cup, path)
    with elsewhere():
        freeze.freeze_due(END - HOUR)
        scored(cup, {"bob": 90, "erin": 99}, END - HOUR + MINUTE)

    after = shown(anybody, cup, path)

    assert after == before | {"as_of": after["as_of"]}


@pytest.mark.parametrize("path", PATHS)
def test_an_end_that_is_moved_elsewhere_so_that_the_freeze_has_begun_hides_at_once(
    anybody: Caller, known: Known, path: str
) -> None:
    cup = known(path=path, freeze_minutes=60)
    before = shown(anybody, cup, path)
    with elsewhere():
        change_end.change_end(reloaded(cup), SOON + MINUTE, "Less time.", SOON, None)
        scored(cup, {"bob": 90, "erin": 99}, SOON)

    after = shown(anybody, cup, path)

    changing = {"as_of", "period"}
    assert {key: after[key] for key in after.keys() - changing} == {
        key: before[key] for key in before.keys() - changing
    }


def test_nobody_draws_an_edition_while_somebody_freezes(
    anybody: Caller, known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever freezes stops after the commit, for a while: what was remembered before it may not be used meanwhile."""
    cup = known(freeze_minutes=60)
    before = shown(anybody, cup)
    with elsewhere(), patch("leaderboards.services.sync.invalidate.drop_cache_versions"):
        change_end.change_end(reloaded(cup), SOON + MINUTE, "Less time.", SOON, None)
        scored(cup, {"bob": 90, "erin": 99}, SOON)

    for _ in range(4):
        assert shown(anybody, cup)["rows"] == before["rows"]


@only_postgresql
def test_who_reads_between_the_freeze_and_its_commit_keeps_nothing_of_what_was_before(
    anybody: Caller, known: Known
) -> None:
    cup = known(freeze_minutes=60)
    path = f"/competitions/{cup.pk}/standings"

    with transaction.atomic():
        change_end._save_end(reloaded(cup), SOON + MINUTE, "Less time.", SOON, None)
        during = [at_once([lambda: anybody.get(path)])[0].json()["live"] for _ in range(4)]
    freeze.freeze_due(SOON)
    scored(cup, {"erin": 99}, SOON)

    assert during == [True] * 4
    assert seen(anybody, cup)[0] == ["alice", "bob"]


@pytest.mark.parametrize(
    ("hide", "seconds"),
    [
        (lambda cup: freeze.freeze_if_due(cup, END - HOUR), MAX_READ_STALENESS_SECONDS),
        (lambda _: freeze.freeze_due(END - HOUR), 0),  # nobody waits for it, and many may be due at once
    ],
    ids=["on the way to a score", "by the schedule"],
)
def test_who_is_to_score_behind_a_freeze_that_redis_does_not_hear_of_waits_until_nobody_remembers(
    anybody: Caller,
    known: Known,
    monkeypatch: pytest.MonkeyPatch,
    hide: Callable[[Competition], object],
    seconds: float,
) -> None:
    cup, waited = known(freeze_minutes=60), list[float]()
    moment = clock.monotonic()
    monkeypatch.setattr("time.sleep", waited.append)
    away = redis.RedisAway("Redis is away.")
    with (
        patch.object(readers, "block_cache_version", side_effect=away),
        patch("leaderboards.services.sync.invalidate.drop_cache_versions", side_effect=away),
    ):
        hide(reloaded(cup))
    assert sum(waited) == seconds
    monkeypatch.setattr(clock, "monotonic", lambda: moment + MAX_READ_STALENESS_SECONDS)
    scored(cup, {"erin": 99}, END - HOUR + MINUTE)

    assert seen(anybody, cup)[0] == ["alice", "bob"]


def test_what_others_tell_leaves_a_shut_edition_shut(known: Known) -> None:
    """Else a reader would draw one before who hides has committed."""
    cup = known(freeze_minutes=60)
    period = period_in_redis(cup)
    block_cache_version(redis.boards(), period)

    ban([player("erin").pk], "A bot.", SOON, None)

    assert fetch_cache_version(redis.boards(), period) == ""
