"""The webhook ``period.final`` of a competition: once its result is final and shown, as everybody sees it then."""

import pytest

from competitions.models import Competition
from competitions.services.lifecycle.confirm import confirm
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.freeze import reveal
from competitions.services.participants.disqualify import disqualify
from tests.competitions.factories import END, MINUTE
from tests.competitions.services.telling import finals, listening
from tests.competitions.site import STORAGES, make_board, period_of, player, race, reloaded

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

OVER = END + MINUTE


def told() -> list[tuple[str, list[str]]]:
    return [(message_id, [row["player"] for row in data["rows"]]) for message_id, data in finals()]


def id_of(competition: Competition) -> str:
    return f"period-{period_of(competition).pk}-final"


@pytest.mark.parametrize("storage", STORAGES)
def test_it_comes_once_with_the_competitions_number_and_its_best_rows(storage: str) -> None:
    listening()
    competition = race({"ann": 9, "bob": 5}, make_board(storage))

    finish_due(OVER)
    finish_due(OVER + MINUTE)

    [(message_id, data)] = finals()
    assert message_id == id_of(competition)
    assert (data["competition"], data["period"], data["total"]) == (competition.pk, competition.label, 2)
    assert data["rows"] == [
        {"rank": 1, "player": "ann", "points": "9"},
        {"rank": 2, "player": "bob", "points": "5"},
    ]


def test_under_review_nothing_comes_and_then_what_the_jury_left() -> None:
    listening()
    competition = race({"ann": 9, "bob": 5}, review_hours=24)
    finish_due(OVER)
    disqualify(reloaded(competition), player("ann"), "Two accounts.", OVER, None)
    under_review = told()

    confirm(reloaded(competition), OVER + MINUTE, None)

    assert under_review == []
    assert told() == [(id_of(competition), ["bob"])]
    assert finals()[0][1]["total"] == 1


def test_where_places_stay_empty_the_ranks_do_too() -> None:
    listening()
    competition = race({"ann": 9, "bob": 5}, review_hours=24, vacated_places="stay_empty")
    finish_due(OVER)
    disqualify(reloaded(competition), player("ann"), "Two accounts.", OVER, None)

    confirm(reloaded(competition), OVER + MINUTE, None)

    assert [(row["rank"], row["player"]) for row in finals()[0][1]["rows"]] == [(2, "bob")]


def test_what_a_freeze_hides_comes_with_the_reveal_and_before_it_is_final_not_even_then() -> None:
    listening()
    final = race({"ann": 9}, freeze_minutes=60)
    reviewed = race({"bob": 5}, final.board, freeze_minutes=60, review_hours=24)
    finish_due(OVER)
    frozen = told()
    for each in (final, reviewed):
        reveal(reloaded(each), OVER + MINUTE, None)
        reveal(reloaded(each), OVER + 2 * MINUTE, None)
    revealed = told()
    confirm(reloaded(reviewed), OVER + 2 * MINUTE, None)

    assert frozen == []
    assert revealed == [(id_of(final), ["ann"])]
    assert told() == [*revealed, (id_of(reviewed), ["bob"])]
