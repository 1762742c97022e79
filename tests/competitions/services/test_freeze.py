"""The freeze: the copy is what stood when it came, whoever makes it, and stays until the result is revealed."""

from datetime import datetime
from functools import partial

import pytest

from competitions import errors
from competitions.models import Change, Competition, Participant
from competitions.selectors.standings import own_points, standings
from competitions.services import freeze
from competitions.services.change_end import change_end
from competitions.services.disqualify import disqualify
from competitions.services.finish import finish_due
from competitions.services.freeze import freeze_due, reveal
from competitions.services.snapshot import take_due
from foundation import redis
from leaderboards import selectors
from leaderboards.services.close import close_due
from tests.at_once import at_once
from tests.competitions.site import (
    DAY,
    END,
    HOUR,
    MINUTE,
    SOON,
    STORAGES,
    make_board,
    open_competition,
    player,
    points_of,
    raced,
    reloaded,
    score,
)

pytestmark = pytest.mark.django_db(transaction=True)

FREEZE = END - HOUR
Shown = list[tuple[str, int | None, object]]


def freezing(storage: str = "hybrid") -> Competition:
    competition = open_competition(make_board(storage), freeze_minutes=60)
    raced(competition, {"ann": 9, "bob": 5})
    return competition


def shown(competition: Competition, at: datetime, full: bool = False) -> Shown:
    return [(row.player, row.rank, row.points) for row in standings(reloaded(competition), at, full=full).rows]


BEFORE: Shown = [("ann", 1, 9), ("bob", 2, 5)]


@pytest.mark.parametrize("storage", STORAGES)
def test_a_score_after_the_freeze_is_seen_by_nobody_but_the_admins(links: None, storage: str) -> None:
    competition = freezing(storage)

    [outcome] = score(competition, {"bob": 99}, FREEZE)

    assert (outcome.status, outcome.points, outcome.rank) == ("updated", 99, None)
    assert shown(competition, FREEZE) == BEFORE
    assert shown(competition, FREEZE, full=True) == [("bob", 1, 99), ("ann", 2, 9)]
    own = own_points(reloaded(competition), "bob", FREEZE)
    assert own is not None
    assert own.points == 99


def test_the_last_score_before_the_freeze_is_in_the_copy(links: None) -> None:
    competition = freezing()

    score(competition, {"bob": 7}, FREEZE - MINUTE)
    score(competition, {"bob": 8}, FREEZE + MINUTE)

    assert shown(competition, FREEZE + MINUTE) == [("ann", 1, 9), ("bob", 2, 7)]


@pytest.mark.parametrize("storage", STORAGES)
def test_the_schedule_freezes_too_and_again_changes_nothing(links: None, storage: str) -> None:
    competition = freezing(storage)

    found = [freeze_due(at) for at in (FREEZE - MINUTE, FREEZE, FREEZE + MINUTE)]
    score(competition, {"bob": 99}, FREEZE + MINUTE)
    freeze_due(FREEZE + 2 * MINUTE)

    assert found == [0, 1, 0]
    assert reloaded(competition).frozen_at == FREEZE
    assert shown(competition, END) == BEFORE


def test_frozen_by_many_at_once_it_is_frozen_once(links: None) -> None:
    competition = freezing()
    scores = [{("ann", "bob")[number % 2]: 100 + number} for number in range(4)]

    at_once([partial(score, competition, points, FREEZE + MINUTE) for points in scores])

    assert shown(competition, FREEZE + MINUTE) == BEFORE
    assert points_of(competition) == {"ann": 102, "bob": 103}


@pytest.mark.parametrize("storage", STORAGES)
def test_the_result_stays_hidden_until_it_is_revealed(links: None, storage: str) -> None:
    competition = freezing(storage)
    score(competition, {"bob": 99}, FREEZE)
    finish_due(END + MINUTE)
    hidden = standings(reloaded(competition), END + MINUTE)

    reveal(competition, END + HOUR, None)
    reveal(competition, END + DAY, None)

    assert (hidden.period.state, [row.player for row in hidden.rows]) == ("closing", ["ann", "bob"])
    assert shown(competition, END + HOUR) == [("bob", 1, 99), ("ann", 2, 9)]
    assert standings(reloaded(competition), END + HOUR).period.state == "final"
    assert Change.objects.filter(kind="revealed").count() == 1
    assert reloaded(competition).revealed_at == END + HOUR


def test_there_is_nothing_to_reveal_before_the_result_or_without_a_freeze(links: None) -> None:
    competition = freezing()
    freeze_due(FREEZE)
    plain = open_competition(competition.board)

    with pytest.raises(errors.NotRevealable, match="final"):
        reveal(competition, END, None)
    with pytest.raises(errors.NotRevealable, match="frozen"):
        reveal(plain, END, None)


def test_a_disqualification_after_the_freeze_leaves_the_frozen_page_as_it_was(links: None) -> None:
    competition = freezing()

    disqualify(competition, player("ann"), "cheated", FREEZE + MINUTE, None)

    assert shown(competition, FREEZE + MINUTE) == BEFORE
    assert shown(competition, FREEZE + MINUTE, full=True) == [("bob", 1, 5)]


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("mark", ["left_at", "disqualified_at"])
def test_who_was_gone_before_the_freeze_is_not_in_the_copy_though_nobody_had_taken_him_out(
    links: None, storage: str, mark: str
) -> None:
    competition = freezing(storage)
    Participant.objects.filter(player__external_id="ann").update(**{mark: FREEZE - MINUTE})

    score(competition, {"bob": 6}, FREEZE + MINUTE)

    assert shown(competition, FREEZE + MINUTE) == [("bob", 1, 5)]


@pytest.mark.parametrize("noticed", [True, False])
def test_a_freeze_outlasts_a_moved_end_also_if_nobody_had_noticed_it(links: None, noticed: bool) -> None:
    competition = freezing()
    if noticed:
        freeze_due(FREEZE)

    change_end(reloaded(competition), END + DAY, "so many asked", FREEZE + MINUTE, None)
    score(competition, {"bob": 99}, FREEZE + 2 * MINUTE)

    assert shown(competition, FREEZE + 2 * MINUTE) == BEFORE
    assert reloaded(competition).phase(FREEZE + 2 * MINUTE) == "frozen"


def test_an_end_moved_before_the_freeze_moves_the_freeze(links: None) -> None:
    competition = freezing()

    change_end(competition, END + DAY, "so many asked", SOON, None)
    score(competition, {"bob": 99}, FREEZE + MINUTE)

    assert reloaded(competition).frozen_at is None
    assert shown(competition, FREEZE + MINUTE) == [("bob", 1, 99), ("ann", 2, 9)]


def test_while_redis_is_away_a_redis_board_neither_freezes_nor_takes_a_score(
    links: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    competition = freezing("redis")
    with monkeypatch.context() as patch:
        patch.setattr(redis.Link, "_exchange", _away)
        [refused] = score(competition, {"bob": 99}, FREEZE)
        assert freeze_due(FREEZE) == 0
    redis.boards().reset()

    [taken] = score(competition, {"bob": 99}, FREEZE + MINUTE)

    assert (refused.code, taken.code) == ("unavailable", None)
    assert shown(competition, FREEZE + MINUTE) == BEFORE


def test_whatever_comes_between_reading_live_and_answering_is_not_shown(
    links: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    competition, at, reading = freezing(), FREEZE - MINUTE, selectors.standings

    def slowly(*wanted: object) -> object:
        monkeypatch.undo()
        score(competition, {"bob": 99}, FREEZE + MINUTE)
        return reading(*wanted)  # type: ignore[arg-type]  # passed on as it came

    monkeypatch.setattr(selectors, "standings", slowly)
    found = standings(competition, at)

    assert ([row.points for row in found.rows], found.period.state) == ([9, 5], "open")


@pytest.mark.parametrize("storage", STORAGES)
def test_what_was_closed_while_nobody_froze_it_is_frozen_as_it_ended(links: None, storage: str) -> None:
    competition = freezing(storage)
    close_due(END + MINUTE)

    finish_due(END + DAY)

    assert reloaded(competition).phase(END + DAY) == "frozen"
    assert shown(competition, END + DAY) == shown(competition, END + DAY, full=True) == BEFORE


def test_snapshots_go_on_behind_the_curtain(links: None) -> None:
    competition = freezing()
    freeze_due(FREEZE)

    assert take_due(FREEZE + 30 * MINUTE) == 1
    assert freeze.freeze_if_due(reloaded(competition), FREEZE + 30 * MINUTE) is False


def _away(*_: object, **__: object) -> None:
    raise redis.RedisAway("Redis is away.")
