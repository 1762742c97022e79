"""A player's percentile by the API: from the histogram of many players, or exactly; never to who may not read it."""

from datetime import datetime, timedelta

import pytest
from pytest_django import Settings

from foundation import clock
from leaderboards.models import Period, PeriodHistogram
from leaderboards.selectors.rankings.histograms import clear_histogram_cache
from leaderboards.services.periods.histograms import take_due_histograms
from leaderboards.stores.sql import reads
from tests.leaderboards.api.conftest import (
    Caller,
    Make,
    problem,
    take_redis_away,
    with_key,
    wrong_parameter,
)
from tests.links import links
from tests.remembered import read_until_remembered

__all__ = ["links"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

KEYS = {"player", "top", "percentile", "error", "exact", "total", "board", "period", "as_of", "live"}


def take(settings: Settings) -> datetime:
    """Nine players are many now; when their histogram was taken."""
    settings.HISTOGRAM_PLAYERS = 9
    assert take_due_histograms(clock.now(), 20) == 1
    clear_histogram_cache()
    taken_at = PeriodHistogram.objects.get().taken_at
    assert taken_at is not None
    return taken_at


@pytest.fixture
def shared(make_board: Make, game: Caller) -> int:
    """Nine players of 10 to 90 points, of whom equals share a rank."""
    board = make_board(ties="shared")
    game.score(board, **{f"p{nth}": nth * 10 for nth in range(1, 10)})
    return board


def test_few_players_are_counted_at_once(field: int, anybody: Caller) -> None:
    answer = anybody.get(f"/boards/{field}/players/p7/percentile").json()

    assert set(answer) == KEYS
    assert [answer[key] for key in ("player", "top", "percentile", "error", "exact")] == ["p7", 33.4, 75, 0, True]
    assert (answer["board"], answer["total"], answer["live"], answer["period"]["state"]) == (field, 9, True, "open")
    row = anybody.get(f"/boards/{field}/players/p7").json()
    assert row["percentile"] == answer["percentile"]


def test_many_are_answered_from_the_histogram_with_its_age_and_exactly_on_demand(
    shared: int, anybody: Caller, game: Caller, settings: Settings
) -> None:
    taken_at = take(settings)
    path = f"/boards/{shared}/players/p7/percentile"
    game.score(shared, p1=100, p2=110)

    quick, exact = anybody.get(path), anybody.get(f"{path}?exact=true").json()

    told = quick.json()
    assert set(told) == set(exact) == KEYS
    assert (told["top"], told["percentile"], told["error"], told["exact"]) == (33.4, 75, 0, False)
    assert abs(datetime.fromisoformat(told["as_of"]) - taken_at) < timedelta(milliseconds=1)
    assert (exact["top"], exact["percentile"], exact["error"], exact["exact"]) == (55.6, 50, 0, True)
    assert datetime.fromisoformat(exact["as_of"]) > taken_at
    assert anybody.get(path, If_None_Match=quick["ETag"]).status_code == 304


def test_a_new_histogram_has_another_etag(shared: int, anybody: Caller, settings: Settings) -> None:
    take(settings)
    path = f"/boards/{shared}/players/p7/percentile"
    before = anybody.get(path)["ETag"]

    PeriodHistogram.objects.update(taken_at=clock.now())
    clear_histogram_cache()

    assert anybody.get(path, If_None_Match=before).status_code == 200


def test_it_is_read_without_sql_once_it_is_remembered(shared: int, anybody: Caller, settings: Settings) -> None:
    take(settings)

    read_until_remembered(anybody, f"/boards/{shared}/players/p7/percentile", times=4)


def test_while_redis_is_away_the_histogram_tells_what_no_rank_can(
    shared: int, anybody: Caller, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(settings)
    take_redis_away(monkeypatch)
    monkeypatch.setattr(reads._View, "_count_shared_ranks", lambda *_: {})  # out of time
    path = f"/boards/{shared}/players/p7/percentile"

    quick, exact = anybody.get(path).json(), anybody.get(f"{path}?exact=true").json()

    assert (quick["top"], quick["live"], quick["exact"]) == (33.4, False, False)
    assert (exact["top"], exact["percentile"], exact["error"], exact["live"]) == (None, None, None, False)


def test_who_is_not_ranked_and_what_is_not_there_are_refused(shared: int, anybody: Caller, settings: Settings) -> None:
    for many in (False, True):
        if many:
            take(settings)
        problem(anybody.get(f"/boards/{shared}/players/nobody/percentile"), 404, "not_ranked")
        problem(anybody.get(f"/boards/{shared}/players/p1/percentile?period=2001-01"), 404, "unknown_period")
        problem(anybody.get("/boards/999/players/p1/percentile"), 404, "unknown_board")
        assert wrong_parameter(anybody.get(f"/boards/{shared}/players/p1/percentile?exact=maybe")) == "exact"
        problem(anybody.get(f"/boards/{shared}/players/{'x' * 65}/percentile"), 422, "bad_player")


def test_a_private_board_tells_it_to_keys_alone_and_a_board_of_competitions_to_nobody(
    make_board: Make, game: Caller, anybody: Caller, settings: Settings
) -> None:
    hidden, races = make_board("Hidden", visibility="private"), make_board("Races", period="event")
    game.score(hidden, **{f"p{nth}": nth for nth in range(9)})
    take(settings)
    path = f"/boards/{hidden}/players/p1/percentile"

    problem(anybody.get(path), 401, "unauthenticated")
    problem(with_key("scores:write").get(path), 403, "forbidden")
    told = with_key("boards:read").get(path)
    assert (told.status_code, told.json()["exact"]) == (200, False)
    assert "private" in told["Cache-Control"]
    problem(game.get(f"/boards/{races}/players/p1/percentile?period=c1"), 404, "unknown_period")


def test_a_distribution_from_the_histogram_says_so_and_a_counted_one_is_as_ever(
    shared: int, anybody: Caller, settings: Settings
) -> None:
    path = f"/boards/{shared}/distribution"
    before = anybody.get(path).json()
    taken_at = take(settings)

    quick, exact = anybody.get(path).json(), anybody.get(f"{path}?exact=true").json()

    assert "error" not in before
    assert "error" not in exact
    assert quick.pop("error") == 0
    assert abs(datetime.fromisoformat(quick.pop("as_of")) - taken_at) < timedelta(milliseconds=1)
    assert quick == {key: value for key, value in before.items() if key != "as_of"}
    assert Period.objects.filter(board=shared).exists()
