"""Removing and disqualifying: the others move up until the result is final, and no straggler comes back."""

from datetime import datetime

import pytest

from competitions import errors
from competitions.models import Change, Competition, Participant
from competitions.selectors.participants import disqualified_among
from competitions.selectors.standings import standings
from competitions.services import events
from competitions.services.disqualify import disqualify, remove
from competitions.services.finish import finish_due
from competitions.services.join import join
from competitions.services.strays import take_out_due
from leaderboards.services.close import close_due
from tests.competitions.site import (
    DAY,
    END,
    SOON,
    STORAGES,
    joined,
    make_board,
    open_competition,
    player,
    points_of,
    raced,
    reloaded,
    score,
)

pytestmark = pytest.mark.django_db(transaction=True)


def ranks(competition: Competition, at: datetime = SOON) -> dict[str, int | None]:
    return {row.player: row.rank for row in standings(reloaded(competition), at).rows}


@pytest.mark.parametrize("storage", STORAGES)
def test_the_others_move_up(links: None, storage: str) -> None:
    competition = open_competition(make_board(storage))
    raced(competition, {"ann": 9, "bob": 5, "cleo": 4})

    disqualify(competition, player("ann"), "scores from two places at once", SOON, None)
    remove(competition, player("bob"), "asked by mail", SOON, None)

    assert ranks(competition) == {"cleo": 1}
    assert points_of(competition) == {"cleo": 4}
    assert set(Change.objects.values_list("kind", "details__player", "reason")) >= {
        ("disqualified", "ann", "scores from two places at once"),
        ("removed", "bob", "asked by mail"),
    }


def test_who_was_removed_may_come_back_and_who_was_disqualified_may_not(links: None) -> None:
    competition = open_competition()
    [ann, bob] = joined(competition, "ann", "bob")
    remove(competition, ann, "asked by mail", SOON, None)
    disqualify(competition, bob, "cheated", SOON, None)

    join(competition, ann, SOON)

    with pytest.raises(errors.Disqualified):
        join(competition, bob, SOON)
    with pytest.raises(errors.NotAParticipant):
        remove(competition, bob, "again", SOON, None)
    assert disqualify(competition, bob, "again", SOON, None).reason == "cheated"


def test_strangers_and_reasons_that_are_none_are_refused(links: None) -> None:
    competition = open_competition()
    [ann] = joined(competition, "ann")

    with pytest.raises(errors.NotAParticipant):
        disqualify(competition, player("eve"), "cheated", SOON, None)
    for reason in ("  ", "x" * 301):
        with pytest.raises(errors.BadCompetition) as refusal:
            disqualify(competition, ann, reason, SOON, None)
        assert refusal.value.field == "reason"
    assert Participant.objects.get().takes_part


def straggle(monkeypatch: pytest.MonkeyPatch, competition: Competition, points: dict[str, int]) -> None:
    """Scores that were found to be of participants just before those went."""
    with monkeypatch.context() as patch:
        patch.setattr(events.Competitions, "joined", lambda _, pairs: pairs)
        outcomes = score(competition, points)
    assert all(outcome.status.is_accepted for outcome in outcomes)


@pytest.mark.parametrize("storage", STORAGES)
def test_a_score_under_way_does_not_bring_anybody_back(
    links: None, monkeypatch: pytest.MonkeyPatch, storage: str
) -> None:
    competition = open_competition(make_board(storage))
    raced(competition, {"ann": 9, "bob": 5})
    disqualify(competition, player("ann"), "cheated", SOON, None)
    straggle(monkeypatch, competition, {"ann": 99})
    assert points_of(competition) == {"ann": 99, "bob": 5}

    found = take_out_due(SOON)

    assert found == 1
    assert points_of(competition) == {"bob": 5}
    assert take_out_due(SOON) == 0


@pytest.mark.parametrize("storage", STORAGES)
def test_nor_does_one_that_came_in_just_before_the_period_closed(
    links: None, monkeypatch: pytest.MonkeyPatch, storage: str
) -> None:
    competition = open_competition(make_board(storage))
    raced(competition, {"ann": 9, "bob": 5})
    disqualify(competition, player("ann"), "cheated", SOON, None)
    straggle(monkeypatch, competition, {"ann": 99})

    finished = finish_due(END + DAY)

    assert finished == 1
    assert ranks(competition, END + DAY) == {"bob": 1}


def test_after_the_final_result_the_row_is_marked_and_stays(links: None) -> None:
    competition = open_competition()
    raced(competition, {"ann": 9, "bob": 5})
    finish_due(END + DAY)

    with pytest.raises(errors.CompetitionOver):
        remove(competition, player("bob"), "too late", END + DAY, None)
    disqualify(competition, player("ann"), "found out later", END + DAY, None)

    assert ranks(competition, END + DAY) == {"ann": 1, "bob": 2}
    assert disqualified_among(reloaded(competition), ["ann", "bob"], END + DAY) == {"ann"}


@pytest.mark.parametrize("storage", STORAGES)
def test_once_the_ranks_are_written_nobody_is_removed_though_the_competition_is_not_final_yet(
    links: None, storage: str
) -> None:
    competition = open_competition(make_board(storage))
    raced(competition, {"ann": 9, "bob": 5})
    close_due(END + DAY)

    with pytest.raises(errors.CompetitionOver):
        remove(competition, player("ann"), "too late", END + DAY, None)

    assert finish_due(END + DAY) == 1
    assert ranks(competition, END + DAY) == {"ann": 1, "bob": 2}
    assert Participant.objects.get(player__external_id="ann").takes_part
