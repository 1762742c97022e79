"""What follows a result follows what was published, whoever is banned or erased while it is worked out."""

from datetime import timedelta
from unittest.mock import patch

import pytest

from competitions.models import Competition, Notice, RewardGrant, SeriesResult
from competitions.services.lifecycle.finish import finish_due
from competitions.services.notices.result_notices import notify_results
from competitions.services.results.revisions import publish_due_revisions
from competitions.services.series.count_results import count_due_series
from leaderboards.models import Player
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.players import erase_hooks
from leaderboards.services.players.erase import erase_player
from tests.competitions.factories import END, MINUTE, SeriesFactory
from tests.competitions.published import places, revisions
from tests.competitions.services.telling import wants
from tests.competitions.services.winning import granted, settle, tier
from tests.competitions.site import STORAGES, make_board, race, reloaded

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

OVER, SECOND = END + MINUTE, timedelta(seconds=1)


def final(storage: str = "hybrid", **settings: object) -> Competition:
    """Ann won, with gold for the first two; it counts in a series, and nobody has been rewarded or told yet."""
    competition = race({"ann": 9, "bob": 7, "cleo": 5}, make_board(storage), **settings)
    for name in ("ann", "bob", "cleo"):
        wants(name, quiet_from=0, quiet_until=0)
    tier(competition, limit=2)
    SeriesFactory.create(competitions=[competition])
    assert finish_due(OVER) == 1
    return reloaded(competition)


def ban(name: str, *, banned: bool) -> None:
    Player.objects.filter(external_id=name).update(banned_at=OVER if banned else None)
    clear_hidden_cache()


def follow(seconds: int) -> None:
    """What the schedule does for whatever follows a result."""
    at = OVER + seconds * SECOND
    settle(at)
    notify_results(at)
    count_due_series(at)


def counted() -> list[tuple[int, str]]:
    return list(SeriesResult.objects.order_by("place").values_list("place", "player__external_id"))


def told() -> list[tuple[int | None, str]]:
    return list(Notice.objects.filter(kind="result").order_by("rank").values_list("rank", "player__external_id"))


@pytest.mark.parametrize("storage", STORAGES)
def test_a_ban_of_seconds_leaves_rewards_notices_and_series_as_the_result_was_published(storage: str) -> None:
    competition = final(storage)
    ban("ann", banned=True)

    follow(2)
    ban("ann", banned=False)
    for seconds in (3, 30, 60):
        publish_due_revisions(OVER + seconds * SECOND)
        follow(seconds)

    [revision] = revisions(competition)
    assert places(revision) == counted() == told() == [(1, "ann"), (2, "bob"), (3, "cleo")]
    assert granted() == [("Gold", "ann", 1), ("Gold", "bob", 2)]
    assert RewardGrant.objects.count() == 2


def test_an_erasure_while_they_are_worked_out_leaves_them_as_the_result_was_published() -> None:
    competition = final()

    hooks = [lambda _player, _at: clear_hidden_cache(), lambda _player, _at: follow(1)]
    with patch.object(erase_hooks, "hooks_before", hooks):
        number = erase_player("ann", OVER + SECOND).player
    for seconds in (3, 60):
        publish_due_revisions(OVER + seconds * SECOND)
        follow(seconds)

    [revision] = revisions(competition)
    assert places(revision) == counted() == [(1, number), (2, "bob"), (3, "cleo")]
    assert granted() == [("Gold", number, 1), ("Gold", "bob", 2)]
    assert told() == [(2, "bob"), (3, "cleo")]
    assert RewardGrant.objects.count() == 2


@pytest.mark.parametrize(("vacated", "ranks"), [("close_up", (1, 2)), ("stay_empty", (2, 3))])
def test_who_was_left_out_and_is_let_in_again_counts_once_that_is_published(
    vacated: str, ranks: tuple[int, int]
) -> None:
    competition = final(vacated_places=vacated)
    ban("ann", banned=True)
    publish_due_revisions(OVER + MINUTE)
    ban("ann", banned=False)

    follow(61)

    first, second = ranks
    assert places(revisions(competition)[-1]) == counted() == told() == [(first, "bob"), (second, "cleo")]
    assert granted() == [("Gold", name, rank) for name, rank in (("bob", first), ("cleo", second)) if rank <= 2]
    publish_due_revisions(OVER + 2 * MINUTE)
    follow(121)
    assert counted() == [(1, "ann"), (2, "bob"), (3, "cleo")]
    assert granted() == [("Gold", "ann", 1), ("Gold", "bob", 2)]


def test_an_erasure_gives_who_was_banned_before_neither_place_nor_prize() -> None:
    competition = final()
    ban("ann", banned=True)
    publish_due_revisions(OVER + MINUTE)
    follow(61)

    erase_player("ann", OVER + 2 * MINUTE)
    clear_hidden_cache()
    publish_due_revisions(OVER + 3 * MINUTE)
    follow(181)

    assert places(revisions(competition)[-1]) == counted() == [(1, "bob"), (2, "cleo")]
    assert granted() == [("Gold", "bob", 1), ("Gold", "cleo", 2)]
