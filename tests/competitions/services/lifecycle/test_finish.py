"""The end of a competition: once, with or without scores, after its grace; and cancelling: nothing counts any more."""

from unittest.mock import patch

import pytest

from competitions import errors
from competitions.models import Competition, Notice
from competitions.selectors.standings.standings import player_row, standings
from competitions.services.lifecycle import finish as finishing
from competitions.services.lifecycle.cancel import cancel
from competitions.services.lifecycle.finish import finish_due
from foundation.webhooks.models import WebhookDelivery
from leaderboards.services.periods.close import close_due
from tests.at_once import at_once
from tests.competitions.factories import END, MINUTE
from tests.competitions.services.mishaps import redis_away
from tests.competitions.services.telling import hooks, listening
from tests.competitions.site import (
    SOON,
    STORAGES,
    draft,
    joined,
    make_board,
    open_competition,
    period_of,
    points_of,
    race,
    raced,
    reloaded,
    score,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

OVER = END + MINUTE


@pytest.mark.parametrize("storage", STORAGES)
def test_a_competition_is_final_once_after_its_grace(storage: str) -> None:
    listening()
    competition = race({"ann": 9, "bob": 5}, make_board(storage, grace_seconds=60))

    early = finish_due(END + MINUTE / 2)
    first, again = finish_due(OVER), finish_due(OVER + MINUTE)

    final = reloaded(competition)
    assert (early, first, again) == (0, 1, 0)
    assert (final.final_at, final.phase(OVER)) == (OVER, "final")
    assert [row.player for row in standings(final, OVER).rows] == ["ann", "bob"]
    assert player_row(final, "bob", OVER).row.rank == 2
    assert period_of(final).content_hash
    assert hooks().count(("competition.final", f"competition-{final.pk}-final")) == 1


def test_one_without_any_score_becomes_final_too_and_so_does_one_whose_period_is_closed() -> None:
    empty = open_competition(make_board())
    raced(open_competition(empty.board), {"ann": 9})
    close_due(OVER)

    assert finish_due(OVER) == 2

    assert standings(reloaded(empty), OVER).rows == []
    assert period_of(empty).state == "final"


def test_finished_at_once_it_is_finished_once() -> None:
    listening()
    raced(open_competition(), {f"p{number}": number for number in range(5)})

    finished = at_once([lambda: finish_due(OVER)] * 3)

    assert sorted(finished) == [0, 0, 1]
    assert WebhookDelivery.objects.filter(kind="competition.final").count() == 1


def test_a_redis_board_waits_for_redis_and_its_neighbours_do_not() -> None:
    for storage in STORAGES:
        raced(open_competition(make_board(storage)), {"ann": 1})
    with redis_away():
        assert finish_due(OVER) == 2

    assert finish_due(OVER + MINUTE) == 1


def test_one_that_cannot_be_finished_keeps_nobody_else_waiting() -> None:
    board, finish = make_board(), finishing.finish
    broken, *others = [open_competition(board) for _ in range(3)]

    def break_one(competition: Competition, at: object) -> bool:
        if competition == broken:
            raise ValueError("broken")
        return finish(competition, OVER)

    with patch.object(finishing, "finish", break_one), pytest.raises(ExceptionGroup) as failure:
        finish_due(OVER)

    assert [str(each) for each in failure.value.exceptions] == ["broken"]
    assert [reloaded(each).phase(OVER) for each in others] == ["final", "final"]


def test_after_cancelling_nothing_counts_what_counted_stays_and_it_is_told_once_with_its_reason() -> None:
    competition = race({"ann": 9})
    joined(competition, "bob")
    listening()

    cancelled = cancel(competition, "the hall is closed", SOON, None)
    with pytest.raises(errors.CompetitionOver):
        cancel(competition, "again", SOON, None)

    assert cancelled.phase(SOON) == "cancelled"
    assert [outcome.code for outcome in score(competition, {"ann": 10})] == ["period_closed"]
    assert points_of(competition) == {"ann": 9}
    assert (finish_due(OVER), reloaded(competition).final_at) == (0, None)
    told = Notice.objects.values_list("player__external_id", "kind", "change__reason")
    assert sorted(told) == [(name, "cancelled", "the hall is closed") for name in ("ann", "bob")]
    assert WebhookDelivery.objects.get().kind == "competition.cancelled"
    assert '"reason":"the hall is closed"' in WebhookDelivery.objects.get().body


def test_to_cancel_drafts_final_ones_and_without_a_reason_is_refused() -> None:
    over = open_competition()
    finish_due(OVER)

    for competition, reason, refusal in (
        (draft(over.board), "why not", errors.NotOpenYet),
        (over, "why not", errors.CompetitionOver),
        (over, "", errors.BadCompetition),
    ):
        with pytest.raises(refusal):
            cancel(competition, reason, OVER, None)
    assert reloaded(over).cancelled_at is None
